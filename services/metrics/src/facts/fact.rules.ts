import type { checkoutVisited } from '@app/contracts/checkouts';
import type { EventData, EventEnvelope } from '@app/contracts/define';
import type { orderPaid, orderRefunded, orderReopened } from '@app/contracts/orders';
import type { subscriptionCanceled, subscriptionStarted } from '@app/contracts/subscriptions';
import { divideHalfUp } from '@app/money/arithmetic';

/**
 * A new kind needs a function in this file and its part in the roll-up columns, which are sums: what a later kind takes
 * back, such as a refund that failed afterwards, is subtracted, so that facts may come in any order.
 */
export type FactKind =
  | 'order_paid'
  | 'order_refunded'
  | 'order_reopened'
  | 'checkout_visited'
  | 'subscription_started'
  | 'subscription_canceled';

/** The part of an event that the numbers need; fields are named as the columns. */
export interface Fact {
  readonly event_id: string;
  readonly account_id: string;
  readonly product_id: string;
  /** Both null when the event does not have both. */
  readonly product_name: string | null;
  readonly pricing_type: 'onetime' | 'subscription' | null;
  /** What there is one fact of each kind for. */
  readonly subject_id: string;
  readonly kind: FactKind;
  /** The time that decides the month. */
  readonly occurred_at: string;
  readonly test: boolean;
  readonly currency: string | null;
  readonly amount_cents: number;
  /** What it adds to monthly recurring revenue. */
  readonly mrr_cents: number;
  /** Lower-cased; stored as a hash. Null for kinds that make nobody a customer. */
  readonly email: string | null;
  readonly has_bump: boolean;
  readonly has_upsell: boolean;
  readonly upsell_shown: boolean;
  readonly from_checkout: boolean;
}

type EventOf<E> = EventEnvelope<EventData<E>>;

export function factOfOrder(event: EventOf<typeof orderPaid>): Fact {
  const order = event.data;
  const hasUpsell = order.items.some((item) => item.kind === 'upsell');
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
    has_upsell: hasUpsell,
    // What was bought was shown.
    upsell_shown: hasUpsell || order.upsellShown === true,
    from_checkout: order.source === 'checkout',
  };
}

/** Counts the order's whole total, as revenue does, whether the platform gave it back or the seller. */
export function factOfRefund(event: EventOf<typeof orderRefunded>): Fact {
  return { ...aboutRefund(event), kind: 'order_refunded', occurred_at: event.data.refundedAt };
}

/** Takes back the refund with the same number. */
export function factOfReopening(event: EventOf<typeof orderReopened>): Fact {
  return { ...aboutRefund(event), kind: 'order_reopened', occurred_at: event.data.reopenedAt };
}

function aboutRefund(event: EventOf<typeof orderRefunded | typeof orderReopened>) {
  const { orderId, productId, refundNo, test, currency, totalCents } = event.data;
  return {
    ...nothingElse,
    event_id: event.id,
    account_id: event.accountId,
    product_id: productId,
    subject_id: `${orderId}/${refundNo}`,
    test,
    currency,
    amount_cents: totalCents,
  };
}

/** The event itself is the subject: visitors have no names. */
export function factOfVisit(event: EventOf<typeof checkoutVisited>): Fact {
  const visit = event.data;
  return {
    ...nothingElse,
    event_id: event.id,
    account_id: event.accountId,
    product_id: visit.productId,
    product_name: visit.productName,
    pricing_type: visit.pricingType,
    subject_id: event.id,
    kind: 'checkout_visited',
    occurred_at: visit.visitedAt,
    test: visit.test,
  };
}

export function factOfSubscription(event: EventOf<typeof subscriptionStarted>): Fact {
  const { startedAt, amountCents, billingInterval } = event.data;
  return {
    ...aboutSubscription(event),
    kind: 'subscription_started',
    occurred_at: startedAt,
    mrr_cents: monthlyCents(amountCents, billingInterval),
  };
}

/** Takes away exactly what the start of a subscription of that price adds. */
export function factOfCancellation(event: EventOf<typeof subscriptionCanceled>): Fact {
  const { canceledAt, amountCents, billingInterval } = event.data;
  return {
    ...aboutSubscription(event),
    kind: 'subscription_canceled',
    occurred_at: canceledAt,
    mrr_cents: -monthlyCents(amountCents, billingInterval),
  };
}

function aboutSubscription(event: EventOf<typeof subscriptionStarted | typeof subscriptionCanceled>) {
  const { subscriptionId, productId, test, currency, amountCents } = event.data;
  return {
    ...nothingElse,
    event_id: event.id,
    account_id: event.accountId,
    product_id: productId,
    subject_id: subscriptionId,
    test,
    currency,
    amount_cents: amountCents,
  };
}

const nothingElse = {
  product_name: null,
  pricing_type: null,
  currency: null,
  amount_cents: 0,
  mrr_cents: 0,
  email: null,
  has_bump: false,
  has_upsell: false,
  upsell_shown: false,
  from_checkout: false,
};

/** A yearly price counts a twelfth a month, rounded for each subscription. */
export function monthlyCents(amountCents: number, interval: 'month' | 'year'): number {
  return interval === 'year' ? divideHalfUp(amountCents, 12) : amountCents;
}
