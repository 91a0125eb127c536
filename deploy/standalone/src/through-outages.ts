import { setTimeout as sleep } from 'node:timers/promises';
import { isOutage } from '@app/service-kit/outages';

const withinMs = 60_000;
const pauseMs = 500;

/**
 * Repeats work that has its effect once, however often it is begun, until no server is away: a start finishes while
 * PostgreSQL is started again, or takes long to let its clients in.
 * @throws what the work throws beside outages, and the outage that lasts for a minute
 */
export async function throughOutages<T>(work: () => Promise<T>, say: (line: string) => void): Promise<T> {
  const startedMs = performance.now();
  while (true) {
    try {
      return await work();
    } catch (err) {
      if (!isOutage(err) || performance.now() - startedMs > withinMs) throw err;
      say(`the first seller is not ready yet, trying again: ${err instanceof Error ? err.message : String(err)}`);
    }
    await sleep(pauseMs);
  }
}
