/**
 * What each roll-up column sums up, once: the consumers' statement adds these sums over the facts that are new, the
 * rebuild takes them over all facts. Columns that no kind of fact feeds yet keep their default of 0.
 */
const totals: Record<string, string> = {
  orders: `count(*) filter (where kind = 'order_paid')`,
  order_cents: `coalesce(sum(amount_cents) filter (where kind = 'order_paid'), 0)`,
  revenue_cents: `coalesce(sum(amount_cents) filter (where kind = 'order_paid'), 0)`,
  bump_orders: `count(*) filter (where kind = 'order_paid' and has_bump)`,
  upsell_orders: `count(*) filter (where kind = 'order_paid' and has_upsell)`,
  checkout_orders: `count(*) filter (where kind = 'order_paid' and from_checkout)`,
  active_subscriptions: `count(*) filter (where kind = 'subscription_started')`,
  mrr_cents: `coalesce(sum(mrr_cents), 0)`,
};

const months: Record<string, string> = {
  revenue_cents: `coalesce(sum(amount_cents) filter (where kind = 'order_paid'), 0)`,
  mrr_delta_cents: `coalesce(sum(mrr_cents), 0)`,
  active_delta: `count(*) filter (where kind = 'subscription_started')`,
  started_subscriptions: `count(*) filter (where kind = 'subscription_started')`,
};

export const totalColumns = Object.keys(totals).join(', ');
export const monthColumns = Object.keys(months).join(', ');

const sums = (columns: Record<string, string>): string =>
  Object.entries(columns)
    .map(([column, sum]) => `${sum} as ${column}`)
    .join(', ');

/** `set` list that adds the incoming sums to the row `t`. */
const additions = (columns: Record<string, string>): string =>
  Object.keys(columns)
    .map((column) => `${column} = t.${column} + excluded.${column}`)
    .join(', ');

export const addTotals = additions({ ...totals, customers: '' });
export const addMonths = additions(months);

/** Rehearsals never count. */
export const totalsOf = (facts: string): string =>
  `select account_id, product_id, ${sums(totals)} from ${facts} where not test group by account_id, product_id`;

export const monthsOf = (facts: string): string =>
  `select account_id, product_id, to_char(occurred_at at time zone 'UTC', 'YYYY-MM') as month, ${sums(months)}
   from ${facts} where not test group by account_id, product_id, 3`;

export const customersOf = (facts: string): string =>
  `select distinct account_id, product_id, email_key from ${facts} where not test and email_key is not null`;

/** Advisory lock: batches share it, the rebuild has it alone. Any number will do, the database is ours. */
export const rollupLock = 9_001;
