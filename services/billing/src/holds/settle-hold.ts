import { DomainError } from '@app/contracts/errors';
import type { HoldResult } from '@app/contracts/payments';
import { statement } from '@app/service-kit/database';
import { checkAndAdvance } from '../payments/advance-order.ts';
import { isOverdue, openPayment } from '../payments/payment.rules.ts';
import type { Hold } from '../payments/payment.types.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { readMoney } from '../payments/payment-rows.ts';
import type { Caller } from '../payments/start-payment.ts';
import { type AdvancedHold, advanceHold } from './advance-hold.ts';
import { holdResultOf } from './hold.rules.ts';

/** Only the caller that changes the row from `held` decides. If its process dies, the payments loop goes on a minute later. */
const decideStatement = statement(
  'holds-decide',
  `update holds set status = 'settling', decision = $3, decided_at = $4, due_at = $5
   where account_id = $1 and order_id = $2 and status = 'held'`,
);
const goesOnAfterMs = 60_000;

export type Decision = 'accepted' | 'declined' | 'not_decided';

/** Decides on a hold, unless that was done before, and takes it as far as it goes; undefined for an order without one. */
export async function decideHold(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  decision: Decision,
  again: boolean,
): Promise<AdvancedHold | undefined> {
  const decide = async (): Promise<AdvancedHold | undefined> => {
    const nowMs = deps.clock.nowMs();
    const values = [caller.accountId, orderId, decision, new Date(nowMs), new Date(nowMs + goesOnAfterMs)];
    await deps.database.pool.query(decideStatement(values));
    return await deps.orderMutex.run(caller.accountId, orderId, () => advanceHold(deps, caller, orderId, again));
  };
  const advanced = await decide();
  // The card was held between the statement above and the reading of the hold.
  return advanced?.hold.status === 'held' ? await decide() : advanced;
}

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
  const advanced = await decideHold(deps, caller, orderId, decision, false);
  if (advanced === undefined) {
    throw new DomainError('invalid_transition', `Nothing is held for the order "${orderId}".`);
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
