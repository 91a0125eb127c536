import { DomainError } from '@app/contracts/errors';
import type { PaymentOutcome } from '@app/contracts/payments';
import { lookUpPayment, paymentAfter } from './look-up-payment.ts';
import {
  hasEnded,
  isOverdue,
  isSentAgainForBuyer,
  lostFrom,
  mainPayment,
  paymentOutcomeOf,
  sendUntilMs,
} from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { markSentAgain, readMoney } from './payment-store.ts';
import { sendPayment } from './send-payment.ts';
import type { Caller } from './start-payment.ts';

/**
 * How an order's main payment stands; the processor is queried if it may have changed, and for a payment whose answer is
 * overdue: the buyer need not wait for the payments loop. What the processor has not got is sent again under its key while the buyer
 * has just begun to pay; later they are notified here too that it may be tried again.
 * @throws DomainError invalid_transition when no payment of the order was tried
 */
export async function continuePayment(deps: PaymentDeps, caller: Caller, orderId: string): Promise<PaymentOutcome> {
  const { accountId, requestId } = caller;
  const { payments } = await readMoney(deps.database, accountId, orderId);
  const payment = mainPayment(payments);
  if (payment === undefined) {
    throw new DomainError('invalid_transition', `The order "${orderId}" has no payment that could be continued.`);
  }
  const now = await refreshPayment(deps, payment, requestId);
  return { ...paymentOutcomeOf(now), ...(await clientSecretOf(deps, now)) };
}

/**
 * What the processor's script confirms with: it is read at the processor each time, and stored nowhere. Without it the buyer
 * may retry.
 */
export async function clientSecretOf(
  { processors, processorCalls, logger }: PaymentDeps,
  payment: Payment,
): Promise<{ readonly clientSecret?: string }> {
  const { status, actionUrl, releasing, processor: name, processorReference: reference } = payment;
  if (status !== 'requires_action' || actionUrl !== null || releasing || reference === null) return {};
  const { accountId, test } = payment;
  try {
    const { processor, ...keys } = await processors.named(name, accountId, test);
    const read = async (signal: AbortSignal) =>
      (await processor.clientSecret?.(reference, { accountId, ...keys, test, signal })) ?? null;
    const clientSecret = await processorCalls.make(read);
    return clientSecret === null ? {} : { clientSecret };
  } catch (err) {
    logger.warn({ err, accountId, orderId: payment.orderId, paymentId: payment.id }, 'a client secret was not read');
    return {};
  }
}

/** A buyer's payment as it stands now: looked up unless it has ended, or its answer is on its way, and sent again where it got lost. */
export async function refreshPayment(deps: PaymentDeps, payment: Payment, requestId: string | null): Promise<Payment> {
  if (hasEnded(payment) || payment.releasing || isOnItsWay(deps, payment)) return payment;
  const found = await lookUpPayment(deps, payment, { requestId });
  return found === 'not received' ? await sendAgain(deps, payment, requestId) : paymentAfter(payment, found);
}

/** Of several requests at once one sends it. A copy that is under way still is the same payment to the processor. */
async function sendAgain(deps: PaymentDeps, payment: Payment, requestId: string | null): Promise<Payment> {
  const { database, clock, processorCalls } = deps;
  const nowMs = clock.nowMs();
  if (!isSentAgainForBuyer(payment, processorCalls.deadlineMs, nowMs)) return payment;
  const sent = await markSentAgain(database, payment, new Date(nowMs), lostFrom(nowMs, processorCalls.deadlineMs));
  return sent === undefined ? payment : await sendPayment(deps, sent, { requestId }, sendUntilMs(payment));
}

/** A process waits for its answer: this process, or by its deadline another one. */
function isOnItsWay({ processorCalls, clock }: PaymentDeps, payment: Payment): boolean {
  if (payment.status !== 'sent') return false;
  return processorCalls.has(payment.id) || !isOverdue(payment, processorCalls.deadlineMs, clock.nowMs());
}
