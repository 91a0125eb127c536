import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import { releaseHold as releaseHoldRequest } from '@app/contracts/hold-releases';
import * as contract from '@app/contracts/payments';
import { listRefundable as listRefundableRequest } from '@app/contracts/refundable-charges';
import type { RequestContext } from '@app/messaging/request-headers';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { continuePayment } from '../charging/continue-payment.ts';
import { getPayment, listOrderPayments, listPayments } from '../charging/list-payments.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { startPayment } from '../charging/start-payment.ts';
import { listOrderDisputes } from '../disputes/dispute-rows.ts';
import { listOrderFees } from '../fees/requests.ts';
import { lookUpAttempt } from '../reconciliation/lost-attempts.ts';
import { listRefundable } from '../refunds/list-refundable.ts';
import { refundCharges } from '../refunds/refund-charges.ts';
import { refundPayment } from '../refunds/refund-payment.ts';
import { releaseHold } from './release-hold.ts';
import { settleHold } from './settle-hold.ts';

/** What checkout and sellers request of payments. It stands above `charging`, `holds` and `refunds`, which do it. */
export function paymentRequests(deps: PaymentDeps): RequestHandler[] {
  return [
    onRequest(contract.startPayment, startOnce(deps)),
    onRequest(contract.continuePayment, ({ orderId }, context) => continuePayment(deps, context, orderId)),
    onRequest(contract.settleHold, ({ orderId, decision }, context) => settleHold(deps, context, orderId, decision)),
    onRequest(releaseHoldRequest, ({ orderId, attempt }, context) => releaseHold(deps, context, orderId, attempt)),
    onRequest(contract.refundCharges, ({ orderId, ...how }, context) => refundCharges(deps, context, orderId, how)),
    onRequest(contract.refundPayment, ({ paymentId, body }, context) => refundPayment(deps, context, paymentId, body)),
    onRequest(listRefundableRequest, (input, { accountId }) => listRefundable(deps.database, accountId, input)),
    onRequest(contract.getPayment, ({ paymentId }, { accountId }) => getPayment(deps.database, accountId, paymentId)),
    onRequest(contract.listPayments, (query, { accountId }) => listPayments(deps.database, accountId, query)),
    onRequest(contract.listOrderPayments, async ({ orderId }, { accountId }) => {
      const [payments, disputes, fees] = await Promise.all([
        listOrderPayments(deps.database, accountId, orderId),
        listOrderDisputes(deps.database, accountId, orderId, limits.listMax),
        listOrderFees(deps.database, accountId, [orderId]),
      ]);
      return { ...payments, disputes, fees: fees.map(({ order_id: _, ...fee }) => fee) };
    }),
  ];
}

/** An attempt that comes twice, as when its answer was lost on the way, waits for the call that is under way: for as long as either caller does. */
function startOnce(deps: PaymentDeps) {
  const underWay = new Map<string, { caller: { deadlineMs: number }; outcome: Promise<contract.PaymentOutcome> }>();
  const make = ({ paymentMethod, ...attempt }: RequestInput<typeof contract.startPayment>, caller: RequestContext) =>
    paymentMethod === null
      ? lookUpAttempt(deps, caller, attempt)
      : startPayment(deps, caller, { ...attempt, paymentMethod });
  return (input: RequestInput<typeof contract.startPayment>, context: RequestContext) => {
    const key = `${context.accountId}/${input.orderId}/${input.attemptNo}`;
    const first = underWay.get(key);
    if (first !== undefined) {
      first.caller.deadlineMs = Math.max(first.caller.deadlineMs, context.deadlineMs);
      return first.outcome;
    }
    const caller = { ...context };
    const outcome = make(input, caller).finally(() => underWay.delete(key));
    underWay.set(key, { caller, outcome });
    return outcome;
  };
}
