import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '@app/contracts/errors';

/** Two of the calls that end as `outcome_unknown`. */
const patienceMs = 40_000;
const pauseMs = 100;

/**
 * Asks again while the answer is that the service does not answer, or that the answer was lost: so a requester says after a
 * second, or after 20, also where it is the machine that stalls. Each time it must be the same command.
 */
export async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (err) {
      const isStalled = err instanceof DomainError && ['service_unavailable', 'outcome_unknown'].includes(err.code);
      if (!isStalled || performance.now() >= giveUpAt) throw err;
    }
    await sleep(pauseMs);
  }
}
