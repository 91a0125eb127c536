import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { releaseHold } from '@app/contracts/hold-releases';
import type { releaseOrder as contract } from '@app/contracts/orders';
import type { RequestContext } from '@app/messaging/request-headers';
import { statement } from '@app/service-kit/database';
import type { CheckoutDeps } from './checkout-deps.ts';
import { orderIdOf } from './checkout-order.ts';
import { type CheckoutRow, checkoutColumns, checkoutsAndSales, checkoutTypes } from './checkout-row.ts';
import { markDecided } from './decide-upsell.ts';
import { recordSettlement } from './record-settlement.ts';
import { attemptToLookUp, billingDeadlineMs } from './request-payment.ts';

type ReleaseResult = RequestOutput<typeof contract>;

const orderStatement = statement<{ readonly status: 'paid' | 'refunded' | 'authorized' | 'expired' }>(
  'orders-to-release',
  'select status from orders where account_id = $1 and id = $2',
  { status: 'text' },
);
const checkoutStatement = statement<CheckoutRow>(
  'checkouts-to-release',
  `select ${checkoutColumns} from ${checkoutsAndSales} where c.account_id = $1 and c.order_id = $2`,
  checkoutTypes,
);

/**
 * Ends an order whose card is held, without a charge. The hold is billing's, and so is the decision: what a buyer or the timer decided
 * before counts. Billing's event records the end too, should this process die.
 * @throws DomainError order_not_found; invalid_transition for an order that is paid or refunded, or whose hold is being captured;
 *   outcome_unknown when billing's answer was lost: the same request may be sent again
 */
export async function releaseOrder(
  deps: CheckoutDeps,
  orderId: string,
  context: RequestContext,
): Promise<ReleaseResult> {
  const { accountId } = context;
  const [order] = (await deps.database.pool.query(orderStatement([accountId, orderId]))).rows;
  if (order === undefined) throw new DomainError('order_not_found', `No order has the id "${orderId}".`);
  if (order.status === 'expired') return released(orderId);
  if (order.status !== 'authorized') throw isCharged(order.status);
  const [row] = (await deps.database.pool.query(checkoutStatement([accountId, orderId]))).rows;
  if (row === undefined) throw new Error(`the order ${orderId} is held without a checkout`);
  return await release(deps, row, context);
}

async function release(deps: CheckoutDeps, row: CheckoutRow, context: RequestContext): Promise<ReleaseResult> {
  const { requestId, commandId } = context;
  const orderId = orderIdOf(row);
  const attempt = attemptToLookUp(row);
  const call = { accountId: row.account_id, requestId, commandId, deadlineMs: billingDeadlineMs(context) };
  const { status, releasing, ...result } = await deps.requester.request(releaseHold, { orderId, attempt }, call);
  if (status === 'settling' && !releasing) throw isBeingCharged();
  if (status === 'settling') {
    await markDecided(deps, row);
    return { ok: true, orderId, status: 'processing', detail: processingText };
  }
  const source = { requestId, nowMs: deps.clock.nowMs() };
  if ((await recordSettlement(deps.database.pool, row, { ...result, status }, source)) !== undefined) deps.wakeRelay();
  if (status === 'settled') throw isCharged('paid');
  return released(orderId);
}

const released = (orderId: string): ReleaseResult => ({ ok: true, orderId, status: 'released', detail: releasedText });

const releasedText = 'The order has ended, and nothing was charged.';
const processingText =
  'Nothing is charged. The payment processor has not answered yet that the hold is released; the order ends when it has.';

const isCharged = (status: 'paid' | 'refunded'): DomainError =>
  new DomainError(
    'invalid_transition',
    status === 'paid'
      ? 'An order that is paid has no hold that could be released: refund it instead.'
      : 'An order that is refunded has no hold that could be released.',
  );

const isBeingCharged = (): DomainError =>
  new DomainError(
    'invalid_transition',
    'The hold of this order is being captured: the buyer has decided on the upsell, or the time for that is over. Refund the order once it is paid.',
  );
