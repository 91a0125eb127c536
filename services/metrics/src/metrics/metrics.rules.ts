import type { MetricsResource } from '@app/contracts/metrics';
import { divideHalfUp, rate } from '@app/money/arithmetic';

/** A row of `product_totals`. */
export interface ProductTotals {
  readonly orders: number;
  readonly order_cents: number;
  readonly revenue_cents: number;
  readonly bump_orders: number;
  readonly upsell_shown_orders: number;
  readonly upsell_orders: number;
  readonly checkout_orders: number;
  readonly views: number;
  readonly refunds: number;
  readonly refunded_cents: number;
  readonly active_subscriptions: number;
  readonly mrr_cents: number;
  readonly customers: number;
}

/** A row of `product_months`. */
export interface ProductMonth {
  /** `YYYY-MM`, UTC. */
  readonly month: string;
  /** Orders and renewals. */
  readonly revenue_cents: number;
  readonly renewal_cents: number;
  readonly mrr_delta_cents: number;
  readonly active_delta: number;
  readonly started_subscriptions: number;
  readonly canceled_subscriptions: number;
}

export interface Rollups {
  readonly totals: ProductTotals;
  /** Sorted by month; months without sales are missing. */
  readonly months: readonly ProductMonth[];
}

/** The roll-ups of a product without sales. */
export const noRollups: Rollups = {
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
export function assembleMetrics(product: MetricsResource['product'], rollups: Rollups, now: Date): MetricsResource {
  const { totals } = rollups;
  const months = withoutGaps(rollups.months, now.toISOString().slice(0, 7));
  const subscription = product.pricingType === 'subscription';
  return {
    product,
    summary: {
      revenueCents: totals.revenue_cents,
      orders: totals.orders,
      aovCents: totals.orders === 0 ? 0 : divideHalfUp(totals.order_cents, totals.orders),
      bumpTakeRate: rate(totals.bump_orders, totals.orders),
      upsellTakeRate: rate(totals.upsell_orders, totals.upsell_shown_orders),
      activeSubscriptions: fromZero(totals.active_subscriptions),
      mrrCents: fromZero(totals.mrr_cents),
      refunds: fromZero(totals.refunds),
      refundedCents: fromZero(totals.refunded_cents),
      refundRate: rate(Math.min(fromZero(totals.refunds), totals.orders), totals.orders),
      views: totals.views,
      // A visitor counts once a day and may buy twice.
      conversionRate: rate(Math.min(totals.checkout_orders, totals.views), totals.views),
      customers: totals.customers,
    },
    revenueByMonth: months.map(({ month, revenue_cents }) => ({ month, value: revenue_cents })),
    mrrByMonth: subscription ? mrrByMonth(months) : [],
    churnByMonth: subscription ? churnByMonth(months) : [],
  };
}

/** An end that is counted before its beginning, as events may come, makes a sum too low for a moment. */
const fromZero = (sum: number): number => Math.max(0, sum);

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

const emptyMonth = {
  revenue_cents: 0,
  renewal_cents: 0,
  mrr_delta_cents: 0,
  active_delta: 0,
  started_subscriptions: 0,
  canceled_subscriptions: 0,
};

/** Months since the year 0. */
const monthNumber = (month: string): number => Number(month.slice(0, 4)) * 12 + Number(month.slice(5)) - 1;

const monthName = (number: number): string =>
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
    const value = churn(row.canceled_subscriptions, active, row.started_subscriptions);
    active += row.active_delta;
    return { month: row.month, value };
  });
}

/**
 * The part of the subscriptions active at a month's start or new in it that was canceled in it. Every cancellation of the
 * month counts, also of a subscription that was paused or past due at its start and is not among the others: 1 at most.
 */
function churn(canceled: number, activeAtStart: number, started: number): number {
  const whole = fromZero(activeAtStart + started);
  return rate(Math.min(canceled, whole), whole);
}
