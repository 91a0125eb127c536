import { setTimeout as sleep } from 'node:timers/promises';
import { type Check, readiness } from '@app/service-kit/service';

const checkEveryMs = 50;
/** A consumer waits half a second before it checks again for a stream that was not there yet. */
const withinMs = 10_000;

/**
 * Waits until all services are ready, as `/readyz` says: the last one makes the stream that others consume. Services mend
 * themselves, so a start goes on without what is missing after ten seconds.
 */
export async function untilReady(checks: readonly Check[], say: (line: string) => void): Promise<void> {
  const startedMs = performance.now();
  while (true) {
    const { ready, missing } = await readiness(checks);
    if (ready) return;
    if (performance.now() - startedMs > withinMs) {
      say(`not ready yet: ${missing.join(', ')}`);
      return;
    }
    await sleep(checkEveryMs);
  }
}
