import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { computedFirst } from '@app/service-kit/planner';
import { namesOf } from '@app/service-kit/row-arrays';
import { isDisputed } from '../../charging/wanted-renewal.ts';
import type { Confirmation } from '../../processors/port.ts';
import type { CutOff } from '../../runs/daily-step.ts';

/** Whose charges are due by when. */
export interface DueScope {
  readonly accountId: string;
  /** Those of rehearsals, or those of real buyers. */
  readonly test: boolean;
  readonly now: Date;
  /** This subscription alone; sums leave that out. */
  readonly only?: string;
  /** See `AccountRun.notCharged`. */
  readonly notCharged?: ReadonlySet<string>;
  /** No more than up to there, in the currencies that have one. */
  readonly cutOffs?: readonly CutOff[];
}

/** What a run of the account charges. */
export interface ChargeScope extends DueScope {
  readonly runId: string;
  /** Their buyer is there: how the bank may ask them. */
  readonly confirmation?: Confirmation;
  /** The account's setting. */
  readonly statementSuffix?: string;
}

/** A subscription whose next charge is due; fields are named as the columns. */
export interface DueSubscription {
  readonly id: string;
  readonly order_id: string;
  readonly product_name: string;
  readonly customer_email: string;
  readonly amount_cents: number;
  readonly currency: string;
  /** `past_due`: a retry. */
  readonly status: 'active' | 'past_due';
  readonly failed_tries: number;
  /** The card is lost, stolen or expired: the attempt counts and is reported, and the processor is not called. */
  readonly hard_declined: boolean;
  /** The card is new: its first attempt does not count as another failed one. */
  readonly free_attempt: boolean;
  /** The processor's token: never returned, never logged. Null where nothing is charged (`needsNoPayment`). */
  readonly payment_method: string | null;
  readonly processor: string | null;
  readonly billing_interval: 'month' | 'year';
  readonly test: boolean;
  readonly anchor: Date;
  readonly anchor_period: number;
  /** The last one that was paid; the next one is charged. */
  readonly period: number;
  readonly current_period_end: Date;
  readonly next_charge_at: Date;
}

/**
 * With the processor that its card is charged at. Of a card that was never charged here it is not known whose token it is:
 * then it is the one that the account has chosen.
 */
export type PayableSubscription = DueSubscription & { readonly processor: string };

/** Where a page ended; the next one begins after it. */
export interface DueCursor {
  readonly next_charge_at: Date;
  readonly id: string;
}

const dueTypes: ColumnsOf<DueSubscription> = {
  id: 'text',
  order_id: 'text',
  product_name: 'text',
  customer_email: 'text',
  amount_cents: 'int8',
  currency: 'text',
  status: 'text',
  failed_tries: 'int4',
  hard_declined: 'bool',
  free_attempt: 'bool',
  payment_method: 'text',
  processor: 'text',
  billing_interval: 'text',
  test: 'bool',
  anchor: 'timestamptz',
  anchor_period: 'int4',
  period: 'int4',
  current_period_end: 'timestamptz',
  next_charge_at: 'timestamptz',
};

/**
 * The condition does not name their steps: by these the planner may read all payments of the account along another index while the
 * table has no statistics, because it is young or was restored.
 */
const unfinishedOfAccount = computedFirst(
  'select order_id, step from payments where account_id = $1 and next_check_at is not null',
);

/**
 * The first reading of what `wantsRenewal` compares again under the lock. A renewal whose outcome is unknown is looked up, and no other is begun beside it; nor is one while the order's refund has
 * no end, or while a payment of it is disputed. Open payments of an account are few: they are read once, by
 * `payments_unfinished_of_account`, and not for each subscription. $1 account, $2 test, $3 now
 * @param position number of the parameter with the orders that this run found renewed by a look-up
 */
export const mayBeginNow = (
  position: number,
): string => `account_id = $1 and test = $2 and next_charge_at <= $3 and cancel_requested_by is null and order_id not in (
    select p.order_id from (${unfinishedOfAccount}) as p where p.step in ('renewal', 'refund')
    union all select d.order_id from disputes as d where ${isDisputed}
    union all select unnest($${position}::text[]))`;

/**
 * Whether a subscription is to be charged or ended by then, also while a renewal of it is open, unlike `mayBeginNow`; without
 * rehearsals.
 */
export const isDueEvenIfOpen = (now: string): string => `not test and next_charge_at <= ${now}`;

const nothing: ReadonlySet<string> = new Set();

