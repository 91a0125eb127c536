import { createBatcher } from '@app/service-kit/batcher';
import type { PaymentDeps } from '../../charging/payment-deps.ts';
import { type ChargeScope, type ClaimedRenewal, claimRenewals, type PayableSubscription } from './claim-renewals.ts';

/** Resolves with the payment to send now, or undefined where the renewal is not wanted any more. */
export type BeginRenewal = (due: PayableSubscription) => Promise<ClaimedRenewal | undefined>;

/** As answers are gathered before they are recorded: each statement is a commit and a round trip, and no caller waits for one renewal. */
const lingerMs = 5;

/**
 * Claims renewals right before their calls: what the seller canceled, paused or gave back while they waited is not charged,
 * and a later process finds their payments. Those whose calls may begin at the same time share one statement.
 * @param max renewals of one statement
 */
export function createBeginRenewal(
  { database, clock }: Pick<PaymentDeps, 'database' | 'clock'>,
  scope: ChargeScope,
  max: number,
): BeginRenewal {
  const claims = createBatcher<PayableSubscription, ClaimedRenewal | undefined>({
    maxSize: max,
    lingerMs,
    run: async (due) => {
      const claimed = await claimRenewals(database, scope, due, clock.nowMs());
      const byOrder = new Map(claimed.map((each) => [each.payment.orderId, each]));
      return due.map(({ order_id }) => ({ ok: true, value: byOrder.get(order_id) }));
    },
  });
  return claims.add;
}
