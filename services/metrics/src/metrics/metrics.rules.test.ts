import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ProductMonth } from '../rollups/rollups.types.ts';
import { assembleMetrics, emptyMonth, noRollups } from './metrics.rules.ts';

const product = { id: 'prd_1', name: 'Club', pricingType: 'subscription' } as const;

const month = (name: string, fields: Partial<ProductMonth> = {}): ProductMonth => ({
  ...emptyMonth,
  month: name,
  ...fields,
});

test('rates are fractions of four decimals, and averages are rounded half up', () => {
  const totals = {
    ...noRollups.totals,
    orders: 3,
    order_cents: 1000,
    bump_orders: 2,
    upsell_shown_orders: 8,
    upsell_orders: 1,
    checkout_orders: 1,
    views: 30_000,
    refunds: 1,
  };
  const { summary } = assembleMetrics(product, { currency: 'usd', totals, months: [] }, new Date('2026-01-01'));
  expect(summary).toMatchObject({
    aovCents: 333,
    bumpTakeRate: 0.6667,
    upsellTakeRate: 0.125,
    refundRate: 0.3333,
    conversionRate: 0,
  });
});

test('churn is what left in a month of what was there at its start and what came in it', () => {
  const months = [
    month('2025-12', { active_delta: 4, started_subscriptions: 4 }),
    month('2026-02', { active_delta: 0, started_subscriptions: 1, canceled_subscriptions: 1 }),
    month('2026-03', { active_delta: -2, canceled_subscriptions: 2 }),
  ];
  const metrics = assembleMetrics(product, { ...noRollups, months }, new Date('2026-03-31T23:59:59.999Z'));
  expect(metrics.churnByMonth).toEqual([
    { month: '2025-12', value: 0 },
    { month: '2026-01', value: 0 },
    { month: '2026-02', value: 0.2 },
    { month: '2026-03', value: 0.5 },
  ]);
});

test('rates lie between 0 and 1 and counts are not negative, also for repeated buyers and in any order', () => {
  const totals = { ...noRollups.totals, orders: 2, checkout_orders: 2, views: 1, refunds: -1, refunded_cents: -500 };
  const early = { ...totals, active_subscriptions: -1, mrr_cents: -900 };
  expect(assembleMetrics(product, { ...noRollups, totals: early }, new Date('2026-01-31')).summary).toMatchObject({
    ...{ conversionRate: 1, refunds: 0, refundedCents: 0, refundRate: 0, activeSubscriptions: 0, mrrCents: 0 },
  });
});

test('one-time products have no recurring series', () => {
  const months = [month('2026-01', { revenue_cents: 5 })];
  const metrics = assembleMetrics(
    { ...product, pricingType: 'onetime' },
    { ...noRollups, months },
    new Date('2026-01-31'),
  );
  expect(metrics).toMatchObject({ revenueByMonth: [{ month: '2026-01', value: 5 }], mrrByMonth: [], churnByMonth: [] });
});

test('monthly series have no gaps, lose no amount, and end with the current month', () => {
  const rows = fc.uniqueArray(fc.record({ at: fc.nat(60), cents: fc.nat() }), {
    selector: ({ at }) => at,
    minLength: 1,
  });
  fc.assert(
    fc.property(rows, fc.nat(80), (history, current) => {
      const name = (at: number) => new Date(Date.UTC(2023, at)).toISOString().slice(0, 7);
      const months = history
        .sort((a, b) => a.at - b.at)
        .map(({ at, cents }) => month(name(at), { revenue_cents: cents, mrr_delta_cents: cents }));
      const metrics = assembleMetrics(product, { ...noRollups, months }, new Date(Date.UTC(2023, current)));
      const first = history[0]?.at ?? 0;
      const last = Math.max(current, history.at(-1)?.at ?? 0);
      const expected = Array.from({ length: last - first + 1 }, (_, index) => name(first + index));
      expect(metrics.revenueByMonth.map((entry) => entry.month)).toEqual(expected);
      const revenue = metrics.revenueByMonth.reduce((sum, entry) => sum + entry.value, 0);
      expect(revenue).toBe(history.reduce((sum, entry) => sum + entry.cents, 0));
      expect(metrics.mrrByMonth.at(-1)?.value).toBe(revenue);
    }),
  );
});
