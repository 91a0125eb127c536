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
    expect([groupOf(health), slotsOf(health), capacityOf(health)]).toEqual(['failing', 1, 1]);
    const closed = healthAfter(health, 20, false);
    expect([groupOf(closed), slotsOf(closed)]).toEqual(['quick', 16]);
  }
  const four = exchanges(quick, ...Array.from({ length: 4 }, (): [number, boolean] => [5, true]));
  expect([groupOf(four), slotsOf(four)]).toEqual(['quick', 2]);
  // A slow endpoint that refuses now and then in its usual time does not hang.
  expect(groupOf(exchanges(slow, [1_200, true]))).toBe('slow');
});

test('no more waits in memory than goes out in two seconds', () => {
  expect(capacityOf(exchanges(unknownHealth, [200, false]))).toBe(160);
  expect(capacityOf(quick)).toBe(256);
  expect(capacityOf(slow)).toBe(26);
  expect(waitingMaxOf('quick', 200)).toBe(slotsOfGroup.quick * 10);
  expect(waitingMaxOf('quick', 1)).toBe(slotsOfGroup.quick * 16);
  expect(waitingMaxOf('slow', 10_000)).toBe(slotsOfGroup.slow * 2);
});
