import { DomainError } from '@app/contracts/errors';
import type { HoldResult } from '@app/contracts/payments';
import { statement } from '@app/service-kit/database';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { Caller } from '../payments/start-payment.ts';
import { type AdvancedHold, advanceHold } from './advance-hold.ts';
import { holdResultOf } from './hold.rules.ts';

/** The one door: whoever gets the row out of `held` decides. A minute later the payments loop goes on if nobody did. */
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
  const knock = async (): Promise<AdvancedHold | undefined> => {
    const nowMs = deps.clock.nowMs();
    const values = [caller.accountId, orderId, decision, new Date(nowMs), new Date(nowMs + goesOnAfterMs)];
    await deps.database.pool.query(decideStatement(values));
    return await deps.turns.take(caller.accountId, orderId, () => advanceHold(deps, caller, orderId, again));
  };
  const advanced = await knock();
  // The card was held between the two statements.
  return advanced?.hold.status === 'held' ? await knock() : advanced;
}

/**
 * The buyer's knock at the hold's door.
 * @throws DomainError `invalid_transition` for an order that has no hold
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
  return holdResultOf(advanced.hold);
}
