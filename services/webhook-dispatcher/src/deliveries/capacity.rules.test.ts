import { randomRuns } from '@app/testing/long';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  capacityOf,
  groupOf,
  type Health,
  healthAfter,
  overdueAfterMs,
  slotsOf,
  slotsOfGroup,
  unknownHealth,
  waitingMaxOf,
} from './capacity.rules.ts';

const exchanges = (before: Health, ...list: [durationMs: number, failed: boolean][]): Health =>
  list.reduce((health, [durationMs, failed]) => healthAfter(health, durationMs, failed), before);
const quick = exchanges(unknownHealth, [20, false]);
const slow = exchanges(unknownHealth, [1_200, false]);

test('an endpoint is quick or slow by its successes, and new before the first', () => {
  expect([unknownHealth, quick, slow].map(groupOf)).toEqual(['new', 'quick', 'slow']);
  expect([unknownHealth, quick, slow].map(slotsOf)).toEqual([4, 16, 16]);
  expect([unknownHealth, quick, slow].map(overdueAfterMs)).toEqual([1_000, 1_000, 2_400]);
  expect(groupOf(exchanges(quick, [20, true]))).toBe('quick');
});

test('the breaker opens when a request hangs or five fail in a row: one request at a time, until one succeeds', () => {
  const opened = [
    exchanges(quick, [15_000, true]),
    exchanges(slow, [15_000, true]),
    exchanges(unknownHealth, [15_000, true]),
    exchanges(quick, ...Array.from({ length: 5 }, (): [number, boolean] => [5, true])),
  ];
  for (const health of opened) {
    expect([groupOf(health), slotsOf(health), capacityOf(health)]).toEqual(['breaker-open', 1, 1]);
    const closed = healthAfter(health, 20, false);
    expect([groupOf(closed), slotsOf(closed)]).toEqual(['quick', 16]);
  }
  const four = exchanges(quick, ...Array.from({ length: 4 }, (): [number, boolean] => [5, true]));
  expect([groupOf(four), slotsOf(four)]).toEqual(['quick', 2]);
  // A slow endpoint that fails within its usual time does not hang.
  expect(groupOf(exchanges(slow, [1_200, true]))).toBe('slow');
});

test('no more deliveries wait in memory than are sent in two seconds', () => {
  expect(capacityOf(exchanges(unknownHealth, [200, false]))).toBe(160);
  expect(capacityOf(quick)).toBe(256);
  expect(capacityOf(slow)).toBe(26);
  expect(waitingMaxOf('quick', 200)).toBe(slotsOfGroup.quick * 10);
  expect(waitingMaxOf('quick', 1)).toBe(slotsOfGroup.quick * 16);
  expect(waitingMaxOf('slow', 10_000)).toBe(slotsOfGroup.slow * 2);
});

const exchange = fc.tuple(
  fc.oneof(fc.integer({ min: 1, max: 900 }), fc.integer({ min: 900, max: 15_000 })),
  fc.boolean(),
);
const history = fc.array(exchange, { maxLength: 30 });

test('the breaker is open exactly while the last five exchanges failed or the last one failed after it was overdue', () => {
  fc.assert(
    fc.property(history, (list) => {
      let [health, failures] = [unknownHealth, 0];
      let expected = false;
      for (const [durationMs, failed] of list) {
        failures = failed ? failures + 1 : 0;
        expected = failed && (failures >= 5 || durationMs > overdueAfterMs(health));
        health = healthAfter(health, durationMs, failed);
        expect(groupOf(health) === 'breaker-open').toBe(expected);
      }
      expect(slotsOf(health) === 1).toBe(expected);
    }),
    randomRuns(100, 5_000),
  );
});

test('the mean is within the successful durations, and only they change it', () => {
  fc.assert(
    fc.property(history, (list) => {
      const successes = list.filter(([, failed]) => !failed).map(([durationMs]) => durationMs);
      const { meanMs, lastMs } = exchanges(unknownHealth, ...list);
      expect(lastMs).toBe(successes.at(-1) ?? null);
      if (meanMs === null) expect(successes).toEqual([]);
      else {
        expect(meanMs).toBeGreaterThanOrEqual(Math.min(...successes) - 0.001);
        expect(meanMs).toBeLessThanOrEqual(Math.max(...successes) + 0.001);
      }
    }),
    randomRuns(100, 5_000),
  );
});

test('an endpoint’s capacity covers its slots and ends at 256, and a request is not overdue within a second', () => {
  fc.assert(
    fc.property(history, (list) => {
      const health = exchanges(unknownHealth, ...list);
      expect(capacityOf(health)).toBeGreaterThanOrEqual(slotsOf(health));
      expect(capacityOf(health)).toBeLessThanOrEqual(256);
      expect(slotsOf(health)).toBeLessThanOrEqual(16);
      expect(overdueAfterMs(health)).toBeGreaterThanOrEqual(1_000);
    }),
    randomRuns(100, 5_000),
  );
});

test('the slower a group’s exchanges, the fewer deliveries wait in memory, between 2 and 16 for each slot', () => {
  const meanMs = fc.double({ min: 0, max: 60_000, noNaN: true });
  fc.assert(
    fc.property(fc.constantFrom('quick', 'slow'), meanMs, meanMs, (group, one, other) => {
      const [quicker, slower] = [waitingMaxOf(group, Math.min(one, other)), waitingMaxOf(group, Math.max(one, other))];
      expect(slower).toBeLessThanOrEqual(quicker);
      expect(slower).toBeGreaterThanOrEqual(2 * slotsOfGroup[group]);
      expect(quicker).toBeLessThanOrEqual(16 * slotsOfGroup[group]);
    }),
    randomRuns(100, 5_000),
  );
});
