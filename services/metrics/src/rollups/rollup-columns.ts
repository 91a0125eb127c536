import type { ColumnsOf } from '@app/service-kit/database';
import type { DaySums, ProductMonth, ProductTotals } from './rollups.types.ts';

/** Marks of orders that have a column of `facts`. All others are in its column `marks`. */
export const columnOfMark = {
  bump: 'has_bump',
  upsell: 'has_upsell',
  upsell_shown: 'upsell_shown',
  from_checkout: 'from_checkout',
} as const;

const activeSubscriptions = 'coalesce(sum(active_delta), 0)';
/** Of the whole order, and of each renewal that was charged. */
const revenueCents = `coalesce(sum(amount_cents) filter (where kind in ('order_paid', 'subscription_rebilled')), 0)`;

const refundedKinds = `('order_refunded', 'payment_refunded')`;
const reopenedKinds = `('order_reopened', 'payment_reopened')`;
/** Whether a refund changes the number of orders from which money went back: each counts once. */
const isCounted = `('counted_before' = any (marks)) is not true`;

/**
 * What each roll-up column sums up. The consumers' statement adds these sums over new facts, and the rebuild over all
 * facts, portion by portion. A fact that takes another one back is subtracted: the sums are right once both are there,
 * whichever came first.
 */
const totals: Record<keyof DaySums, string> = {
  orders: `count(*) filter (where kind = 'order_paid')`,
  order_cents: `coalesce(sum(amount_cents) filter (where kind = 'order_paid'), 0)`,
  revenue_cents: revenueCents,
  bump_orders: `count(*) filter (where kind = 'order_paid' and has_bump)`,
  upsell_shown_orders: `count(*) filter (where kind = 'order_paid' and upsell_shown)`,
  upsell_orders: `count(*) filter (where kind = 'order_paid' and has_upsell)`,
  checkout_orders: `count(*) filter (where kind = 'order_paid' and from_checkout)`,
  views: `count(*) filter (where kind = 'checkout_visited')`,
  refunds: `count(*) filter (where kind in ${refundedKinds} and ${isCounted})
    - count(*) filter (where kind in ${reopenedKinds} and ${isCounted})`,
  refunded_cents: `coalesce(sum(amount_cents) filter (where kind in ${refundedKinds}), 0)
    - coalesce(sum(amount_cents) filter (where kind in ${reopenedKinds}), 0)`,
  active_subscriptions: activeSubscriptions,
  mrr_cents: `coalesce(sum(mrr_cents), 0)`,
};

const months: Record<Exclude<keyof ProductMonth, 'month'>, string> = {
  revenue_cents: revenueCents,
  renewal_cents: `coalesce(sum(amount_cents) filter (where kind = 'subscription_rebilled'), 0)`,
  mrr_delta_cents: `coalesce(sum(mrr_cents), 0)`,
  active_delta: activeSubscriptions,
  started_subscriptions: `count(*) filter (where kind = 'subscription_started')`,
  canceled_subscriptions: `count(*) filter (where kind = 'subscription_canceled')`,
};
/** The kinds that months have columns for. Visits and refunds, which have none, must not begin the series of a product. */
const monthlyKinds = `('order_paid', 'subscription_started', 'subscription_rebilled', 'subscription_payment_failed',
  'subscription_paused', 'subscription_resumed', 'subscription_canceled')`;

export const productTotalTypes: ColumnsOf<ProductTotals> = {
  orders: 'int8',
  order_cents: 'int8',
  revenue_cents: 'int8',
  bump_orders: 'int8',
  upsell_shown_orders: 'int8',
  upsell_orders: 'int8',
  checkout_orders: 'int8',
  views: 'int8',
  refunds: 'int8',
  refunded_cents: 'int8',
  active_subscriptions: 'int8',
  mrr_cents: 'int8',
  customers: 'int8',
};
const { customers: _, ...typesOfSums } = productTotalTypes;
export const daySumTypes: ColumnsOf<DaySums> = typesOfSums;

/** The columns of `facts` that the sums read. */
export const summedColumns = `kind, amount_cents, mrr_cents, active_delta, marks, ${Object.values(columnOfMark).join(', ')}`;

