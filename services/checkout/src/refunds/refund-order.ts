import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { newId, newIdSuffix } from '@app/contracts/ids';
import type { refundOrder as contract } from '@app/contracts/orders';
import { refundCharges } from '@app/contracts/payments';
import { answerWithinMs } from '@app/contracts/time-outs';
import type { RequestContext } from '@app/messaging/request-headers';
import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { isOutage } from '@app/service-kit/outages';
import { lockOrders } from './lock-orders.ts';
import { readPaymentRefunds, recordPaymentRefunds } from './payment-refunds.ts';
import { recordFailure, recordRefund } from './record-refund.ts';
import {
  noPaymentText,
  processingText,
  refundedText,
  refusedChargeText,
  refusedText,
  renewalMayBeChargedText,
  renewalRefusedText,
  renewalUnderWayText,
} from './refund-texts.rules.ts';
import { orderColumns, type RefundedOrder, refundColumns, refundedTypes, refundFields } from './refunded-order.ts';

export interface RefundDeps {
  readonly database: Database;
  readonly requester: Requester;
  readonly clock: Clock;
  /** Events were committed: they may go out now. */
  readonly wakeRelay: () => void;
}

type RefundResult = RequestOutput<typeof contract>;

/**
 * A paid order gets a refund unless one is under way already. One that the processor refused is requested again under its
 * number, and so is one that is under way without the renewals; after one that failed later comes the next number.
 */
const requestStatement = statement<RefundedOrder>(
  'refund-request',
  `with o as (
     select ${orderColumns} from orders as o
     where o.account_id = $1 and o.id = $2 for update
   ), last as (
     select ${refundFields} from refunds where account_id = $1 and order_id = $2 order by refund_no desc limit 1
   ), requested as (
     insert into refunds as r (id, account_id, order_id, refund_no, status, request_id, checked_at, created_at, renewals,
       attempt, expected_cents)
     select $3, o.account_id, o.id, coalesce((select case when failed_at is null then refund_no else refund_no + 1 end
       from last), 1), 'requested', $4, $5, $5, $6, coalesce((select attempt from last), 0) + 1, $7
     from o where o.status = 'paid' and not exists (
       select from last where status = 'requested' and (renewals or not $6))
     on conflict (order_id, refund_no) do update set status = 'requested', request_id = excluded.request_id,
       checked_at = excluded.checked_at, detail = null, finished_at = null, renewals = excluded.renewals,
       attempt = excluded.attempt, expected_cents = excluded.expected_cents
     where r.account_id = excluded.account_id
       and (r.status = 'failed' or (r.status = 'requested' and excluded.renewals and not r.renewals))
     returning ${refundFields}
   )
   select o.*, ${refundColumns} from o left join (
     select ${refundFields} from requested
     union all
     select ${refundFields} from last where not exists (select from requested)
   ) as r on true`,
  refundedTypes,
);

/** Of requests at once a later one finds the refund of the first, or the end of it, when it reads again. */
const readsMax = 5;

/**
 * Refunds the whole order, and its renewals where that is requested. The refund is committed before the request to billing, so it
 * goes on whichever process dies; a refunded order answers the same again.
 * @throws DomainError order_not_found, invalid_transition for an order whose card is held, or that ended without a charge, amount_changed, refund_failed
 */
export async function refundOrder(
  deps: RefundDeps,
  orderId: string,
  { renewals = false, expectedCents }: NonNullable<RequestInput<typeof contract>['body']>,
  context: RequestContext,
): Promise<RefundResult> {
  const { accountId, requestId } = context;
  for (let reads = 0; reads < readsMax; reads++) {
    const nowMs = deps.clock.nowMs();
    const values = [
      accountId,
      orderId,
      newId('refund', nowMs),
      requestId,
      new Date(nowMs),
      renewals,
      expectedCents ?? null,
    ];
    const { rows } = await deps.database.pool.query(requestStatement(values));
    const [order] = rows;
    if (order === undefined) throw new DomainError('order_not_found', `No order has the id "${orderId}".`);
    if (order.status === 'authorized') throw heldOnly();
    if (order.status === 'expired') throw neverCharged();
    // The order's lock waited for the statement that refunded it; the refund itself is read as it was before that.
    if (order.status === 'refunded' && order.refund_status !== 'done') continue;
    if (order.status === 'refunded') return await refundedBefore(deps, order, { renewals, expectedCents }, context);
    if (order.refund_status === 'requested') return await finishRefund(deps, order, context);
  }
  throw new DomainError('service_unavailable', 'Another request is refunding this order: repeat the request.');
}

/** The order went back before; its renewals are billing's alone, which goes on with them by itself. */
async function refundedBefore(
  deps: RefundDeps,
  order: RefundedOrder,
  { renewals, expectedCents }: { readonly renewals: boolean; readonly expectedCents: number | undefined },
  context: RequestContext,
): Promise<RefundResult> {
  if (!renewals) return await refunded(deps, order, order.refunded_cents ?? 0);
  return await endRefund(
    deps,
    order,
    await requestRefund(
      deps,
      { ...order, renewals: true, attempt: null, expected_cents: expectedCents ?? null },
      context,
    ),
    context,
  );
}

/**
 * Requests a refund from billing, and records how it ended. A request that comes again is harmless: billing
 * refunds each charge once, and repeats no refund that the processor refused.
 */
