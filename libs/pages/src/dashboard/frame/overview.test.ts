import type { Overview } from '@app/contracts/overview';
import { expect, test } from 'vitest';
import { formatsFor } from '../../formats.ts';
import { overviewTiles } from './overview.ts';

const money = { orders: 43, refunds: 1, mrrCents: 1_900, activeSubscriptions: 1 };
const overview = (previousCents: number, refundedCents = 0): Overview => ({
  ...{ from: '2026-10-02', to: '2026-10-31', previous: { from: '2026-09-02', to: '2026-10-01' }, by: 'day' },
  currencies: [
    {
      currency: 'usd',
      current: { ...money, revenueCents: 11_417_95, refundedCents },
      previous: { ...money, revenueCents: previousCents, refundedCents: 0 },
      series: [],
    },
  ],
  visits: {
    current: { views: 10, conversionRate: 0.3, checkoutOrders: 3 },
    previous: { views: 0, conversionRate: 0, checkoutOrders: 0 },
    series: [],
  },
  ...{ products: [], productCount: 0 },
});
const shown = (of: Overview): string =>
  overviewTiles(of, 'usd', formatsFor('en-US'))
    .text.replaceAll(/<[^>]+>/g, ' ')
    .replaceAll(/ +/g, ' ');

test('a number says in words how it compares with the span before', () => {
  expect(shown(overview(3_012_65))).toContain('Revenue $11,417.95 ▲ +279% $3,012.65 in the 30 days before');
  expect(shown(overview(20_000_00))).toContain('▼ −42.9% $20,000.00 in the 30 days before');
  expect(shown(overview(0))).toContain('Revenue $11,417.95 None in the 30 days before');
  expect(shown(overview(0))).toContain('$19.00 $19.00 30 days ago');
});

test('conversion says of which orders it is made: those recorded by API have no view', () => {
  expect(shown(overview(0))).toContain('Conversion 30% 3 checkout orders of 10 views');
  const one = overview(0);
  const current = { views: 1, conversionRate: 1, checkoutOrders: 1 };
  expect(shown({ ...one, visits: { ...one.visits, current } })).toContain('1 checkout order of 1 view');
});

test('what is left after refunds stands beside the revenue, once there is a refund', () => {
  expect(shown(overview(0, 1_417_95))).toContain('in the 30 days before · $10,000.00 after refunds');
  expect(shown(overview(0))).not.toContain('after refunds');
});
