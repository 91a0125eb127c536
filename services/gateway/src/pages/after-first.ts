import { setTimeout as sleep } from 'node:timers/promises';
import type { Call } from '@app/pages/call';

/** Pauses are as long as the first click has lasted: 1, 2 and 4 seconds. */
const repeatsMax = 3;
const pauseMaxSeconds = 5;

/** Two clicks without a script: browsers show the answer to the second one, which waits for that of the first. */
export const afterFirst =
  (call: Call): Call =>
  async (operationId, request) => {
    let result = await call(operationId, request);
    for (let i = 0; i < repeatsMax && !result.ok && result.problem.code === 'idempotency_key_in_use'; i++) {
      await sleep(Math.min(result.retryAfterSeconds ?? 1, pauseMaxSeconds) * 1_000);
      result = await call(operationId, request);
    }
    return result;
  };
