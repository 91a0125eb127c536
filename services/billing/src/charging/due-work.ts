import { withoutDailyRunMs } from '@app/contracts/daily-runs';
import { type Database, statement } from '@app/service-kit/database';
import { earliestPerAccount } from '@app/service-kit/fair-share-sql';
import { checkDelaysMs } from './payment.rules.ts';

export interface DueOrder {
  readonly account_id: string;
  readonly order_id: string;
}
export interface DuePayment extends DueOrder {
  readonly id: string;
  readonly step: string;
}

const earliest = (table: string, key: string, dueAt: string, where: string): string =>
  `${earliestPerAccount(table, key, dueAt, `${where} and ${dueAt} <= $1`)} limit 40`;

/**
 * A renewal that its buyer may confirm at the bank, and its release: each keeps everything else of its order out, so that it is
 * looked up all along until it ends.
 */
const awaitsBuyer = `p.request -> 'confirmation' is not null or p.step = 'release' and exists (
  select from payments as r where r.account_id = p.account_id and r.id = p.released_payment_id and r.step = 'renewal')`;

/** As `nextCheckAt`, for the look-up that is claimed. */
const delays = checkDelaysMs.slice(1).map((ms, checks) => `when p.checks = ${checks} then ${ms}`);
const claimPayments = statement<DuePayment>(
  'payments-claim',
  `update payments as p set checks = p.checks + 1,
     next_check_at = $1::timestamptz + interval '1 ms' * case
       when ${awaitsBuyer} then ${checkDelaysMs[1]} ${delays.join(' ')}
       else ${withoutDailyRunMs} end
   where p.id = any (array(
     select id from payments where id = any (array(${earliest('payments', 'id', 'next_check_at', 'next_check_at is not null')}))
       and next_check_at <= $1 for update skip locked))
   returning p.id, p.account_id, p.order_id, p.step`,
  { account_id: 'text', id: 'text', order_id: 'text', step: 'text' },
);

const claimHolds = statement<DueOrder>(
  'holds-claim',
  `update holds as h set due_at = $1::timestamptz + interval '1 minute'
   where (h.account_id, h.order_id) in (
     select account_id, order_id from holds
     where (account_id, order_id) in (${earliest('holds', 'account_id, order_id', 'due_at', `status in ('held', 'settling')`)})
       and status in ('held', 'settling') and due_at <= $1 for update skip locked)
   returning h.account_id, h.order_id`,
  { account_id: 'text', order_id: 'text' },
);

const claimRefunds = statement<DueOrder>(
  'charges-claim-refunds',
  `update charges as c set refund_due_at = $1::timestamptz + interval '1 minute'
   where c.id = any (array(
     select id from charges where id = any (array(${earliest('charges', 'id', 'refund_due_at', 'refund_due_at is not null')}))
       and refund_due_at <= $1 for update skip locked))
   returning c.account_id, c.order_id`,
  { account_id: 'text', order_id: 'text' },
);

export const claimDuePayments = async (database: Database, now: Date): Promise<DuePayment[]> =>
  (await database.pool.query(claimPayments([now]))).rows;

export const claimDueHolds = async (database: Database, now: Date): Promise<DueOrder[]> =>
  (await database.pool.query(claimHolds([now]))).rows;

export const claimDueRefunds = async (database: Database, now: Date): Promise<DueOrder[]> =>
  (await database.pool.query(claimRefunds([now]))).rows;

/** Those of one account that have no end, whatever their next check: the daily run looks up each. */
const unfinished = statement<DuePayment>(
  'payments-unfinished',
  `select id, account_id, order_id, step from payments
   where account_id = $1 and next_check_at is not null and created_at <= $2 and id > $3 order by id limit $4`,
  { account_id: 'text', id: 'text', order_id: 'text', step: 'text' },
);

export const listUnfinishedPayments = async (
  database: Database,
  accountId: string,
  page: { madeBefore: Date; after: string; limit: number },
): Promise<DuePayment[]> =>
  (await database.pool.query(unfinished([accountId, page.madeBefore, page.after, page.limit]))).rows;
