import { advanceHold } from '../holds/advance-hold.ts';
import { goOnWithRefund } from '../refunds/refund-charges.ts';
import { checkPayment } from './check-payment.ts';
import type { PaymentDeps } from './payment-deps.ts';

/** Billing's own look at a payment, and the steps of its order that waited for the answer. */
export async function checkAndGoOn(
  deps: PaymentDeps,
  accountId: string,
  orderId: string,
  paymentId: string,
  step: string,
): Promise<void> {
  const ended = await checkPayment(deps, accountId, orderId, paymentId);
  if (!ended || step === 'main' || step === 'release' || step === 'renewal') return;
  const caller = { accountId, requestId: null };
  if (step === 'refund') await goOnWithRefund(deps, caller, orderId, false);
  else await deps.turns.take(accountId, orderId, () => advanceHold(deps, caller, orderId, false));
}
