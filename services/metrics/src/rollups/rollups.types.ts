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

/** What a row of `product_days` sums up, and a sum of such rows; who bought first on a day is no sum. */
export type DaySums = Omit<ProductTotals, 'customers'>;

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
  /** Of all amounts; null until the first sale. */
  readonly currency: string | null;
  readonly totals: ProductTotals;
  /** Sorted by month; months without sales are missing. */
  readonly months: readonly ProductMonth[];
}
