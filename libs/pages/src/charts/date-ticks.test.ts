import { expect, test } from 'vitest';
import { dateTicks } from './date-ticks.ts';

const dayMs = 86_400_000;
const daysFrom = (first: string, count: number): string[] =>
  Array.from({ length: count }, (_, day) => new Date(Date.parse(first) + day * dayMs).toISOString().slice(0, 10));
const monthsFrom = (year: number, count: number): string[] =>
  Array.from({ length: count }, (_, month) => new Date(Date.UTC(year, month)).toISOString().slice(0, 7));
const named = (dates: readonly string[]): string[] => dateTicks(dates).map((place) => dates[place] ?? '');

test('weeks are named by their Mondays, a few days each by itself', () => {
  expect(named(daysFrom('2026-10-31', 30))).toEqual(['2026-11-02', '2026-11-09', '2026-11-16', '2026-11-23']);
  expect(named(daysFrom('2026-10-01', 7))).toEqual(daysFrom('2026-10-01', 7));
  for (const first of daysFrom('2026-01-01', 7)) {
    for (let count = 14; count <= 70; count += 1) {
      const ticks = named(daysFrom(first, count));
      expect(ticks.every((date) => new Date(date).getUTCDay() === 1)).toBe(true);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
    }
  }
});

test('longer spans are named by the first of months, quarters and years', () => {
  expect(named(daysFrom('2026-01-15', 92))).toEqual(['2026-02-01', '2026-03-01', '2026-04-01']);
  expect(named(daysFrom('2026-01-01', 365))).toEqual(['2026-01-01', '2026-04-01', '2026-07-01', '2026-10-01']);
  expect(named(monthsFrom(2026, 3))).toEqual(['2026-01', '2026-02', '2026-03']);
  expect(named(monthsFrom(2026, 12))).toEqual(['2026-01', '2026-04', '2026-07', '2026-10']);
  expect(named(monthsFrom(2016, 60))).toEqual(['2016-01', '2017-01', '2018-01', '2019-01', '2020-01']);
});

test('whatever the span, an axis of two points or more has two to eleven names, in their order', () => {
  for (const dates of [daysFrom('2026-10-31', 366), monthsFrom(2016, 122)]) {
    for (let from = 0; from < 8; from += 1) {
      for (let count = 2; from + count <= dates.length; count += 5) {
        const ticks = dateTicks(dates.slice(from, from + count));
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(11);
        expect(ticks).toEqual([...new Set(ticks)].toSorted((one, other) => one - other));
      }
    }
  }
  expect([dateTicks(['2026-01-05']), dateTicks([])]).toEqual([[0], []]);
});
