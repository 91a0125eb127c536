import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { newId, newIdSuffix } from '@app/contracts/ids';
import type { refundOrder as contract } from '@app/contracts/orders';
import { refundCharges } from '@app/contracts/payments';
import type { RequestContext } from '@app/messaging/request-headers';
import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { isOutage } from '@app/service-kit/outages';
import { recordFailure, recordRefund } from './record-refund.ts';
import { refundedText, refusedText } from './refund-texts.rules.ts';
import { orderColumns, type RefundedOrder, refundColumns, refundFields } from './refunded-order.ts';

export interface RefundDeps {
  readonly database: Database;
  readonly requester: Requester;
  readonly clock: Clock;
  /** Events were committed: they may go out now. */
  readonly wakeRelay: () => void;
}

type RefundResult = RequestOutput<typeof contract>;

/**
 * A paid order gets a refund unless one is under way already. One that the processor refused is asked for again under its
 * number; after one that failed later comes the next number.
 */
const requestStatement = statement(
  'refund-request',
  `with o as (
     select ${orderColumns} from orders as o
     where o.account_id = $1 and o.id = $2 and o.status <> 'expired' for update
   ), last as (
     select ${refundFields} from refunds where account_id = $1 and order_id = $2 order by refund_no desc limit 1
   ), requested as (
     insert into refunds as r (id, account_id, order_id, refund_no, status, request_id, asked_at, created_at)
     select $3, o.account_id, o.id, coalesce((select case when failed_at is null then refund_no else refund_no + 1 end
       from last), 1), 'requested', $4, $5, $5
     from o where o.status = 'paid' and not exists (select from last where status = 'requested')
     on conflict (order_id, refund_no) do update set status = 'requested', request_id = excluded.request_id,
       asked_at = excluded.asked_at, detail = null, finished_at = null
     where r.status = 'failed' and r.account_id = excluded.account_id
     returning ${refundFields}
   )
   select o.*, ${refundColumns} from o left join (
     select ${refundFields} from requested
     union all
     select ${refundFields} from last where not exists (select from requested)
   ) as r on true`,
);

/** Of requests at once a later one finds the refund of the first, or the end of it, when it looks again. */
const looksMax = 5;

/**
 * Refunds the whole order. The refund is committed before billing is asked, so it goes on whoever dies; a refunded order
 * answers the same again.
 * @throws DomainError order_not_found, invalid_transition for an order whose card is held, refund_failed
 */
export async function refundOrder(deps: RefundDeps, orderId: string, context: RequestContext): Promise<RefundResult> {
  const { accountId, requestId } = context;
  for (let look = 0; look < looksMax; look++) {
    const nowMs = deps.clock.nowMs();
    const values = [accountId, orderId, newId('refund', nowMs), requestId, new Date(nowMs)];
    const { rows } = await deps.database.pool.query<RefundedOrder>(requestStatement(values));
    const [order] = rows;
    if (order === undefined) throw new DomainError('order_not_found', `There is no order with the id "${orderId}".`);
    if (order.status === 'authorized') throw heldOnly();
    // The order's lock waited for the statement that refunded it; the refund itself is read as it was before that.
    if (order.status === 'refunded' && order.refund_status !== 'done') continue;
    if (order.status === 'refunded') return refunded(order, order.refunded_cents ?? 0);
    if (order.refund_status === 'requested') return await finishRefund(deps, order, context);
  }
  throw new DomainError('service_unavailable', 'The order is being refunded at the same time; try again.');
}

/**
 * Asks billing for a refund that was requested, and records how it ended. Asking again is harmless: billing refunds each
 * charge once.
 */
export async function finishRefund(
  deps: RefundDeps,
  order: RefundedOrder,
  { requestId, deadlineMs }: Pick<RequestContext, 'requestId' | 'deadlineMs'>,
): Promise<RefundResult> {
  const answer = order.source === 'api' ? nothingCharged : await askBilling(deps, order, requestId, deadlineMs);
  const source = { requestId, nowMs: deps.clock.nowMs() };
  const { pool } = deps.database;
  switch (answer.status) {
    case 'processing':
      return resultOf(
        order,
        'processing',
        0,
        'The processor has not answered yet; the order becomes refunded when it has.',
      );
    case 'failed': {
      const detail = refusedText(order, answer.refundedCents, answer.detail);
      await recordFailure(pool, order, { detail, refundedCents: answer.refundedCents }, source);
      throw new DomainError('refund_failed', detail);
    }
    case 'refunded':
      if (await recordRefund(pool, order, answer.refundedCents, source)) deps.wakeRelay();
      return refunded(order, answer.refundedCents);
  }
}

type Answer = RequestOutput<typeof refundCharges>;

/** The seller's own code took the money of an order that it recorded. */
const nothingCharged: Answer = { status: 'refunded', refundedCents: 0, detail: null };
const notKnown: Answer = { status: 'processing', refundedCents: 0, detail: null };

/** Time enough to record the answer. */
const answerWithinMs = 750;

async function askBilling(
  { requester, clock }: RefundDeps,
  { id, account_id }: RefundedOrder,
  requestId: string,
  deadlineMs: number,
): Promise<Answer> {
  const call = {
    accountId: account_id,
    requestId,
    commandId: newIdSuffix(clock.nowMs()),
    deadlineMs: deadlineMs - answerWithinMs,
  };
  return await requester.request(refundCharges, { orderId: id }, call).catch((err: unknown) => {
    // It is committed here: the sweep asks again, or billing's event tells.
    if (isOutage(err)) return notKnown;
    throw err;
  });
}

const heldOnly = (): DomainError =>
  new DomainError('invalid_transition', 'The card is only held: nothing was charged yet that could be given back.');

function refunded(order: RefundedOrder, refundedCents: number): RefundResult {
  return resultOf(order, 'refunded', refundedCents, refundedText(order, refundedCents));
}

function resultOf(
  { id }: RefundedOrder,
  status: RefundResult['status'],
  refundedCents: number,
  detail: string,
): RefundResult {
  return { ok: true, orderId: id, status, refundedCents, detail };
}
