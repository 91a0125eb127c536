import { dailyRunNoticed } from '@app/contracts/daily-runs';
import { notifyOnce } from '@app/messaging/notify-once';
import { outboxRow } from '@app/messaging/outbox';
import type { EventHandling } from './event-deps.ts';

const payoutFailedText = (payout: string): string =>
  `Stripe could not pay out to your bank account (payout ${payout}). Until you correct the bank account in your Stripe Dashboard, Stripe pays nothing more out to it.`;

/** The seller is notified, and nothing is recorded. */
export const payouts: EventHandling = {
  objectKind: 'payout',
  types: ['payout.failed'],
  handle: async ({ database, clock, wakeRelay }, { account_id: accountId, test, object_id }) => {
    if (test) return 'done';
    const now = clock.now();
    const data = { code: 'failed', summary: payoutFailedText(object_id), orderId: null, test } as const;
    const event = outboxRow(dailyRunNoticed, data, { accountId, requestId: null, nowMs: now.getTime() });
    const key = `payout failed ${object_id}`;
    if ((await notifyOnce(database.pool, [{ accountId, key, event }], { now })) > 0) wakeRelay();
    return 'done';
  },
};
