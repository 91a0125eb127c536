import type { EventData, EventEnvelope } from '@app/contracts/define';
import type { orderPaid } from '@app/contracts/orders';
import type { subscriptionStarted } from '@app/contracts/subscriptions';
import { divideHalfUp } from '@app/money/arithmetic';

/** A new kind needs a function in this file and its part in the roll-up columns. */
export type FactKind = 'order_paid' | 'subscription_started';

/** The part of an event that the numbers need; fields are named as the columns. */
export interface Fact {
  readonly event_id: string;
  readonly account_id: string;
  readonly product_id: string;
  /** Null when the event has no name. */
  readonly product_name: string | null;
  readonly pricing_type: 'onetime' | 'subscription';
  /** Id of the order or subscription. */
  readonly subject_id: string;
  readonly kind: FactKind;
  /** The time that decides the month. */
  readonly occurred_at: string;
  readonly test: boolean;
  readonly currency: string;
  readonly amount_cents: number;
  /** What it adds to monthly recurring revenue. */
  readonly mrr_cents: number;
  /** Lower-cased; stored as a hash. Null for kinds that make nobody a customer. */
  readonly email: string | null;
  readonly has_bump: boolean;
  readonly has_upsell: boolean;
  readonly from_checkout: boolean;
}

export function factOfOrder(event: EventEnvelope<EventData<typeof orderPaid>>): Fact {
  const order = event.data;
  return {
    event_id: event.id,
    account_id: event.accountId,
    product_id: order.productId,
    product_name: order.productName,
    pricing_type: order.pricingType,
    subject_id: order.orderId,
    kind: 'order_paid',
    occurred_at: order.paidAt,
    test: order.test,
    currency: order.currency,
    amount_cents: order.totalCents,
    mrr_cents: 0,
    email: order.customerEmail.toLowerCase(),
    has_bump: order.items.some((item) => item.kind === 'bump'),
    has_upsell: order.items.some((item) => item.kind === 'upsell'),
    from_checkout: order.source === 'checkout',
  };
}

export function factOfSubscription(event: EventEnvelope<EventData<typeof subscriptionStarted>>): Fact {
  const subscription = event.data;
  return {
    event_id: event.id,
    account_id: event.accountId,
    product_id: subscription.productId,
    product_name: null,
    pricing_type: 'subscription',
    subject_id: subscription.subscriptionId,
    kind: 'subscription_started',
    occurred_at: subscription.startedAt,
    test: subscription.test,
    currency: subscription.currency,
    amount_cents: subscription.amountCents,
    mrr_cents: monthlyCents(subscription.amountCents, subscription.billingInterval),
    email: null,
    has_bump: false,
    has_upsell: false,
    from_checkout: false,
  };
}

/** A yearly price counts a twelfth a month, rounded for each subscription. */
export function monthlyCents(amountCents: number, interval: 'month' | 'year'): number {
  return interval === 'year' ? divideHalfUp(amountCents, 12) : amountCents;
}