/** All marks of a fact. */
export const marksOfFact = `array_remove(marks || array[${Object.entries(columnOfMark)
  .map(([mark, column]) => `case when ${column} then '${mark}' end`)
  .join(', ')}], null)`;

const totalColumns = Object.keys(totals).join(', ');
const monthColumns = Object.keys(months).join(', ');

const sums = (columns: Record<string, string>): string =>
  Object.entries(columns)
    .map(([column, sum]) => `${sum} as ${column}`)
    .join(', ');

/** The sums of `product_totals` over the facts of a query, as numbers; who is a customer is no sum. */
export const totalsOf = (facts: string): string =>
  `select ${Object.entries(totals)
    .map(([column, sum]) => `(${sum})::bigint as ${column}`)
    .join(', ')} from (${facts}) as f`;

/** The rows of the account `$1` in a roll-up, of the generation that is read. */
export const ofAccount = `account_id = $1
  and generation = coalesce((select generation from rollup_generations where account_id = $1), 0)`;

/** Sums of rows of `product_days`. */
export const sumsOfDays = Object.keys(totals)
  .map((column) => `sum(${column})::bigint as ${column}`)
  .join(', ');

/** `set` list that adds the incoming sums to the row `t`. */
const additions = (columns: Record<string, string>): string =>
  Object.keys(columns)
    .map((column) => `${column} = t.${column} + excluded.${column}`)
    .join(', ');

/**
 * Adds the facts of the query `new_facts` to the roll-ups of the generations in the query `target` (account_id, generation).
 * Test orders never count. Rows are written table by table (each part reads the one before: customers, totals, months,
 * days) and in key order within a table, so that two replicas with overlapping batches never wait in a circle.
 */
export const addFactsToRollups = `new_customers as (
     insert into customers (account_id, generation, product_id, email_key)
     select account_id, generation, product_id, email_key
     from (select distinct account_id, product_id, email_key from new_facts where not test and email_key is not null) as c
     join target using (account_id)
     order by account_id, product_id, email_key
     on conflict do nothing
     returning account_id, product_id
   ), new_totals as (
     insert into product_totals as t (account_id, generation, product_id, currency, ${totalColumns}, customers)
     select account_id, generation, product_id, currency, ${totalColumns}, coalesce(c.customers, 0)
     from (
       select account_id, product_id, min(currency) as currency, ${sums(totals)}
       from new_facts where not test group by account_id, product_id
     ) as s
     join target using (account_id)
     left join (
       select account_id, product_id, count(*) as customers from new_customers group by account_id, product_id
     ) as c using (account_id, product_id)
     order by account_id, product_id
     on conflict (account_id, generation, product_id) do update set ${additions({ ...totals, customers: '' })},
       currency = least(t.currency, excluded.currency)
     returning 1
   ), new_months as (
     insert into product_months as t (account_id, generation, product_id, month, ${monthColumns})
     select account_id, generation, product_id, month, ${monthColumns}
     from (
       select account_id, product_id, to_char(occurred_at at time zone 'UTC', 'YYYY-MM') as month, ${sums(months)}
       from new_facts where not test and kind in ${monthlyKinds} group by account_id, product_id, 3
     ) as s
     join target using (account_id) cross join (select count(*) from new_totals) as written_before
     order by account_id, product_id, month
     on conflict (account_id, generation, product_id, month) do update set ${additions(months)}
     returning 1
   ), new_days as (
     insert into product_days as t (account_id, generation, day, product_id, ${totalColumns})
     select account_id, generation, day, product_id, ${totalColumns}
     from (
       select account_id, product_id, (occurred_at at time zone 'UTC')::date as day, ${sums(totals)}
       from new_facts where not test group by account_id, product_id, day
     ) as s
     join target using (account_id) cross join (select count(*) from new_months) as written_before
     order by account_id, day, product_id
     on conflict (account_id, generation, day, product_id) do update set ${additions(totals)}
   )`;

/** First key of an account's advisory lock: batches share the lock, a rebuild takes it alone for moments. */
export const rollupLock = 9_001;
