import type { affiliatePaid } from '@app/contracts/affiliates';
import { countryName } from '@app/contracts/countries';
import type { EventData } from '@app/contracts/define';
import type { funnelEmailSynced } from '@app/contracts/funnels';
import type {
  orderExpired,
  orderPaid,
  orderRefunded,
  orderReopened,
  paymentRefunded,
  upsellAccepted,
} from '@app/contracts/orders';
import type {
  subscriptionCanceled,
  subscriptionPaused,
  subscriptionPaymentFailed,
  subscriptionRebilled,
  subscriptionResumed,
} from '@app/contracts/subscriptions';
import type {
  AffiliatePaidPayload,
  FunnelEmailSyncPayload,
  OrderExpiredPayload,
  OrderPaidPayload,
  OrderRefundedPayload,
  OrderReopenedPayload,
  PaymentRefundedPayload,
  SubscriptionCanceledPayload,
  SubscriptionPausedPayload,
  SubscriptionPaymentFailedPayload,
  SubscriptionRebilledPayload,
  SubscriptionResumedPayload,
  UpsellAcceptedPayload,
} from '@app/contracts/webhook-payloads';
import { formatAmount } from '@app/money/format';

/** The published payload. `sentAt` is when the event occurred, so it is the same on every attempt. */
export function orderPaidPayload(order: EventData<typeof orderPaid>, sentAt: string): OrderPaidPayload {
  return {
    event: 'order.paid',
    orderId: order.orderId,
    product: order.productName,
    productId: order.productId,
    email: order.customerEmail,
    name: order.customerName,
    firstName: firstWord(order.customerName),
    country: (order.country && countryName(order.country)) ?? '',
    countryCode: order.country ?? '',
    totalCents: order.totalCents,
    total: formatAmount(order.totalCents, order.currency),
    currency: order.currency,
    affiliate: affiliateOf(order),
    accessUrl: order.accessUrl,
    supportEmail: order.supportEmail,
    sentAt,
  };
}

/**
 * The code of who is credited, as the affiliate has it. Empty while it is not known whose the typed code is; events of earlier
 * releases have no creditedCode, only the typed one.
 */
function affiliateOf({ affiliateCode, creditedCode, creditPending = false }: EventData<typeof orderPaid>): string {
  if (creditPending) return '';
  return (creditedCode === undefined ? affiliateCode : creditedCode) ?? '';
}

/** The amount is the order's total, whether the platform gave it back or the seller did. */
export function orderRefundedPayload(order: EventData<typeof orderRefunded>, sentAt: string): OrderRefundedPayload {
  return { event: 'order.refunded', ...orderTotalOf(order), sentAt };
}

export const orderReopenedPayload = (order: EventData<typeof orderReopened>, sentAt: string): OrderReopenedPayload => ({
  event: 'order.reopened',
  ...orderTotalOf(order),
  reason: order.detail,
  sentAt,
});

export const orderExpiredPayload = (order: EventData<typeof orderExpired>, sentAt: string): OrderExpiredPayload => ({
  event: 'order.expired',
  ...orderTotalOf(order),
  sentAt,
});

function orderTotalOf(
  order: Pick<EventData<typeof orderRefunded>, 'orderId' | 'productName' | 'customerEmail' | 'totalCents' | 'currency'>,
) {
  return {
    orderId: order.orderId,
    product: order.productName,
    email: order.customerEmail,
    totalCents: order.totalCents,
    total: formatAmount(order.totalCents, order.currency),
    currency: order.currency,
  };
}

export function paymentRefundedPayload(
  refund: EventData<typeof paymentRefunded>,
  sentAt: string,
): PaymentRefundedPayload {
  return {
    event: 'payment.refunded',
    orderId: refund.orderId,
    product: refund.productName,
    email: refund.customerEmail,
    paymentId: refund.paymentId,
    subscriptionId: refund.subscriptionId ?? '',
    amountCents: refund.amountCents,
    amount: formatAmount(refund.amountCents, refund.currency),
    currency: refund.currency,
    sentAt,
  };
}