/** What needs no payment is never cut off. */
const isWithin = (first: number): string => `(amount_cents = 0 or (hard_declined and not free_attempt) or not exists (
    select from unnest($${first}::text[], $${first + 1}::timestamptz[], $${first + 2}::text[]) as last(currency, charge_at, id)
    where last.currency = subscriptions.currency
      and (subscriptions.next_charge_at, subscriptions.id) > (last.charge_at, last.id)))`;
const cutOffValues = (cutOffs: readonly CutOff[]): unknown[] => [
  cutOffs.map(({ currency }) => currency),
  cutOffs.map(({ next_charge_at }) => next_charge_at),
  cutOffs.map(({ id }) => id),
];

const dueText = (more: string): string =>
  `select ${namesOf(dueTypes)} from subscriptions
   where ${mayBeginNow(7)} and (next_charge_at, id) > ($4, $5)${more}
   order by next_charge_at, id limit $6`;
/** Along the index `subscriptions_due`; with nothing due it reads one entry. */
const dueStatement = statement<DueSubscription>('subscriptions-due', dueText(''), dueTypes);
const dueOneStatement = statement<DueSubscription>('subscriptions-due-one', dueText(' and id = $8'), dueTypes);
const dueWithinStatement = statement<DueSubscription>(
  'subscriptions-due-within',
  dueText(` and ${isWithin(8)}`),
  dueTypes,
);

/** What would be charged now, the longest due first. `next_charge_at` has whole milliseconds, so a page ends where the next one begins. */
export async function readDue(
  { pool }: Pick<Database, 'pool'>,
  { accountId, test, now, only, notCharged = nothing, cutOffs }: DueScope,
  { after, limit }: { readonly after: DueCursor | null; readonly limit: number },
): Promise<DueSubscription[]> {
  const from = after === null ? ['-infinity', ''] : [after.next_charge_at, after.id];
  const values = [accountId, test, now, ...from, limit, [...notCharged]];
  const read = (): ReturnType<typeof dueStatement> => {
    if (only !== undefined) return dueOneStatement([...values, only]);
    return cutOffs === undefined ? dueStatement(values) : dueWithinStatement([...values, ...cutOffValues(cutOffs)]);
  };
  return (await pool.query(read())).rows;
}

/** What is due in one currency, first attempts and retries apart. */
export interface DueSum {
  readonly currency: string;
  readonly retry: boolean;
  readonly count: number;
  /** Those of them that charge money: a card that was lost is not charged, and a period may cost nothing. */
  readonly charges: number;
  /** What would be charged, in minor units. */
  readonly cents: number;
}

/** An overdue period waits for its day, long after it fell due. */
const fellDueAt = `case when status = 'active' then current_period_end else next_charge_at end`;

const sumTypes: ColumnsOf<DueSum> = { currency: 'text', retry: 'bool', count: 'int8', charges: 'int8', cents: 'int8' };
const sumText = (more: string): string =>
  `select currency, status = 'past_due' as retry, count(*) as count,
     count(*) filter (where amount_cents > 0 and (not hard_declined or free_attempt)) as charges,
     coalesce(sum(amount_cents) filter (where not hard_declined or free_attempt), 0)::bigint as cents
   from subscriptions where ${mayBeginNow(5)} and next_charge_at > greatest($4::timestamptz, $6) and ${fellDueAt} > $4${more}
   group by 1, 2 order by 1, 2`;
const sumStatement = statement<DueSum>('subscriptions-due-sum', sumText(''), sumTypes);
const sumWithinStatement = statement<DueSum>('subscriptions-due-sum-within', sumText(` and ${isWithin(7)}`), sumTypes);

/** What a sum skips. */
interface Skipped {
  /** What fell due by then. An overdue period may be charged later than it fell due. */
  readonly fellDueBy?: Date;
  /** What could be charged by then. */
  readonly dueBy?: Date;
}

/** How much would be charged now. */
export async function sumDue(
  { pool }: Pick<Database, 'pool'>,
  { accountId, test, now, notCharged = nothing, cutOffs }: DueScope,
  { fellDueBy, dueBy }: Skipped = {},
): Promise<DueSum[]> {
  const values = [accountId, test, now, fellDueBy ?? '-infinity', [...notCharged], dueBy ?? '-infinity'];
  const read = cutOffs === undefined ? sumStatement(values) : sumWithinStatement([...values, ...cutOffValues(cutOffs)]);
  return (await pool.query(read)).rows;
}
