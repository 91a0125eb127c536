import type { checkoutVisited } from '@app/contracts/checkouts';
import type { EventData, EventEnvelope } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import type { orderPaid, orderRefunded, orderReopened, paymentRefunded, paymentReopened } from '@app/contracts/orders';
import type * as subscriptions from '@app/contracts/subscriptions';
import { monthlyCents } from '@app/money/arithmetic';

/**
 * A new kind needs a function in this file, no column: what only some kinds say is a mark. Its part in the roll-up columns
 * is a sum: what a later kind takes back, such as a refund that failed afterwards, is subtracted, so that facts may come in
 * any order.
 */
export type FactKind =
  | 'order_paid'
  | 'order_refunded'
  | 'order_reopened'
  | 'payment_refunded'
  | 'payment_reopened'
  | 'checkout_visited'
  | 'subscription_started'
  | 'subscription_rebilled'
  | 'subscription_payment_failed'
  | 'subscription_paused'
  | 'subscription_resumed'
  | 'subscription_canceled';

/**
 * What may be true of a fact beside its amounts. `counted_before`: of a refund, or of one that failed afterwards, that leaves
 * the number of orders from which money went back as it is.
 */
export type FactMark = 'bump' | 'upsell' | 'upsell_shown' | 'from_checkout' | 'counted_before';

/** The part of an event that the numbers need; fields are named as the columns. */
export interface Fact {
  readonly event_id: string;
  readonly account_id: string;
  readonly product_id: string;
  /** Both null when the event does not have both. */
  readonly product_name: string | null;
  readonly pricing_type: 'onetime' | 'subscription' | null;
  /** What there is one fact of each kind for; only of pauses, resumes and failed payments a subscription has many. */
  readonly fact_key: string;
  readonly kind: FactKind;
  /** The time that decides the month. */
  readonly occurred_at: string;
  readonly test: boolean;
  readonly currency: string | null;
  readonly amount_cents: number;
  /** What it adds to monthly recurring revenue, which counts active subscriptions alone. */
  readonly mrr_cents: number;
  /** What it adds to the number of active subscriptions: 1, 0 or -1. */
  readonly active_delta: number;
  /** The key of the buyer's address; stored as a hash. Null for kinds that make no customer. */
  readonly email: string | null;
  readonly marks: readonly FactMark[];
}

type EventOf<E> = EventEnvelope<EventData<E>>;

export function factOfOrder(event: EventOf<typeof orderPaid>): Fact {
  const order = event.data;
  return {
    ...aboutSoldProduct(event),
    fact_key: order.orderId,
    kind: 'order_paid',
    occurred_at: order.paidAt,
    currency: order.currency,
    amount_cents: order.totalCents,
    email: emailKey(order.customerEmail),
    marks: marksOf(order),
  };
}

function marksOf(order: EventData<typeof orderPaid>): FactMark[] {
  const has = (kind: 'bump' | 'upsell') => order.items.some((item) => item.kind === kind);
  const marks: Record<Exclude<FactMark, 'counted_before'>, boolean> = {
    bump: has('bump'),
    upsell: has('upsell'),
    // What was bought was shown.
    upsell_shown: has('upsell') || order.upsellShown,
    from_checkout: order.source === 'checkout',
  };
  return (Object.keys(marks) as (keyof typeof marks)[]).filter((mark) => marks[mark]);
}

/** Counts what no refund of a payment said: the total of an order that the seller's own code was paid for. */
export function factOfRefund(event: EventOf<typeof orderRefunded>): Fact {
  return { ...aboutRefund(event), kind: 'order_refunded', occurred_at: event.data.refundedAt };
}

/** Takes back the refund with the same number. */
export function factOfReopening(event: EventOf<typeof orderReopened>): Fact {
  return { ...aboutRefund(event), kind: 'order_reopened', occurred_at: event.data.reopenedAt };
}

function aboutRefund(event: EventOf<typeof orderRefunded | typeof orderReopened>) {
  const { orderId, refundNo, currency, counted } = event.data;
  return {
    ...aboutProduct(event),
    fact_key: `${orderId}/${refundNo}`,
    currency,
    amount_cents: counted.cents,
    marks: marksOfRefund(counted.orders > 0),
  };
}

const marksOfRefund = (counts: boolean): FactMark[] => (counts ? [] : ['counted_before']);

/** A payment, of an order or of a renewal, went back, whole or in part. */
export function factOfPaymentRefund(event: EventOf<typeof paymentRefunded>): Fact {
  const { isFirst, refundedAt } = event.data;
  return { ...aboutPaymentRefund(event, isFirst), kind: 'payment_refunded', occurred_at: refundedAt };
}

/** Takes back the refund of the same id. */
export function factOfPaymentReopening(event: EventOf<typeof paymentReopened>): Fact {
  const { wasLast, reopenedAt } = event.data;
  return { ...aboutPaymentRefund(event, wasLast), kind: 'payment_reopened', occurred_at: reopenedAt };
}

