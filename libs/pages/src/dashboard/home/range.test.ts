import type { Overview } from '@app/contracts/overview';
import { expect, test } from 'vitest';
import { formatsFor } from '../../formats.ts';
import { overviewTiles } from '../frame/overview.ts';
import { fromFirst, queryOf, type Range, ranges, spanBeforeOf } from './range.ts';

test.each([
  ['today', '2026-03-31', 'day'],
  ['7d', '2026-03-25', 'day'],
  ['30d', '2026-03-02', 'day'],
  ['12m', '2025-04-01', 'month'],
  ['all', '2016-03-24', 'month'],
] as const)('%s begins on %s and is drawn by %s', (range, from, by) => {
  expect(queryOf(range, '2026-03-31T23:59:59.999Z')).toEqual({ from, to: '2026-03-31', by });
  expect(ranges.map(({ id }) => id)).toContain(range);
});

const money = { revenueCents: 0, orders: 0, refunds: 0, refundedCents: 0, mrrCents: 0, activeSubscriptions: 0 };
const visits = { views: 0, conversionRate: 0 };
const months = ['2026-01', '2026-02', '2026-03', '2026-04'];
const overviewOf = (sold: number | null): Overview => ({
  from: '2016-04-20',
  to: '2026-04-20',
  previous: { from: '2006-04-20', to: '2016-04-19' },
  by: 'month',
  currencies: [
    {
      currency: 'usd',
      current: money,
      previous: money,
      series: months.map((date, index) => ({ ...money, date, orders: index === sold ? 1 : 0 })),
    },
  ],
  visits: { current: visits, previous: visits, series: months.map((date) => ({ ...visits, date })) },
  products: [],
  productCount: 0,
});

test.each([
  [1, ['2026-02', '2026-03', '2026-04'], '2026-02-01'],
  [3, ['2026-03', '2026-04'], '2026-03-01'],
  [0, months, '2016-04-20'],
  [null, ['2026-03', '2026-04'], '2026-03-01'],
])('a chart of all begins with the month of the first sale, and has two ends: %s', (sold, expected, from) => {
  const overview = fromFirst(overviewOf(sold));
  expect(overview.currencies[0]?.series.map(({ date }) => date)).toEqual(expected);
  expect(overview.visits.series).toHaveLength(expected.length);
  expect(overview.from).toBe(from);
});

const tilesOf = (range: Range, previousCents: number): string => {
  const overview = overviewOf(null);
  const sold = { ...money, revenueCents: 200, mrrCents: 100 };
  const previous = { ...money, revenueCents: previousCents, mrrCents: 100 };
  const currencies = overview.currencies.map((each) => ({ ...each, current: sold, previous }));
  return overviewTiles({ ...overview, currencies }, 'usd', formatsFor('en-US'), spanBeforeOf(range))
    .text.replaceAll(/<svg.*?<\/svg>|<[^>]+>/gs, ' ')
    .replaceAll(/\s+/g, ' ');
};

test.each([
  ['today', '$1.00 the day before', 'None the day before', '$1.00 the day before'],
  ['7d', '$1.00 in the 7 days before', 'None in the 7 days before', '$1.00 7 days ago'],
  ['12m', '$1.00 in the 12 months before', 'None in the 12 months before', '$1.00 12 months ago'],
] as const)('numbers of %s are compared with the span before in its words', (range, before, none, atEnd) => {
  expect(tilesOf(range, 100)).toContain(`Revenue $2.00 ▲ +100% ${before}`);
  expect(tilesOf(range, 0)).toContain(`Revenue $2.00 ${none}`);
  expect(tilesOf(range, 0)).toContain(`Recurring revenue a month $1.00 ${atEnd}`);
});

test('all is compared with nothing', () => {
  expect(tilesOf('all', 100)).not.toMatch(/before|ago|%.*%/);
});
