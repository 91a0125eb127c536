import { type Database, statement } from '@app/service-kit/database';
import { besideOthersSql } from '../charging/payment.rules.ts';

/** Those whose window has passed, and those that were decided and could not be captured yet. @param hold the alias */
export const holdIsDue = (hold: string, now: string): string =>
  `(${hold}.status = 'settling' or (${hold}.status = 'held' and ${hold}.decide_by <= ${now}))`;

/** Whose money is to be taken: not those that the seller has released. */
const isToBeTaken = (hold: string): string => `${hold}.decision is distinct from 'released'`;

/** Those that a run could have settled by then, and whose money is expected: not those of rehearsals. @param hold the alias */
export const holdWaitsSince = (hold: string, by: string): string =>
  `(not ${hold}.test and ${isToBeTaken(hold)} and ${hold}.status in ('held', 'settling') and least(${hold}.decide_by, ${hold}.decided_at) <= ${by})`;

const ofOrder = (alias: string): string => `${alias}.account_id = h.account_id and ${alias}.order_id = h.order_id`;

/** What the upsell of a hold `h` costs while its buyer has accepted it and no charge for it has begun; otherwise 0. */
export const upsellLeftCents = `case when h.decision = 'accepted'
    and exists (select from payment_methods as m where ${ofOrder('m')})
    and not exists (select from payments as u where ${ofOrder('u')} and u.step = 'upsell')
  then (h.upsell ->> 'amountCents')::bigint else 0 end`;

/** The look-up of a payment without an end goes on with its hold, and has its money. */
const isLookedUp = `exists (select from payments as o where ${ofOrder('o')}
  and o.step not in ${besideOthersSql} and o.next_check_at is not null)`;

const leftCents = `h.amount_cents - h.captured_cents + ${upsellLeftCents}`;

interface Scope {
  readonly accountId: string;
  readonly now: Date;
}

export interface DueHold {
  readonly order_id: string;
  readonly customer_email: string;
  readonly product_name: string;
  /** What is left to capture, and to charge for an upsell. */
  readonly amount_cents: number;
  readonly currency: string;
  readonly due_at: Date;
}

const readStatement = statement<DueHold>(
  'holds-due-preview',
  `select h.order_id, p.customer_email, p.product_name, ${leftCents} as amount_cents, h.currency,
     h.decide_by as due_at
   from holds as h join payments as p on p.id = h.payment_id
   where h.account_id = $1 and not h.test and h.order_id > $3 and ${holdIsDue('h', '$2')} and ${isToBeTaken('h')}
     and not ${isLookedUp}
   order by h.order_id limit $4`,
  {
    amount_cents: 'int8',
    currency: 'text',
    customer_email: 'text',
    due_at: 'timestamptz',
    order_id: 'text',
    product_name: 'text',
  },
);

/** Holds that a run would settle now, without rehearsals, by the ids of their orders. */
export async function readHoldsDue({ pool }: Database, scope: Scope, after: string, limit: number): Promise<DueHold[]> {
  return (await pool.query(readStatement([scope.accountId, scope.now, after, limit]))).rows;
}

const sumStatement = statement<{ currency: string; count: number; cents: number }>(
  'holds-due-sum',
  `select currency, count(*) as count, sum(${leftCents})::bigint as cents
   from holds as h where account_id = $1 and not test and ${holdIsDue('h', '$2')} and ${isToBeTaken('h')}
     and not ${isLookedUp}
   group by currency order by currency`,
  { cents: 'int8', count: 'int8', currency: 'text' },
);

export async function sumHoldsDue(
  { pool }: Database,
  { accountId, now }: Scope,
): Promise<{ currency: string; count: number; cents: number }[]> {
  return (await pool.query(sumStatement([accountId, now]))).rows;
}
