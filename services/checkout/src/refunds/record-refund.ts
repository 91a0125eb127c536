import { newId } from '@app/contracts/ids';
import { orderRefunded, orderReopened } from '@app/contracts/orders';
import { insertOutboxIfAny, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { Source } from '../checkouts/checkout-order.ts';
import type { Queryable } from '../checkouts/checkout-row.ts';
import { aboutOrder, isCounted, type RefundedOrder } from './refunded-order.ts';

/** Where `done` has the order, its checkout shows the new status, and the event is written. */
const shownAs = (status: 'paid' | 'refunded', before: 'paid' | 'refunded') => `shown as (
     update checkouts set status = '${status}', revision = revision + 1
     where account_id = $1 and order_id = $2 and status = '${before}' and exists (select from done)
   ), events as (
     ${insertOutboxIfAny('done', '$6')}
   )`;

/** Locks the order first, as the consumers of billing's events do: of the two at once neither waits for the other in a circle. */
const refundStatement = statement(
  'refund-record',
  `with locked as materialized (
     select id from orders where account_id = $1 and id = $2 and status = 'paid' for update
   ), done as (
     insert into refunds as r (id, account_id, order_id, refund_no, status, refunded_cents, uncounted_cents, request_id,
       attempt, checked_at, created_at, finished_at)
     select $7, $1, id, $3, 'done', $4, $8, $9, $10, $5, $5, $5 from locked
     on conflict (order_id, refund_no) do update set status = 'done', refunded_cents = excluded.refunded_cents,
       uncounted_cents = excluded.uncounted_cents, finished_at = excluded.finished_at
     where r.account_id = excluded.account_id and (r.status = 'requested' or (r.status = 'failed' and r.failed_at is null))
     returning id
   ), refunded as (
     update orders set status = 'refunded', refunded_at = $5
     where account_id = $1 and id = $2 and status = 'paid' and exists (select from done)
   ), ${shownAs('refunded', 'paid')}
   select from done`,
);

/**
 * Records that every charge was given back: the order, its checkout, the refund and the event in one statement. Done by
 * whichever comes first, billing's reply or its event. It also mends a refund that an earlier, slower reply calls refused:
 * money that was given back is a fact. Where the seller refunded the payments one by one, this is the refund's first row.
 * @returns whether it was done now
 */
export async function recordRefund(
  db: Queryable,
  order: RefundedOrder,
  refundedCents: number,
  { requestId, nowMs }: Source,
): Promise<boolean> {
  const { account_id: accountId, id } = order;
  const refundNo = numberOf(order);
  const refundedAt = new Date(nowMs);
  const cents = order.total_cents - order.order_refunded_cents;
  const counted = { orders: isCounted(order) || order.total_cents === 0 ? 0 : 1, cents };
  const data = { ...aboutOrder(order), refundedCents, refundNo, refundedAt: refundedAt.toISOString(), counted };
  const event = outboxRow(orderRefunded, data, { accountId, requestId, nowMs });
  const done = [accountId, id, refundNo, refundedCents, refundedAt, JSON.stringify([event])];
  const made = [newId('refund', nowMs), cents, requestId ?? '', (order.attempt ?? 0) + 1];
  return (await db.query(refundStatement([...done, ...made]))).rowCount === 1;
}

/** After a refund that failed afterwards comes the next number, unless it failed while it was under way. */
function numberOf({ refund_no, refund_status, failed_at }: RefundedOrder): number {
  if (refund_no === null) return 1;
  return failed_at === null || refund_status === 'requested' ? refund_no : refund_no + 1;
}

const failStatement = statement(
  'refund-record-failure',
  `update refunds set status = 'failed', detail = $4, finished_at = $5, refunded_cents = $6
   where account_id = $1 and order_id = $2 and refund_no = $3 and status = 'requested'`,
);

/** The processor refused all or a part: the order stays paid, and a later attempt goes on under the same number. */
export async function recordFailure(
  db: Queryable,
  { account_id, id, refund_no }: RefundedOrder,
  { detail, refundedCents }: { readonly detail: string; readonly refundedCents: number },
  { nowMs }: Source,
): Promise<void> {
  await db.query(failStatement([account_id, id, refund_no, detail, new Date(nowMs), refundedCents]));
}

const reopenStatement = statement(
  'refund-reopen',
  `with done as (
     update orders set status = 'paid', refunded_at = null
     where account_id = $1 and id = $2 and status = 'refunded'
     returning id
   ), failed as (
     update refunds set detail = $4, failed_at = greatest(failed_at, $5),
       status = case when status = 'done' then 'failed' else status end
     where account_id = $1 and order_id = $2 and refund_no = $3
   ), ${shownAs('paid', 'refunded')}
   select from done`,
);

/**
 * Records that a refund failed after it had been taken. A refunded order is paid again, with an event; while the refund
 * is still under way only the time is written down, so that what billing said of it before is void.
 * @returns whether the order was reopened now
 */
export async function recordReopening(
  db: Queryable,
  order: RefundedOrder,
  detail: string,
  { requestId, nowMs }: Source,
): Promise<boolean> {
  const { account_id: accountId, id } = order;
  const refundNo = order.refund_no ?? 1;
  const failedAt = new Date(nowMs);
  const counted = {
    orders: order.given_back_cents > 0 || order.total_cents === 0 ? 0 : 1,
    cents: order.uncounted_cents ?? order.total_cents,
  };
  const data = { ...aboutOrder(order), refundNo, detail, reopenedAt: failedAt.toISOString(), counted };
  const event = outboxRow(orderReopened, data, { accountId, requestId, nowMs });
  const values = [accountId, id, refundNo, detail, failedAt, JSON.stringify([event])];
  return (await db.query(reopenStatement(values))).rowCount === 1;
}