function aboutPaymentRefund(event: EventOf<typeof paymentRefunded | typeof paymentReopened>, counts: boolean) {
  const { refundId, currency, amountCents } = event.data;
  return {
    ...aboutProduct(event),
    fact_key: refundId,
    currency,
    amount_cents: amountCents,
    marks: marksOfRefund(counts),
  };
}

/** Its key is the id of the event: visitors have no names. */
export function factOfVisit(event: EventOf<typeof checkoutVisited>): Fact {
  const { visitedAt } = event.data;
  return { ...aboutSoldProduct(event), fact_key: event.id, kind: 'checkout_visited', occurred_at: visitedAt };
}

export function factOfSubscription(event: EventOf<typeof subscriptions.subscriptionStarted>): Fact {
  const { startedAt } = event.data;
  return { ...aboutSubscription(event, 1), kind: 'subscription_started', occurred_at: startedAt };
}

/** A renewal is revenue of the day of its charge. After failed attempts the subscription is active again. */
export function factOfRenewal(event: EventOf<typeof subscriptions.subscriptionRebilled>): Fact {
  const { subscriptionId, period, statusBefore, statusAfter, chargedAt } = event.data;
  const delta = statusBefore === 'past_due' && statusAfter === 'active' ? 1 : 0;
  return {
    ...aboutSubscription(event, delta),
    fact_key: `${subscriptionId}/${period}`,
    kind: 'subscription_rebilled',
    occurred_at: chargedAt,
  };
}

/** A subscription that was paused or canceled while the charge was under way was removed by that event. */
export function factOfFailedPayment(event: EventOf<typeof subscriptions.subscriptionPaymentFailed>): Fact {
  const { statusBefore, statusAfter, failedAt } = event.data;
  const delta = statusBefore === 'active' && statusAfter === 'past_due' ? -1 : 0;
  return { ...aboutSubscription(event, delta), kind: 'subscription_payment_failed', occurred_at: failedAt };
}

export function factOfPause(event: EventOf<typeof subscriptions.subscriptionPaused>): Fact {
  const { statusBefore, pausedAt } = event.data;
  const delta = statusBefore === 'active' ? -1 : 0;
  return { ...aboutSubscription(event, delta), kind: 'subscription_paused', occurred_at: pausedAt };
}

/** One that was past due when it was paused is past due again. */
export function factOfResumption(event: EventOf<typeof subscriptions.subscriptionResumed>): Fact {
  const { statusAfter, resumedAt } = event.data;
  const delta = statusAfter === 'active' ? 1 : 0;
  return { ...aboutSubscription(event, delta), kind: 'subscription_resumed', occurred_at: resumedAt };
}

export function factOfCancellation(event: EventOf<typeof subscriptions.subscriptionCanceled>): Fact {
  const { statusBefore, canceledAt } = event.data;
  const delta = statusBefore === 'active' ? -1 : 0;
  return { ...aboutSubscription(event, delta), kind: 'subscription_canceled', occurred_at: canceledAt };
}

type SubscriptionEvent =
  | typeof subscriptions.subscriptionStarted
  | typeof subscriptions.subscriptionRebilled
  | typeof subscriptions.subscriptionPaymentFailed
  | typeof subscriptions.subscriptionPaused
  | typeof subscriptions.subscriptionResumed
  | typeof subscriptions.subscriptionCanceled;

/** Recurring revenue is made of price and interval alone, so that what an event takes away is what another one added. */
function aboutSubscription(event: EventOf<SubscriptionEvent>, delta: number) {
  const { subscriptionId, currency, amountCents, billingInterval } = event.data;
  return {
    ...aboutProduct(event),
    fact_key: subscriptionId,
    currency,
    amount_cents: amountCents,
    // Never -0, which is not equal to 0.
    mrr_cents: delta === 0 ? 0 : delta * monthlyCents(amountCents, billingInterval),
    active_delta: delta,
  };
}

/** What every fact has of its event, and of what few facts have nothing. */
function aboutProduct({ id, accountId, data }: EventEnvelope<{ readonly productId: string; readonly test: boolean }>) {
  return { ...nothingElse, event_id: id, account_id: accountId, product_id: data.productId, test: data.test };
}

/** With how the product was named and priced then. */
function aboutSoldProduct(event: EventOf<typeof orderPaid | typeof checkoutVisited>) {
  const { productName, pricingType } = event.data;
  return { ...aboutProduct(event), product_name: productName, pricing_type: pricingType };
}

const nothingElse = {
  product_name: null,
  pricing_type: null,
  currency: null,
  amount_cents: 0,
  mrr_cents: 0,
  active_delta: 0,
  email: null,
  marks: [],
};
