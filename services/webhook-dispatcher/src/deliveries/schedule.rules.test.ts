import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { attemptsMax, retryAfterMs, waitAfter } from './schedule.rules.ts';

const middle = 0.5;

test('twelve attempts spread over 70 h 42 m 35 s, then none', () => {
  expect(attemptsMax).toBe(12);
  const waits = Array.from({ length: 11 }, (_, index) => waitAfter(index + 1, middle, null) ?? Number.NaN);
  expect(waits.slice(0, 4)).toEqual([5_000, 30_000, 120_000, 600_000]);
  expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(((70 * 60 + 42) * 60 + 35) * 1_000);
  expect(waitAfter(12, middle, null)).toBeNull();
  expect(waitAfter(12, middle, 60_000)).toBeNull();
});

test('a wait is within 20 % of its step and never shorter than Retry-After up to 24 hours', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 11 }),
      fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      fc.option(fc.integer({ min: 0, max: 10 * 24 * 3_600_000 })),
      (number, random, requested) => {
        const step = waitAfter(number, middle, null) ?? Number.NaN;
        const wait = waitAfter(number, random, requested) ?? Number.NaN;
        const honoured = Math.min(requested ?? 0, 24 * 3_600_000);
        expect(wait).toBeGreaterThanOrEqual(Math.max(honoured, Math.floor(step * 0.8)));
        expect(wait).toBeLessThanOrEqual(Math.max(honoured, Math.ceil(step * 1.2)));
      },
    ),
    randomRuns(100, 5_000),
  );
});

test('Retry-After is read as seconds or as an HTTP date', () => {
  const nowMs = Date.parse('2026-01-15T12:00:00Z');
  expect(retryAfterMs('120', nowMs)).toBe(120_000);
  expect(retryAfterMs('Thu, 15 Jan 2026 12:05:00 GMT', nowMs)).toBe(300_000);
  expect(retryAfterMs('Thu, 15 Jan 2026 11:00:00 GMT', nowMs)).toBe(0);
  for (const nonsense of [null, '', 'soon', '-5', '1.5', '99999999999'])
    expect(retryAfterMs(nonsense, nowMs)).toBeNull();
});
