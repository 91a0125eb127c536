import { type Client, statement } from '@app/service-kit/database';
import type { Subscription } from './subscription-change.rules.ts';
import { type SubscriptionRow, subscriptionColumns, subscriptionTypes } from './subscription-rows.ts';

type LockedSubscriptionRow = SubscriptionRow & Subscription;

const lockStatement = statement<LockedSubscriptionRow>(
  'subscriptions-lock-to-change',
  `select ${subscriptionColumns}, hard_declined, free_attempt, paused_retry_at from subscriptions
   where account_id = $1 and order_id = $2 for no key update`,
  { ...subscriptionTypes, hard_declined: 'bool', free_attempt: 'bool', paused_retry_at: 'timestamptz' },
);

/** The subscription of an order, locked before its payments, as claiming and recording a renewal lock them; undefined where there is none. */
export async function lockSubscription(
  client: Client,
  accountId: string,
  orderId: string,
): Promise<LockedSubscriptionRow | undefined> {
  return (await client.query(lockStatement([accountId, orderId]))).rows[0];
}
