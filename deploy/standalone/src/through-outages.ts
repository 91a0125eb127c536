import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '@app/service-kit/outages';

/** An outage that lasts longer is the answer. */
const withinMs = 60_000;
const pauseMs = 500;

/**
 * Repeats one step of making the first seller while PostgreSQL is away or takes long to let its clients in. The step may
 * be begun again though it took effect, and leaves nothing under way when it fails. Says why it begins again, each reason once.
 * @throws what the step throws beside outages, and an outage a minute after the first one
 */
export async function throughOutages<T>(step: () => Promise<T>, say: (line: string) => void): Promise<T> {
  const said = new Set<string>();
  let firstMs: number | undefined;
  while (true) {
    try {
      return await step();
    } catch (err) {
      firstMs ??= performance.now();
      if (!isOutage(err) || performance.now() - firstMs > withinMs) throw err;
      const reason = err instanceof Error ? err.message : String(err);
      if (!said.has(reason)) say(`the first seller is not ready yet, trying again: ${reason}`);
      said.add(reason);
    }
    await sleep(pauseMs);
  }
}
