import type { CardWallet } from '@app/contracts/card-wallets';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/subscriptions';
import type { ColumnsOf } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import { type ActBy, paidUntil, type SubscriptionState } from './subscription-change.rules.ts';
import type { SubscriptionIdentity } from './subscription-event.rules.ts';

export type SubscriptionResource = RequestOutput<typeof contract.listSubscriptions>['data'][number];
export type ChangedSubscription = RequestOutput<typeof contract.cancelSubscription>;

type Dates = 'started_at' | 'current_period_end' | 'canceled_at' | 'paused_at' | 'next_charge_at';

export interface SubscriptionRow extends Omit<SubscriptionResource, Dates | 'cancel_at' | 'wallet'> {
  readonly wallet: CardWallet | null;
  readonly cancel_requested_by: ActBy | null;
  readonly anchor: Date;
  readonly anchor_period: number;
  readonly period: number;
  readonly started_at: Date;
  readonly current_period_end: Date;
  readonly canceled_at: Date | null;
  readonly paused_at: Date | null;
  readonly paused_by: ActBy | null;
  readonly next_charge_at: Date | null;
}

export const identityTypes: ColumnsOf<SubscriptionIdentity> = {
  id: 'text',
  order_id: 'text',
  product_id: 'text',
  product_name: 'text',
  customer_email: 'text',
  amount_cents: 'int8',
  currency: 'text',
  billing_interval: 'text',
  test: 'bool',
};

/** Everything that is shown, and what says which period it is in; not the payment method. */
export const subscriptionTypes: ColumnsOf<SubscriptionRow> = {
  ...identityTypes,
  status: 'text',
  collection: 'text',
  started_at: 'timestamptz',
  current_period_end: 'timestamptz',
  canceled_at: 'timestamptz',
  paused_at: 'timestamptz',
  next_charge_at: 'timestamptz',
  failed_tries: 'int4',
  last_four: 'text',
  wallet: 'text',
  anchor: 'timestamptz',
  anchor_period: 'int4',
  period: 'int4',
  cancel_requested_by: 'text',
  paused_by: 'text',
};
export const subscriptionColumns = namesOf(subscriptionTypes);

/** How a statement updates what `stateValues` are the values of. */
export const stateColumns = `status = $3, collection = $4, canceled_at = $5, paused_at = $6, next_charge_at = $7, failed_tries = $8,
  hard_declined = $9, free_attempt = $10, anchor = $11, anchor_period = $12, period = $13, current_period_end = $14,
  cancel_requested_by = $15, paused_by = $16, paused_retry_at = $17`;

export const stateValues = (accountId: string, id: string, state: SubscriptionState): unknown[] => [
  ...[accountId, id, state.status, state.collection, state.canceled_at, state.paused_at, state.next_charge_at],
  ...[state.failed_tries, state.hard_declined, state.free_attempt, state.anchor, state.anchor_period, state.period],
  ...[state.current_period_end, state.cancel_requested_by, state.paused_by, state.paused_retry_at],
];

/** @param now for a test subscription the time of its rehearsal */
export function subscriptionOf(row: SubscriptionRow, now: Date): SubscriptionResource {
  const current_period_end = (paidUntil(row, now).current_period_end ?? row.current_period_end).toISOString();
  const renews = row.cancel_requested_by === null;
  return {
    id: row.id,
    order_id: row.order_id,
    product_id: row.product_id,
    product_name: row.product_name,
    customer_email: row.customer_email,
    amount_cents: row.amount_cents,
    currency: row.currency,
    billing_interval: row.billing_interval,
    status: row.status,
    collection: row.collection,
    started_at: row.started_at.toISOString(),
    current_period_end,
    canceled_at: row.canceled_at?.toISOString() ?? null,
    paused_at: row.paused_at?.toISOString() ?? null,
    paused_by: row.paused_by,
    cancel_at: renews ? null : current_period_end,
    next_charge_at: renews ? (row.next_charge_at?.toISOString() ?? null) : null,
    failed_tries: row.failed_tries,
    last_four: row.last_four,
    wallet: row.wallet,
    test: row.test,
  };
}

/** For an id of no subscription, and for another account's. */
export const noSubscription = (id: string): DomainError =>
  new DomainError('subscription_not_found', `There is no subscription with the id "${id}".`);
