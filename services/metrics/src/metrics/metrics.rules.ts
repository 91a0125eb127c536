import type { MetricsResource } from '@app/contracts/metrics';
import type { ProductMonth, Rollups } from '../rollups/rollups.types.ts';
import { churnFormula, type formulas, fromZero, metricOf, type Parts } from './formulas.rules.ts';

/** The roll-ups of a product without sales. */
export const noRollups: Rollups = {
  currency: null,
  totals: {
    orders: 0,
    order_cents: 0,
    revenue_cents: 0,
    bump_orders: 0,
    upsell_shown_orders: 0,
    upsell_orders: 0,
    checkout_orders: 0,
    views: 0,
    refunds: 0,
    refunded_cents: 0,
    active_subscriptions: 0,
    mrr_cents: 0,
    customers: 0,
  },
  months: [],
};

/** The published numbers of a product, from its roll-ups. Monthly series end with the month of `now`. */
export function assembleMetrics(
  product: Omit<MetricsResource['product'], 'currency'>,
  rollups: Rollups,
  now: Date,
): MetricsResource {
  const value = (metric: keyof typeof formulas): number => metricOf(metric, rollups.totals);
  const months = withoutGaps(rollups.months, now.toISOString().slice(0, 7));
  const subscription = product.pricingType === 'subscription';
  return {
    product: { ...product, currency: rollups.currency },
    summary: {
      revenueCents: value('revenueCents'),
      orders: value('orders'),
      aovCents: value('aovCents'),
      bumpTakeRate: value('bumpTakeRate'),
      upsellTakeRate: value('upsellTakeRate'),
      activeSubscriptions: value('activeSubscriptions'),
      mrrCents: value('mrrCents'),
      refunds: value('refunds'),
      refundedCents: value('refundedCents'),
      refundRate: value('refundRate'),
      views: value('views'),
      conversionRate: value('conversionRate'),
      customers: value('customers'),
    },
    revenueByMonth: months.map(({ month, revenue_cents }) => ({ month, value: revenue_cents })),
    mrrByMonth: subscription ? mrrByMonth(months) : [],
    churnByMonth: subscription ? churnByMonth(months) : [],
  };
}

/** Every month from the first row's to the current one, or to a later row's, when a clock was turned back. */
function withoutGaps(rows: readonly ProductMonth[], current: string): ProductMonth[] {
  const first = rows[0]?.month;
  if (first === undefined) return [];
  const byMonth = new Map(rows.map((row) => [row.month, row]));
  const last = Math.max(monthNumber(current), monthNumber(rows.at(-1)?.month ?? current));
  const filled: ProductMonth[] = [];
  for (let number = monthNumber(first); number <= last; number++) {
    const month = monthName(number);
    filled.push(byMonth.get(month) ?? { ...emptyMonth, month });
  }
  return filled;
}

export const emptyMonth = {
  revenue_cents: 0,
  renewal_cents: 0,
  mrr_delta_cents: 0,
  active_delta: 0,
  started_subscriptions: 0,
  canceled_subscriptions: 0,
};

/** Months since the year 0. */
export const monthNumber = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;

export const monthName = (number: number): string =>
  `${String(Math.floor(number / 12)).padStart(4, '0')}-${String((number % 12) + 1).padStart(2, '0')}`;

/** Recurring revenue at each month's end: the sum of all changes up to it. */
function mrrByMonth(months: readonly ProductMonth[]): MetricsResource['mrrByMonth'] {
  let value = 0;
  return months.map(({ month, mrr_delta_cents }) => {
    value += mrr_delta_cents;
    return { month, value: fromZero(value) };
  });
}

function churnByMonth(months: readonly ProductMonth[]): MetricsResource['churnByMonth'] {
  let active = 0;
  return months.map((row) => {
    const value = churnFormula.value(churnParts(row, active));
    active += row.active_delta;
    return { month: row.month, value };
  });
}

const churnParts = (row: ProductMonth, activeAtStart: number): Parts => ({
  canceled: row.canceled_subscriptions,
  activeAtStart,
  started: row.started_subscriptions,
});

/** The parts of a number that is read by month, and undefined for the others. */
export function partsOfMonth(metric: string, rows: readonly ProductMonth[], month: string): Parts | undefined {
  const row = rows.find((each) => each.month === month) ?? { ...emptyMonth, month };
  const before = rows.filter((each) => each.month < month);
  const activeAtStart = before.reduce((sum, { active_delta }) => sum + active_delta, 0);
  switch (metric) {
    case 'revenueCents':
      return { orderCents: row.revenue_cents - row.renewal_cents, renewalCents: row.renewal_cents };
    case 'mrrCents':
      return { mrrCents: before.reduce((sum, { mrr_delta_cents }) => sum + mrr_delta_cents, row.mrr_delta_cents) };
    case 'activeSubscriptions':
      return { activeSubscriptions: activeAtStart + row.active_delta };
    case 'churn':
      return churnParts(row, activeAtStart);
    default:
      return undefined;
  }
}
