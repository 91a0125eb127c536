import type { affiliatePaid } from '@app/contracts/affiliates';
import { countryName } from '@app/contracts/countries';
import { buyerReason } from '@app/contracts/decline-reasons';
import type { EventData } from '@app/contracts/define';
import type { disputeClosed, disputeOpened } from '@app/contracts/disputes';
import type { funnelEmailSynced } from '@app/contracts/funnels';
import type * as orders from '@app/contracts/orders';
import type * as subscriptions from '@app/contracts/subscriptions';
import type {
  AffiliatePaidPayload,
  DisputeClosedPayload,
  DisputeOpenedPayload,
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
  WithdrawalRequestedPayload,
} from '@app/contracts/webhook-payloads';
import type { withdrawalRequested } from '@app/contracts/withdrawals';
import { formatAmount } from '@app/money/format';

/** The published payload. `sentAt` is when the event occurred, so it is the same on every attempt; of a rehearsal's subscription see `timeOf`. */
export function orderPaidPayload(order: EventData<typeof orders.orderPaid>, sentAt: string): OrderPaidPayload {
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
    items: order.items.map((item) => itemOf(item, order)),
    ...cardOf(order),
    immediateAccess: order.immediateAccess ?? '',
  };
}

/** Empty where it is not known. */
const cardOf = ({
  lastFour,
  wallet,
}: Pick<EventData<typeof orders.orderPaid>, 'lastFour' | 'wallet'>): Pick<OrderPaidPayload, 'lastFour' | 'wallet'> => ({
  lastFour: lastFour ?? '',
  wallet: wallet ?? '',
});

type Order = EventData<typeof orders.orderPaid>;

/** Events of earlier versions have neither ids nor links of items; the product's own are known all the same. */
function itemOf(
  { kind, label, amountCents, id, accessUrl }: Order['items'][number],
  order: Order,
): OrderPaidPayload['items'][number] {
  const isMain = kind === 'main';
  return {
    id: id ?? (isMain ? order.productId : ''),
    kind,
    label,
    amountCents,
    accessUrl: accessUrl ?? (isMain ? order.accessUrl : ''),
  };
}

const upsellItem = ({
  upsellId,
  headline,
  amountCents,
  accessUrl,
}: EventData<typeof orders.upsellAccepted>): UpsellAcceptedPayload['items'][number] => ({
  id: upsellId ?? '',
  kind: 'upsell',
  label: headline,
  amountCents,
  accessUrl: accessUrl ?? '',
});

/** The code of who is credited, as the affiliate has it. Empty while it is not known whose the typed code is. */
const affiliateOf = ({ creditedCode }: EventData<typeof orders.orderPaid>): string => creditedCode ?? '';

/** The amount is the order's total, whether the platform gave it back or the seller did. */
export function orderRefundedPayload(
  order: EventData<typeof orders.orderRefunded>,
  sentAt: string,
): OrderRefundedPayload {
  return { event: 'order.refunded', ...orderTotalOf(order), sentAt };
}

export const orderReopenedPayload = (
  order: EventData<typeof orders.orderReopened>,
  sentAt: string,
): OrderReopenedPayload => ({
  event: 'order.reopened',
  ...orderTotalOf(order),
  reason: order.detail,
  sentAt,
});

export const orderExpiredPayload = (
  order: EventData<typeof orders.orderExpired>,
  sentAt: string,
): OrderExpiredPayload => ({
  event: 'order.expired',
  ...orderTotalOf(order),
  reason: order.reason,
  sentAt,
});

function orderTotalOf(
  order: Pick<
    EventData<typeof orders.orderRefunded>,
    'orderId' | 'productName' | 'customerEmail' | 'totalCents' | 'currency'
  >,
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
  refund: EventData<typeof orders.paymentRefunded>,
  sentAt: string,
): PaymentRefundedPayload {
  return {
    event: 'payment.refunded',
    orderId: refund.orderId,
    product: refund.productName,
    email: refund.customerEmail,
    paymentId: refund.paymentId,
    subscriptionId: refund.subscriptionId ?? '',
    ...amountOf(refund),
    sentAt,
    refundedTotalCents: refund.part.refundedCents,
    refundedTotal: formatAmount(refund.part.refundedCents, refund.currency),
    paidCents: refund.part.ofCents,
    paid: formatAmount(refund.part.ofCents, refund.currency),
  };
}

/** All of the order's own payments went back, or are about to, one after another: `order.refunded` says it. */
export const isWholeRefund = ({ period, part, ofWholeOrder }: EventData<typeof orders.paymentRefunded>): boolean =>
  period === null && (ofWholeOrder === true || part.refundedCents >= part.ofCents);

type Dispute = EventData<typeof disputeOpened> | EventData<typeof disputeClosed>;

const disputeOf = (dispute: Dispute) => ({
  orderId: dispute.orderId,
  product: dispute.productName,
  productId: dispute.productId,
  email: dispute.customerEmail,
  disputeId: dispute.disputeId,
  paymentId: dispute.paymentId,
  subscriptionId: dispute.subscriptionId ?? '',
  ...amountOf(dispute),
  reason: dispute.reason,
  evidenceDueBy: dispute.evidenceDueBy ?? '',
});

export const disputeOpenedPayload = (
  dispute: EventData<typeof disputeOpened>,
  sentAt: string,
): DisputeOpenedPayload => ({ event: 'dispute.opened', ...disputeOf(dispute), sentAt });