export function upsellAcceptedPayload(upsell: EventData<typeof upsellAccepted>, sentAt: string): UpsellAcceptedPayload {
  return {
    event: 'upsell.accepted',
    orderId: upsell.orderId,
    upsell: upsell.headline,
    amountCents: upsell.amountCents,
    amount: formatAmount(upsell.amountCents, upsell.currency),
    currency: upsell.currency,
    email: upsell.customerEmail,
    sentAt,
  };
}

export function subscriptionRebilledPayload(
  renewal: EventData<typeof subscriptionRebilled>,
  sentAt: string,
): SubscriptionRebilledPayload {
  return {
    event: 'subscription.rebilled',
    subscriptionId: renewal.subscriptionId,
    product: renewal.productName,
    email: renewal.customerEmail,
    amountCents: renewal.amountCents,
    amount: formatAmount(renewal.amountCents, renewal.currency),
    currency: renewal.currency,
    periodStart: renewal.periodStart,
    periodEnd: renewal.periodEnd,
    sentAt,
  };
}

export function subscriptionPaymentFailedPayload(
  failure: EventData<typeof subscriptionPaymentFailed>,
  sentAt: string,
): SubscriptionPaymentFailedPayload {
  return {
    event: 'subscription.payment_failed',
    subscriptionId: failure.subscriptionId,
    product: failure.productName,
    email: failure.customerEmail,
    amountCents: failure.amountCents,
    amount: formatAmount(failure.amountCents, failure.currency),
    currency: failure.currency,
    attempt: failure.attempt,
    nextTryDays: failure.nextTryDays,
    sentAt,
  };
}

export const subscriptionCanceledPayload = (
  subscription: EventData<typeof subscriptionCanceled>,
  sentAt: string,
): SubscriptionCanceledPayload => changedPayload('subscription.canceled', subscription, sentAt);

export const subscriptionPausedPayload = (
  subscription: EventData<typeof subscriptionPaused>,
  sentAt: string,
): SubscriptionPausedPayload => changedPayload('subscription.paused', subscription, sentAt);

export const subscriptionResumedPayload = (
  subscription: EventData<typeof subscriptionResumed>,
  sentAt: string,
): SubscriptionResumedPayload => changedPayload('subscription.resumed', subscription, sentAt);

interface Changed {
  readonly subscriptionId: string;
  readonly productName: string;
  readonly customerEmail: string;
  readonly mrrCents: number;
}

const changedPayload = <Name extends string>(event: Name, subscription: Changed, sentAt: string) => ({
  event,
  subscriptionId: subscription.subscriptionId,
  product: subscription.productName,
  email: subscription.customerEmail,
  mrrCents: subscription.mrrCents,
  sentAt,
});

export function affiliatePaidPayload(payout: EventData<typeof affiliatePaid>, sentAt: string): AffiliatePaidPayload {
  return {
    event: 'affiliate.paid',
    affiliate: payout.affiliateCode,
    name: payout.affiliateName,
    email: payout.affiliateEmail,
    amountCents: payout.amountCents,
    amount: formatAmount(payout.amountCents, payout.currency),
    currency: payout.currency,
    commissionCount: payout.commissionCount,
    payoutId: payout.payoutId,
    sentAt,
  };
}

export function funnelEmailSyncPayload(
  email: EventData<typeof funnelEmailSynced>,
  sentAt: string,
): FunnelEmailSyncPayload {
  return {
    event: 'funnel.email.sync',
    productId: email.productId,
    productSlug: email.productSlug,
    product: email.productName,
    position: email.position,
    sendDay: email.sendDay,
    subject: email.subject,
    body: email.body,
    sentAt,
  };
}

function firstWord(name: string): string {
  return name.trim().split(/\s+/, 1)[0] ?? '';
}
