import { isOverdue } from '../charging/payment.rules.ts';
import type { Hold } from '../charging/payment.types.ts';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import { readMoney } from '../charging/payment-store.ts';
import type { Caller } from '../charging/start-payment.ts';
import { openPaymentOf } from '../holds/hold-releases.ts';
import { checkAndAdvance } from './advance-order.ts';

/**
 * Looks up the payment that a hold waits for, once its answer is overdue: the caller need not wait for the payments loop. What
 * the processor never got is sent again with its own key, as the loop does.
 */
export async function lookUpOverdue(deps: PaymentDeps, { accountId }: Caller, hold: Hold): Promise<Hold> {
  const { database, clock, processorCalls } = deps;
  const open = openPaymentOf(hold, await readMoney(database, accountId, hold.orderId));
  if (open === undefined || !isOverdue(open, processorCalls.deadlineMs, clock.nowMs())) return hold;
  await checkAndAdvance(deps, accountId, hold.orderId, open.id, open.step);
  return (await readMoney(database, accountId, hold.orderId)).hold ?? hold;
}
