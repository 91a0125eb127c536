import { type Database, statement } from '@app/service-kit/database';
import { type CheckoutRow, checkoutColumns, checkoutTypes } from '../checkouts/checkout-row.ts';
import { lastActive } from '../checkouts/last-active.ts';
import type { StalledBounds } from './reminder.rules.ts';
import { canReceive, hasBought, isDone, keepsOut, optedOut } from './reminder-conditions.ts';

/** A checkout whose buyer is to be reminded. */
export interface Stalled extends CheckoutRow {
  /** The key of the email. */
  readonly buyer: string;
  /** When it was due for a reminder, before the account's delay. */
  readonly idle_since: Date;
}

/** A buyer's latest checkout of each product: a newer one that is not idle yet keeps the older ones out. */
const latest = (after: string): string => `
  select distinct on (c.email_key, c.product_id)
    c.id, c.email_key as buyer, c.product_id, c.created_at, ${lastActive} as idle_since
  from checkouts as c
  where c.account_id = $1 and c.status = 'open' and c.email is not null and not c.test and ${canReceive} ${after}
  order by c.email_key, c.product_id, c.created_at desc, c.id desc`;

/** Of a latest checkout `c`. $1 account, $2 now, $3 idle since, $4 opened after, $5 quiet since. */
const isDue = (isKeptOut: string): string => `c.idle_since <= $3 and c.created_at > $4
    and not ${hasBought('$1', 'c.buyer')}
    and not ${optedOut('$1', 'c.buyer')}
    and not exists (
      select from reminders as r where r.account_id = $1 and r.email_key = c.buyer and r.product_id = c.product_id
        and ${isKeptOut})`;

/**
 * What is only claimed is due: a run sends it, or its process died, and the next run does.
 * @param only where the statement has the one buyer whom the account may remind, or null
 */
const stalled = (only: string): string => `
  select c.id, c.buyer, c.product_id, c.idle_since from (${latest('')}) as c
  where ${isDue(isDone('$2', '$5'))} and (${only}::text is null or c.buyer = ${only})`;

const stalledTypes = { ...checkoutTypes, buyer: 'text', idle_since: 'timestamptz' } as const;
const withSales = `
  select ${checkoutColumns}, d.buyer, d.idle_since from due as d
  join checkouts as c on c.account_id = $1 and c.id = d.id
  left join checkout_attempts as t on t.account_id = c.account_id and t.checkout_id = c.id and t.attempt_no = c.attempt_no`;

/** The index has the checkouts in this very order, so a scan reads what it returns, wherever it begins. */
const scanStatement = statement<Scanned>(
  'reminders-scan',
  `with scanned as materialized (${latest('and (c.email_key, c.product_id) > ($6, $7)')} limit $8)
   select c.id, c.buyer, c.product_id, ${isDue(keepsOut('$2', '$5'))} as due from scanned as c order by c.buyer, c.product_id`,
  { buyer: 'text', due: 'bool', id: 'text', product_id: 'text' },
);

const rowsStatement = statement<Stalled>(
  'reminders-rows',
  `with due as (
     select c.id, c.email_key as buyer, ${lastActive} as idle_since from checkouts as c
     where c.account_id = $1 and c.id = any ($2) and c.status = 'open' and c.email is not null
   ) ${withSales} order by d.buyer, c.product_id`,
  stalledTypes,
);

const boundValues = (accountId: string, { now, idleSince, openedAfter, quietSince }: StalledBounds): unknown[] => [
  accountId,
  now,
  idleSince,
  openedAfter,
  quietSince,
];

/** As many as are read at once: a run's memory does not grow with the account. */
const scannedAtOnce = 500;

interface Scanned {
  readonly id: string;
  readonly buyer: string;
  readonly product_id: string;
  readonly due: boolean;
}

/**
 * Stalled checkouts of an account in pages, each buyer and product once, in their order.
 * @param boundsOf as of the moment when checkouts are read
 */
export async function* stalledPages(
  { pool }: Database,
  accountId: string,
  boundsOf: () => StalledBounds,
  pageSize: number,
): AsyncGenerator<Stalled[]> {
  let last: Pick<Scanned, 'buyer' | 'product_id'> | undefined = { buyer: '', product_id: '' };
  while (last !== undefined) {
    const values: unknown[] = [...boundValues(accountId, boundsOf()), last.buyer, last.product_id, scannedAtOnce];
    const { rows: scanned } = await pool.query(scanStatement(values));
    const due = scanned.filter((row) => row.due).map(({ id }) => id);
    for (let from = 0; from < due.length; from += pageSize) {
      const ids = due.slice(from, from + pageSize);
      yield (await pool.query(rowsStatement([accountId, ids]))).rows;
    }
    last = scanned.length < scannedAtOnce ? undefined : scanned.at(-1);
  }
}

const byProductStatement = statement<{ product_id: string; count: number }>(
  'reminders-stalled-by-product',
  `select product_id, count(*)::int as count from (${stalled('$6')}) as due group by product_id order by product_id`,
  { count: 'int4', product_id: 'text' },
);

/**
 * How many checkouts of each product have stalled.
 * @param only as `onlyRecipient` gives it
 */
export async function countStalled(
  { pool }: Database,
  accountId: string,
  bounds: StalledBounds,
  only: string | null,
): Promise<{ product_id: string; count: number }[]> {
  const { rows } = await pool.query(byProductStatement([...boundValues(accountId, bounds), only]));
  return rows;
}

/** Those that a run takes under the ceiling are the first in its order, not the oldest. */
const oldestStatement = statement<Stalled>(
  'reminders-stalled-oldest',
  `with taken as (
     select s.id, s.buyer, s.idle_since from (${stalled('$10')}) as s
     where s.product_id = any ($6) order by s.buyer, s.product_id limit $7
   ), due as (
     select id, buyer, idle_since from taken where id > $8 order by id limit $9
   ) ${withSales} order by c.id`,
  stalledTypes,
);

/**
 * Those of some products that a run with `room` for so many reminders takes, in the order in which they were opened: ids of
 * checkouts are in that order. `only` as `onlyRecipient` gives it.
 */
export async function findOldestStalled(
  { pool }: Database,
  accountId: string,
  bounds: StalledBounds,
  page: {
    readonly productIds: readonly string[];
    readonly room: number;
    readonly afterId: string;
    readonly limit: number;
    readonly only: string | null;
  },
): Promise<Stalled[]> {
  const { productIds, room, afterId, limit, only } = page;
  const values = [...boundValues(accountId, bounds), productIds, room, afterId, limit, only];
  return (await pool.query(oldestStatement(values))).rows;
}
