import { DomainError } from '@app/contracts/errors';
import type { PaymentOutcome } from '@app/contracts/payments';
import { lookUpPayment, standing } from './look-up-payment.ts';
import { hasEnded, mainPayment, openRelease, outcomeOf } from './payment.rules.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { readMoney } from './payment-rows.ts';
import type { Caller } from './start-payment.ts';

/**
 * How an order's main payment stands; the processor is asked if it may have changed. What the processor never got is sent
 * again by the payments loop alone: the first copy may still be on its way.
 * @throws DomainError `invalid_transition` when no payment of the order was tried
 */
export async function continuePayment(deps: PaymentDeps, caller: Caller, orderId: string): Promise<PaymentOutcome> {
  const { accountId, requestId } = caller;
  const { payments } = await readMoney(deps.database, accountId, orderId);
  const payment = mainPayment(payments);
  if (payment === undefined) {
    throw new DomainError('invalid_transition', `No payment was started for the order "${orderId}".`);
  }
  if (hasEnded(payment) || payment.status === 'sent') return outcomeOf(payment);
  // It is being given up: what the bank says meanwhile may no longer be so a moment later.
  if (openRelease(payments) !== undefined) return { ...outcomeOf(payment), status: 'processing', action: null };
  return outcomeOf(standing(payment, await lookUpPayment(deps, payment, { requestId, charges: [] })));
}