export async function finishRefund(
  deps: RefundDeps,
  order: RefundedOrder,
  context: Pick<RequestContext, 'requestId' | 'deadlineMs'>,
): Promise<RefundResult> {
  const answer = await requestRefund(deps, order, context).catch(async (err: unknown) => {
    // It has ended: another request, for the amount that there is now, goes on under its number.
    if (err instanceof DomainError && err.code === 'amount_changed') {
      const source = { requestId: context.requestId, nowMs: deps.clock.nowMs() };
      await recordFailure(deps.database.pool, order, { detail: err.message, refundedCents: 0 }, source);
    }
    throw err;
  });
  return await endRefund(deps, order, answer, context);
}

async function endRefund(
  deps: RefundDeps,
  requested: RefundedOrder,
  answer: Answer,
  { requestId }: Pick<RequestContext, 'requestId'>,
): Promise<RefundResult> {
  const source = { requestId, nowMs: deps.clock.nowMs() };
  const { status, orderRefunded, refundedCents, refunds } = answer;
  if (isUnknownThere(requested, answer)) {
    await recordFailure(deps.database.pool, requested, { detail: noPaymentText, refundedCents }, source);
    throw new DomainError('refund_failed', noPaymentText);
  }
  const order = await deps.database.transaction(async (client) => {
    const [locked = requested] = await lockOrders(client, [{ accountId: requested.account_id, orderId: requested.id }]);
    const after = await recordPaymentRefunds(client, locked, refunds, source);
    const own = refunds.reduce((sum, { period, amountCents }) => sum + (period === null ? amountCents : 0), 0);
    if (orderRefunded) await recordRefund(client, { ...after, ...numberRequested(requested) }, own, source);
    return after;
  });
  deps.wakeRelay();
  if (status !== 'failed') return await resultOfAnswer(deps, order, answer);
  const detail = orderRefunded ? renewalRefusedText(answer.detail) : refusedText(order, refundedCents, answer.detail);
  if (!orderRefunded) await recordFailure(deps.database.pool, requested, { detail, refundedCents }, source);
  const code = answer.disputed ? 'payment_disputed' : 'refund_failed';
  // The order keeps what it was refused for; the caller reads why at once.
  const disputedDetail = answer.disputed ? answer.detail : null;
  const errors = answer.refused?.map((charge) => ({
    field: `payments.${charge.paymentId}`,
    code,
    message: refusedChargeText(charge, order.currency),
  }));
  throw new DomainError(code, disputedDetail ?? detail, errors);
}

async function resultOfAnswer(
  deps: RefundDeps,
  order: RefundedOrder,
  { status, refundedCents, orderRefunded, renewalUnderWay }: Answer,
): Promise<RefundResult> {
  const underWay = renewalUnderWay && { renewalUnderWay };
  if (status === 'refunded') {
    const text = `${refundedText(order, refundedCents)}${renewalUnderWay ? ` ${renewalMayBeChargedText}` : ''}`;
    return { ...(await refundResult(deps, order, 'refunded', refundedCents, text)), ...underWay };
  }
  const text = renewalUnderWay && !orderRefunded ? renewalUnderWayText : processingText(orderRefunded);
  return { ...(await refundResult(deps, order, 'processing', 0, text)), ...underWay };
}

/** Billing has no payment of an order that was paid: its database was restored from an older backup, say. */
const isUnknownThere = (
  { status: before, source, total_cents }: RefundedOrder,
  { status, refundedCents }: Answer,
): boolean =>
  before === 'paid' && source === 'checkout' && total_cents > 0 && status === 'refunded' && refundedCents === 0;

/** Billing answered the request that was read before, whatever was written since. */
const numberRequested = ({ refund_no, refund_status, failed_at, attempt }: RefundedOrder) => ({
  refund_no,
  refund_status,
  failed_at,
  attempt,
});

type Answer = RequestOutput<typeof refundCharges>;

const notKnown: Answer = { status: 'processing', refundedCents: 0, detail: null, orderRefunded: false, refunds: [] };

async function requestRefund(
  { requester, clock }: RefundDeps,
  { id, account_id, renewals, attempt, source, total_cents, expected_cents }: RefundedOrder,
  { requestId, deadlineMs }: Pick<RequestContext, 'requestId' | 'deadlineMs'>,
): Promise<Answer> {
  const call = {
    accountId: account_id,
    requestId,
    commandId: newIdSuffix(clock.nowMs()),
    deadlineMs: deadlineMs - answerWithinMs,
  };
  const input = {
    orderId: id,
    ...(renewals === true && { renewals }),
    ...(attempt !== null && { attempt }),
    ...(expected_cents !== null && { expectedCents: expected_cents }),
    // Nothing of it was charged there: the command itself ends its subscription.
    ...((source === 'api' || total_cents === 0) && { chargedElsewhere: true }),
  };
  return await requester.request(refundCharges, input, call).catch((err: unknown) => {
    // It is committed here or there: the sweep repeats the request, or billing's event says it.
    if (isOutage(err)) return notKnown;
    throw err;
  });
}

const heldOnly = (): DomainError =>
  new DomainError(
    'invalid_transition',
    'An order whose card is held and not charged cannot be refunded: release the hold instead (releaseOrder).',
  );

const neverCharged = (): DomainError =>
  new DomainError('invalid_transition', 'An order that ended without a charge has nothing to refund.');

async function refunded(deps: RefundDeps, order: RefundedOrder, refundedCents: number): Promise<RefundResult> {
  return await refundResult(deps, order, 'refunded', refundedCents, refundedText(order, refundedCents));
}

async function refundResult(
  { database }: RefundDeps,
  order: RefundedOrder,
  status: RefundResult['status'],
  refundedCents: number,
  detail: string,
): Promise<RefundResult> {
  const payments = await readPaymentRefunds(database.pool, order);
  return { ok: true, orderId: order.id, status, refundedCents, detail, payments };
}
