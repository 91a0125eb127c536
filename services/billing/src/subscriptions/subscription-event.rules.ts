import type { EventData } from '@app/contracts/define';
import type { subscriptionCanceled } from '@app/contracts/subscriptions';
import { monthlyCents } from '@app/money/arithmetic';

/** What every event of a subscription says of it, as its row has it. */
export interface SubscriptionIdentity {
  readonly id: string;
  readonly order_id: string;
  readonly product_id: string;
  readonly product_name: string;
  readonly customer_email: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly billing_interval: 'month' | 'year';
  readonly test: boolean;
}

/** The fields that events of a subscription share. `amountCents` is the price of a period, in minor units. */
export const aboutSubscription = (row: SubscriptionIdentity) => ({
  subscriptionId: row.id,
  orderId: row.order_id,
  productId: row.product_id,
  productName: row.product_name,
  customerEmail: row.customer_email,
  amountCents: row.amount_cents,
  currency: row.currency,
  billingInterval: row.billing_interval,
  mrrCents: monthlyCents(row.amount_cents, row.billing_interval),
  test: row.test,
});

export interface CanceledSubscription extends SubscriptionIdentity {
  readonly canceled_at: Date;
  readonly status_before: 'active' | 'past_due' | 'paused';
}

/** Endpoints get every cancellation that the seller made or allowed: what a buyer cancels counts as the seller's, what a bank does not. */
export const canceledData = (
  row: CanceledSubscription,
  reason: 'seller' | 'buyer' | 'refund' | 'dispute',
): EventData<typeof subscriptionCanceled> => ({
  ...aboutSubscription(row),
  canceledAt: row.canceled_at.toISOString(),
  statusBefore: row.status_before,
  reason,
  sendWebhook: true,
});
