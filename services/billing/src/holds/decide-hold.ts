import { refuseLate } from '@app/messaging/request-headers';
import { statement } from '@app/service-kit/database';
import type { PaymentDeps } from '../charging/payment-deps.ts';
import type { Caller } from '../charging/start-payment.ts';
import { type AdvancedHold, advanceHold, type HowFar } from './advance-hold.ts';

/** Only the caller that changes the row from `held` decides. If its process dies, the payments loop goes on a minute later. */
const decideStatement = statement(
  'holds-decide',
  `update holds set status = 'settling', decision = $3, decided_at = $4, due_at = $5
   where account_id = $1 and order_id = $2 and status = 'held'`,
);
const goesOnAfterMs = 60_000;

export type HoldDecision = 'accepted' | 'declined' | 'not_decided';

/**
 * Stores the decision on a hold, unless one is stored already, and then captures it and charges the upsell, as far as that goes.
 * @returns undefined for an order without a hold
 * @throws DomainError service_unavailable where its caller may have given up before
 */
export async function decideHold(
  deps: PaymentDeps,
  caller: Caller,
  orderId: string,
  decision: HoldDecision,
  how: HowFar,
): Promise<AdvancedHold | undefined> {
  const decide = async (): Promise<AdvancedHold | undefined> => {
    refuseLate(caller);
    const nowMs = deps.clock.nowMs();
    const values = [caller.accountId, orderId, decision, new Date(nowMs), new Date(nowMs + goesOnAfterMs)];
    await deps.database.pool.query(decideStatement(values));
    return await deps.orderMutex.run(caller.accountId, orderId, () => advanceHold(deps, caller, orderId, how));
  };
  const advanced = await decide();
  // The card was held between the statement above and the reading of the hold.
  return advanced?.hold.status === 'held' ? await decide() : advanced;
}
