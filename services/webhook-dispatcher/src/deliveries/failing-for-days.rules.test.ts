import { expect, test } from 'vitest';
import { mustSwitchOff, needsVerdict } from './failing-for-days.rules.ts';

const hourMs = 60 * 60 * 1_000;
const since = new Date('2026-05-04T12:00:00Z');
const failing = (hours: number, attempts: number, events: number, warnedAt: Date | null = null) => ({
  since,
  last_at: new Date(since.getTime() + hours * hourMs),
  attempts,
  events,
  warned_at: warnedAt,
});

test.each([
  ['five days, 20 attempts and 3 events', failing(120, 20, 3), true],
  [
    'a millisecond less than five days',
    { ...failing(120, 20, 3), last_at: new Date(since.getTime() + 120 * hourMs - 1) },
    false,
  ],
  ['five days with 19 attempts', failing(120, 19, 3), false],
  ['five days with 2 events', failing(120, 20, 2), false],
])('%s', (_, row, expected) => {
  expect(mustSwitchOff({ ...row, warned_at: since })).toBe(expected);
  expect(needsVerdict({ ...row, warned_at: since })).toBe(expected);
});

test.each([
  ['a day and 5 attempts', failing(24, 5, 1), true],
  ['less than a day', failing(23.9, 500, 100), false],
  ['a day with 4 attempts', failing(24, 4, 1), false],
  ['two days after the seller was notified', failing(48, 100, 50, since), false],
])('%s', (_, row, expected) => {
  expect(needsVerdict(row)).toBe(expected);
  expect(mustSwitchOff(row)).toBe(false);
});
