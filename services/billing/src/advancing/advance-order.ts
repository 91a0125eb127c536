import { checkPayment } from '../charging/check-payment.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { advanceHold } from '../holds/advance-hold.ts';
import { advanceRefund } from '../refunds/refund-charges.ts';

/** What of an order goes on once a payment for it has ended: its refund, or its hold. */
const nextFollows = new Set(['refund', 'capture', 'upsell', 'recharge', 'release']);

/**
 * Looks a payment up at the processor; once it has ended, goes on with the refund or the hold of its order that waited for it. A
 * release may be of a hold. Nothing here waits for the end of the other purposes: their events say it.
 */
export async function checkAndAdvance(
  deps: PaymentDeps,
  accountId: string,
  orderId: string,
  paymentId: string,
  step: string,
): Promise<void> {
  const ended = await checkPayment(deps, accountId, orderId, paymentId);
  if (!ended || !nextFollows.has(step)) return;
  const caller = { accountId, requestId: null };
  if (step === 'refund') await advanceRefund(deps, caller, orderId);
  else await deps.orderMutex.run(accountId, orderId, () => advanceHold(deps, caller, orderId, { retryCapture: false }));
}
