import { DomainError } from '@app/contracts/errors';
import type { HoldResult } from '@app/contracts/payments';
import { isOverdue, openPayment } from '../charging/payment.rules.ts';
import type { Hold } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { readMoney } from '../charging/payment-rows.ts';
import type { Caller } from '../charging/start-payment.ts';
import { decideHold } from '../holds/decide-hold.ts';
import { holdResultOf } from '../holds/hold.rules.ts';
import { checkAndAdvance } from './advance-order.ts';

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

/**
 * Looks up the payment that a hold waits for, once its answer is overdue: the buyer need not wait for the payments loop. What
 * the processor never got is sent again with its own key, as the loop does.
 */
async function lookUpOverdue(deps: PaymentDeps, { accountId }: Caller, hold: Hold): Promise<Hold> {
  const { database, clock, processorCalls } = deps;
  const open = openPayment((await readMoney(database, accountId, hold.order_id)).payments);
  if (open === undefined || !isOverdue(open, processorCalls.deadlineMs, clock.nowMs())) return hold;
  await checkAndAdvance(deps, accountId, hold.order_id, open.id, open.step);
  return (await readMoney(database, accountId, hold.order_id)).hold ?? hold;
}
