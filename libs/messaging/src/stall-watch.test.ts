import { eventually } from '@app/testing/eventually';
import { expect, test } from 'vitest';
import { watchStalls } from './stall-watch.ts';

/** Stands still as a stopped process does: no timer and no callback runs. */
const standStill = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test('what is read after the process stood still may have waited all the while; later it has not', async () => {
  const stalls = watchStalls();
  expect(stalls.waitedMs()).toBe(0);
  standStill(1_300);
  expect(stalls.waitedMs()).toBeGreaterThanOrEqual(1_300);
  await eventually(() => stalls.waitedMs() === 0);
  stalls.close();
});