export const disputeClosedPayload = (
  dispute: EventData<typeof disputeClosed>,
  sentAt: string,
): DisputeClosedPayload => ({ event: 'dispute.closed', ...disputeOf(dispute), outcome: dispute.outcome, sentAt });

export function upsellAcceptedPayload(
  upsell: EventData<typeof orders.upsellAccepted>,
  sentAt: string,
): UpsellAcceptedPayload {
  return {
    event: 'upsell.accepted',
    orderId: upsell.orderId,
    upsell: upsell.headline,
    ...amountOf(upsell),
    email: upsell.customerEmail,
    sentAt,
    items: [upsellItem(upsell)],
  };
}

export function subscriptionRebilledPayload(
  renewal: EventData<typeof subscriptions.subscriptionRebilled>,
  sentAt: string,
): SubscriptionRebilledPayload {
  return {
    event: 'subscription.rebilled',
    ...renewalOf(renewal),
    periodStart: renewal.periodStart,
    periodEnd: renewal.periodEnd,
    sentAt: timeOf(renewal, renewal.chargedAt, sentAt),
    orderId: renewal.orderId,
    ...cardOf(renewal),
  };
}

/**
 * When something happened to a subscription. That of a rehearsal lives by the rehearsal's clock, as its dates do: a year of it passes in
 * seconds, in which all its events occur.
 * @param at by the clock of its subscription
 */
const timeOf = ({ test }: { readonly test: boolean }, at: string, occurredAt: string): string =>
  test ? at : occurredAt;

export function subscriptionPaymentFailedPayload(
  failure: EventData<typeof subscriptions.subscriptionPaymentFailed>,
  sentAt: string,
): SubscriptionPaymentFailedPayload {
  return {
    event: 'subscription.payment_failed',
    ...renewalOf(failure),
    attempt: failure.attempt,
    nextTryDays: failure.nextTryDays,
    sentAt: timeOf(failure, failure.failedAt, sentAt),
    reason: failure.reason === confirmationWanted ? confirmationWanted : buyerReason(failure.reason),
  };
}

/** What a buyer can do something about, unlike other codes of the processor. */
const confirmationWanted = 'authentication_required';

export const subscriptionCanceledPayload = (
  subscription: EventData<typeof subscriptions.subscriptionCanceled>,
  sentAt: string,
): SubscriptionCanceledPayload =>
  changedPayload('subscription.canceled', subscription, timeOf(subscription, endOf(subscription), sentAt));

/** Receivers order what they get by its time: the end follows the attempt that brought it. */
const endOf = ({ reason, canceledAt }: EventData<typeof subscriptions.subscriptionCanceled>): string =>
  reason === 'payment_failed' ? new Date(Date.parse(canceledAt) + 1).toISOString() : canceledAt;

export const subscriptionPausedPayload = (
  subscription: EventData<typeof subscriptions.subscriptionPaused>,
  sentAt: string,
): SubscriptionPausedPayload =>
  changedPayload('subscription.paused', subscription, timeOf(subscription, subscription.pausedAt, sentAt));

export const subscriptionResumedPayload = (
  subscription: EventData<typeof subscriptions.subscriptionResumed>,
  sentAt: string,
): SubscriptionResumedPayload =>
  changedPayload('subscription.resumed', subscription, timeOf(subscription, subscription.resumedAt, sentAt));

interface OfSubscription {
  readonly subscriptionId: string;
  readonly productName: string;
  readonly customerEmail: string;
}
interface Changed extends OfSubscription {
  readonly mrrCents: number;
}

const changedPayload = <Name extends string>(event: Name, subscription: Changed, sentAt: string) => ({
  event,
  ...subscriptionOf(subscription),
  mrrCents: subscription.mrrCents,
  sentAt,
});

export function affiliatePaidPayload(payout: EventData<typeof affiliatePaid>, sentAt: string): AffiliatePaidPayload {
  return {
    event: 'affiliate.paid',
    affiliate: payout.affiliateCode,
    name: payout.affiliateName,
    email: payout.affiliateEmail,
    ...amountOf(payout),
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

export const withdrawalRequestedPayload = (
  withdrawal: EventData<typeof withdrawalRequested>,
  sentAt: string,
): WithdrawalRequestedPayload => ({
  event: 'withdrawal.requested',
  withdrawalId: withdrawal.withdrawalId,
  orderId: withdrawal.orderId ?? '',
  product: withdrawal.productName ?? '',
  productId: withdrawal.productId ?? '',
  name: withdrawal.name,
  email: withdrawal.email,
  bought: withdrawal.bought,
  statement: withdrawal.statement,
  late: withdrawal.late ?? false,
  sentAt,
});

const subscriptionOf = ({ subscriptionId, productName: product, customerEmail: email }: OfSubscription) => ({
  subscriptionId,
  product,
  email,
});

interface Amount {
  readonly amountCents: number;
  readonly currency: string;
}
const amountOf = ({ amountCents, currency }: Amount) => ({
  amountCents,
  amount: formatAmount(amountCents, currency),
  currency,
});

const renewalOf = (renewal: OfSubscription & Amount) => ({ ...subscriptionOf(renewal), ...amountOf(renewal) });

function firstWord(name: string): string {
  return name.trim().split(/\s+/, 1)[0] ?? '';
}
