import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { failuresMax, inLineMax, nextBatch, probeIntervalMs, waitingMax } from './batch-size.rules.ts';

const idle = { perSecond: 50, elapsedMs: null, inLine: 0, waiting: 0, failures: 0 };

test('the first batch is a second’s worth, and a long pause earns no more than that', () => {
  expect(nextBatch(idle)).toBe(50);
  expect(nextBatch({ ...idle, elapsedMs: 3_600_000 })).toBe(50);
  expect(nextBatch({ ...idle, elapsedMs: 500 })).toBe(25);
});

test('over any series of moments, no more is enqueued than the rate allows, also where less was found at first', () => {
  const pause = fc.record({ pauseMs: fc.integer({ min: 0, max: 5_000 }), foundMax: fc.integer({ min: 0, max: 400 }) });
  const pauses = fc.array(pause, { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(pauses, fc.integer({ min: 1, max: 400 }), (moments, perSecond) => {
      let [enqueued, passedMs, elapsedMs] = [nextBatch({ ...idle, perSecond }), 0, 0];
      for (const { pauseMs, foundMax } of moments) {
        passedMs += pauseMs;
        elapsedMs += pauseMs;
        const batch = nextBatch({ ...idle, perSecond, elapsedMs });
        const found = Math.min(batch, foundMax);
        // As `recovery-advance` writes it.
        if (found > 0) elapsedMs = (1_000 * (batch - found)) / perSecond;
        enqueued += found;
      }
      expect(enqueued).toBeLessThanOrEqual(perSecond + (perSecond * passedMs) / 1_000);
    }),
    randomRuns(100, 5_000),
  );
});

test('a receiver that is slow stops the recovery by what is in line', () => {
  expect(nextBatch({ ...idle, inLine: inLineMax - 3 })).toBe(3);
  expect(nextBatch({ ...idle, inLine: inLineMax })).toBe(0);
  expect(nextBatch({ ...idle, inLine: inLineMax + 7 })).toBe(0);
});

test('bodies that a receiver refuses do not stop the recovery until there are very many', () => {
  expect(nextBatch({ ...idle, waiting: waitingMax - 1, failures: failuresMax - 1 })).toBe(50);
  expect(nextBatch({ ...idle, waiting: waitingMax })).toBe(0);
});

test('a receiver that is down gets one delivery at a time', () => {
  const down = { ...idle, failures: failuresMax };
  expect(nextBatch(down)).toBe(1);
  expect(nextBatch({ ...down, elapsedMs: probeIntervalMs - 1 })).toBe(0);
  expect(nextBatch({ ...down, elapsedMs: probeIntervalMs })).toBe(1);
  expect(nextBatch({ ...down, elapsedMs: probeIntervalMs, inLine: 1 })).toBe(0);
});
