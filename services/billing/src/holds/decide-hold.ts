import { statement } from '@app/service-kit/database';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import type { Caller } from '../payments/start-payment.ts';
import { type AdvancedHold, advanceHold } from './advance-hold.ts';

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
