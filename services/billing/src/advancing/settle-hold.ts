import { DomainError } from '@app/contracts/errors';
import type { HoldResult } from '@app/contracts/payments';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import type { Caller } from '../charging/start-payment.ts';
import { decideHold } from '../holds/decide-hold.ts';
import { holdResultOf } from '../holds/hold.rules.ts';
import { lookUpOverdue } from './look-up-overdue.ts';

/**
 * Settles a hold as its buyer decides on the upsell; after an earlier decision it returns the result of that one. A payment of
 * it whose answer is overdue is looked up.
 * @throws DomainError invalid_transition for an order that has no hold
 */
export async function settleHold(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  decision: 'accepted' | 'declined',
): Promise<HoldResult> {
  const advanced = await decideHold(deps, caller, orderId, decision, { retryCapture: false });
  if (advanced === undefined) {
    throw new DomainError('invalid_transition', `The order "${orderId}" has no hold that could be settled.`);
  }
  const { hold } = advanced;
  return holdResultOf(hold.status === 'settling' ? await lookUpOverdue(deps, caller, hold) : hold);
}
