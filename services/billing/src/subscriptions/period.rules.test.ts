import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nthPeriodEnd } from './period.rules.ts';

const day = (date: Date): string => date.toISOString().slice(0, 10);
const ends = (anchor: string, interval: 'month' | 'year', count: number): string[] =>
  Array.from({ length: count }, (_, index) => day(nthPeriodEnd(new Date(anchor), interval, index + 1)));

test('a monthly subscription of the 31st ends on the last day of short months and comes back to the 31st', () => {
  expect(ends('2026-01-31T08:00:00.000Z', 'month', 4)).toEqual([
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
    '2026-05-31',
  ]);
  expect(ends('2027-12-31T23:59:59.999Z', 'month', 3)).toEqual(['2028-01-31', '2028-02-29', '2028-03-31']);
});

test('a yearly subscription of 29 February ends on the 28th in common years and on the 29th in leap years', () => {
  expect(ends('2028-02-29T00:00:00.000Z', 'year', 4)).toEqual(['2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']);
});

const anchors = fc.date({ min: new Date('1970-01-01'), max: new Date('2100-12-31'), noInvalidDate: true });
const intervals = fc.constantFrom('month', 'year');
const lastDay = (date: Date): number =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

test('period n ends n months or years after the anchor, on its day or the month’s last, at its time', () => {
  fc.assert(
    fc.property(anchors, intervals, fc.integer({ min: 1, max: 600 }), (anchor, interval, n) => {
      const end = nthPeriodEnd(anchor, interval, n);
      const months = (date: Date): number => date.getUTCFullYear() * 12 + date.getUTCMonth();
      expect(months(end) - months(anchor)).toBe(n * (interval === 'year' ? 12 : 1));
      expect(end.getUTCDate()).toBe(Math.min(anchor.getUTCDate(), lastDay(end)));
      expect(end.getTime() % 86_400_000).toBe(anchor.getTime() % 86_400_000);
    }),
  );
});

test('a later period ends later', () => {
  fc.assert(
    fc.property(anchors, intervals, fc.integer({ min: 1, max: 600 }), (anchor, interval, n) => {
      expect(nthPeriodEnd(anchor, interval, n).getTime()).toBeGreaterThan(anchor.getTime());
      expect(nthPeriodEnd(anchor, interval, n + 1).getTime()).toBeGreaterThan(
        nthPeriodEnd(anchor, interval, n).getTime(),
      );
    }),
  );
});
