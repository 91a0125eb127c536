import { type Database, statement } from '@app/service-kit/database';
import { type CheckoutRow, checkoutColumns } from '../checkouts/checkout-row.ts';
import type { StalledBounds } from './reminder.rules.ts';
import { boughtSince, keepsOut, lastActive, optedOut } from './reminder-conditions.ts';

/** A checkout whose buyer is to be reminded. */
export interface Stalled extends CheckoutRow {
  /** The lower-cased email. */
  readonly buyer: string;
  /** When it was due for a reminder, before the account's delay. */
  readonly idle_since: Date;
}

/**
 * A buyer's latest checkout of each product, if it has stalled. A newer one that is not idle yet keeps the older ones out.
 * $1 account, $2 now, $3 idle since, $4 opened after, $5 quiet since. The index has the checkouts in this very order.
 */
const stalled = (after: string): string => `
  select c.id, c.buyer, c.product_id, c.created_at, c.idle_since from (
    select distinct on (lower(c.email), c.product_id)
      c.id, lower(c.email) as buyer, c.product_id, c.created_at, ${lastActive} as idle_since
    from checkouts as c
    where c.account_id = $1 and c.status = 'open' and c.email is not null and not c.test ${after}
    order by lower(c.email), c.product_id, c.created_at desc, c.id desc
  ) as c
  where c.idle_since <= $3 and c.created_at > $4
    and not ${boughtSince('$1', 'c.buyer')}
    and not ${optedOut('$1', 'c.buyer')}
    and not exists (
      select from reminders as r where r.account_id = $1 and r.email = c.buyer and r.product_id = c.product_id
        and ${keepsOut('$2', '$5')})`;

const withSales = `
  select ${checkoutColumns}, d.buyer, d.idle_since from due as d
  join checkouts as c on c.account_id = $1 and c.id = d.id
  left join checkout_tries as t on t.account_id = c.account_id and t.checkout_id = c.id and t.try_no = c.try_no`;

const pageStatement = statement(
  'reminders-stalled-page',
  `with due as (
     ${stalled('and (lower(c.email), c.product_id) > ($6, $7)')} order by c.buyer, c.product_id limit $8
   ) ${withSales} order by d.buyer, d.product_id`,
);

const valuesOf = (accountId: string, { now, idleSince, openedAfter, quietSince }: StalledBounds): unknown[] => [
  accountId,
  now,
  idleSince,
  openedAfter,
  quietSince,
];

/** Which buyer and product a page ended with. */
export interface StalledPlace {
  readonly buyer: string;
  readonly product_id: string;
}

export const beforeAll: StalledPlace = { buyer: '', product_id: '' };

/** Stalled checkouts of an account in the order of buyers and products. */
export async function findStalled(
  { pool }: Database,
  accountId: string,
  bounds: StalledBounds,
  after: StalledPlace,
  limit: number,
): Promise<Stalled[]> {
  const values = [...valuesOf(accountId, bounds), after.buyer, after.product_id, limit];
  return (await pool.query<Stalled>(pageStatement(values))).rows;
}

const byProductStatement = statement(
  'reminders-stalled-by-product',
  `select product_id, count(*)::int as count from (${stalled('')}) as due group by product_id order by product_id`,
);

/** How many checkouts of each product have stalled. */
export async function countStalled(
  { pool }: Database,
  accountId: string,
  bounds: StalledBounds,
): Promise<{ product_id: string; count: number }[]> {
  const { rows } = await pool.query<{ product_id: string; count: number }>(
    byProductStatement(valuesOf(accountId, bounds)),
  );
  return rows;
}

const oldestStatement = statement(
  'reminders-stalled-oldest',
  `with due as (
     select id, buyer, idle_since from (${stalled('')}) as s
     where s.product_id = any ($6) and s.id > $7 order by s.id limit $8
   ) ${withSales} order by c.id`,
);

/** Those of some products in the order in which they were opened: ids of checkouts are in that order. */
export async function findOldestStalled(
  { pool }: Database,
  accountId: string,
  bounds: StalledBounds,
  page: { readonly productIds: readonly string[]; readonly afterId: string; readonly limit: number },
): Promise<Stalled[]> {
  const values = [...valuesOf(accountId, bounds), page.productIds, page.afterId, page.limit];
  return (await pool.query<Stalled>(oldestStatement(values))).rows;
}
