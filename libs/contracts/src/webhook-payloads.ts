import { z } from 'zod';
import { timestamp } from './common.ts';
import { orderItemKind } from './order-items.ts';

const orderTotal = {
  orderId: z.string(),
  product: z.string(),
  email: z.string(),
  totalCents: z.int(),
  total: z.string(),
  currency: z.string(),
};
const ofSubscription = { subscriptionId: z.string(), product: z.string(), email: z.string() };
const amount = { amountCents: z.int(), amount: z.string(), currency: z.string() };

/** What was bought. The amounts of an order's items add up to its total: a discount is one below 0. */
const items = z
  .array(
    z.object({
      id: z.string().describe('Of the product, the bump, the upsell or the code; empty where it was not kept.'),
      kind: orderItemKind,
      label: z.string(),
      amountCents: z.int(),
      accessUrl: z.string().describe('Where the buyer finds it, as it was at the sale; empty where it has no link.'),
    }),
  )
  .describe(
    'What was bought, in the order in which it is listed. Amounts add up to what was paid; a discount’s is below 0.',
  );

const ofCard = {
  lastFour: z.string().describe('Of the card that was charged; empty where none was, or it is not known.'),
  wallet: z.string().describe('`apple_pay` or `google_pay`; empty for a card that was typed.'),
};

/** Bodies of outgoing webhooks, as published; they may gain fields. Every listed string is present, empty when there is no value. */
export const orderPaidPayload = z
  .object({
    event: z.literal('order.paid'),
    orderId: z.string(),
    product: z.string(),
    productId: z.string(),
    email: z.string(),
    name: z.string(),
    firstName: z.string(),
    country: z.string(),
    countryCode: z.string(),
    totalCents: z.int(),
    total: z.string(),
    currency: z.string(),
    affiliate: z.string(),
    accessUrl: z.string(),
    supportEmail: z.string(),
    sentAt: timestamp,
    items,
    ...ofCard,
    immediateAccess: z
      .string()
      .describe(
        'The sentence by which the buyer gave up the right to withdraw for immediate access; empty where none was asked.',
      ),
  })
  .meta({ id: 'OrderPaidPayload' });
export type OrderPaidPayload = z.infer<typeof orderPaidPayload>;

export const funnelEmailSyncPayload = z
  .object({
    event: z.literal('funnel.email.sync'),
    productId: z.string(),
    productSlug: z.string(),
    product: z.string(),
    position: z.int(),
    sendDay: z.int(),
    subject: z.string(),
    body: z.string(),
    sentAt: timestamp,
  })
  .meta({ id: 'FunnelEmailSyncPayload' });
export type FunnelEmailSyncPayload = z.infer<typeof funnelEmailSyncPayload>;

export const orderRefundedPayload = z
  .object({ event: z.literal('order.refunded'), ...orderTotal, sentAt: timestamp })
  .meta({ id: 'OrderRefundedPayload' });
export type OrderRefundedPayload = z.infer<typeof orderRefundedPayload>;

export const orderReopenedPayload = z
  .object({
    event: z.literal('order.reopened'),
    ...orderTotal,
    reason: z.string().describe('Why the refund failed, in the payment processor’s words.'),
    sentAt: timestamp,
  })
  .meta({ id: 'OrderReopenedPayload' });
export type OrderReopenedPayload = z.infer<typeof orderReopenedPayload>;

export const orderExpiredPayload = z
  .object({
    event: z.literal('order.expired'),
    ...orderTotal,
    reason: z
      .enum(['released', 'expired'])
      .describe(
        '`released`: by you, here or at the payment processor. `expired`: the hold ended, and the card was declined.',
      ),
    sentAt: timestamp,
  })
  .meta({ id: 'OrderExpiredPayload' });
export type OrderExpiredPayload = z.infer<typeof orderExpiredPayload>;

export const paymentRefundedPayload = z
  .object({
    event: z.literal('payment.refunded'),
    orderId: z.string(),
    product: z.string(),
    email: z.string(),
    paymentId: z.string(),
    subscriptionId: z.string().describe('Of a renewal; empty for the order’s own payments.'),
    amountCents: z.int().describe('What went back.'),
    amount: z.string(),
    currency: z.string(),
    sentAt: timestamp,
    refundedTotalCents: z
      .int()
      .describe(
        'What has gone back by then of the order’s own payments together; of a renewal, of its payment. Below `paidCents` it is a part.',
      ),
    refundedTotal: z.string(),
    paidCents: z.int().describe('What was paid for it.'),
    paid: z.string(),
  })
  .meta({ id: 'PaymentRefundedPayload' });
export type PaymentRefundedPayload = z.infer<typeof paymentRefundedPayload>;

const ofDispute = {
  orderId: z.string(),
  product: z.string(),
  productId: z.string(),
  email: z.string(),
  disputeId: z.string().describe('The payment processor’s.'),
  paymentId: z.string(),
  subscriptionId: z.string().describe('Of a renewal; empty for the order’s own payments.'),
  ...amount,
  reason: z.string().describe('The bank’s, as the payment processor names it: `fraudulent`, `product_not_received`, …'),
  evidenceDueBy: z.string().describe('The last moment for evidence; empty where none is wanted.'),
};

export const disputeOpenedPayload = z
  .object({ event: z.literal('dispute.opened'), ...ofDispute, sentAt: timestamp })
  .meta({ id: 'DisputeOpenedPayload' });
export type DisputeOpenedPayload = z.infer<typeof disputeOpenedPayload>;

export const disputeClosedPayload = z
  .object({
    event: z.literal('dispute.closed'),
    ...ofDispute,
    outcome: z
      .string()
      .describe('`won`, `lost`, `prevented` or `warning_closed`; `lost` alone gives the buyer the money.'),
    sentAt: timestamp,
  })
  .meta({ id: 'DisputeClosedPayload' });
export type DisputeClosedPayload = z.infer<typeof disputeClosedPayload>;

export const upsellAcceptedPayload = z
  .object({
    event: z.literal('upsell.accepted'),
    orderId: z.string(),
    upsell: z.string(),
    ...amount,
    email: z.string(),
    sentAt: timestamp,
    items,
  })
  .meta({ id: 'UpsellAcceptedPayload' });
export type UpsellAcceptedPayload = z.infer<typeof upsellAcceptedPayload>;

export const subscriptionRebilledPayload = z
  .object({
    event: z.literal('subscription.rebilled'),
    ...ofSubscription,
    ...amount,
    periodStart: timestamp.describe('Of the period that was paid.'),
    periodEnd: timestamp,
    sentAt: timestamp,
    orderId: z.string().describe('Of the order that began the subscription.'),
    ...ofCard,
  })
  .meta({ id: 'SubscriptionRebilledPayload' });
export type SubscriptionRebilledPayload = z.infer<typeof subscriptionRebilledPayload>;

export const subscriptionPaymentFailedPayload = z
  .object({
    event: z.literal('subscription.payment_failed'),
    ...ofSubscription,
    ...amount,
    attempt: z.int().describe('The number of the failed attempt.'),
    nextTryDays: z
      .int()
      .describe(
        'Days until the next attempt: 3; 1 when the card was replaced before its decline was known, because the next daily run tries the new one; 0 when none follows: after `attempt` 4, which cancels, and while the subscription is paused, whatever the `attempt`.',
      ),
    sentAt: timestamp,
    reason: z
      .string()
      .describe(
        'Why, as far as a buyer is told: `insufficient_funds`, `expired_card`, `authentication_required` (the bank wants a confirmation), `ask_bank`, `try_again_later` (it was not the card), …; else `card_declined`.',
      ),
  })
  .meta({ id: 'SubscriptionPaymentFailedPayload' });
export type SubscriptionPaymentFailedPayload = z.infer<typeof subscriptionPaymentFailedPayload>;

/** Three events have one shape. */
const subscriptionChanged = {
  ...ofSubscription,
  mrrCents: z.int().describe('What it is worth a month: a yearly price ÷ 12.'),
  sentAt: timestamp,
};
export const subscriptionCanceledPayload = z
  .object({ event: z.literal('subscription.canceled'), ...subscriptionChanged })
  .meta({ id: 'SubscriptionCanceledPayload' });
export type SubscriptionCanceledPayload = z.infer<typeof subscriptionCanceledPayload>;

export const subscriptionPausedPayload = z
  .object({ event: z.literal('subscription.paused'), ...subscriptionChanged })
  .meta({ id: 'SubscriptionPausedPayload' });
export type SubscriptionPausedPayload = z.infer<typeof subscriptionPausedPayload>;

export const subscriptionResumedPayload = z
  .object({ event: z.literal('subscription.resumed'), ...subscriptionChanged })
  .meta({ id: 'SubscriptionResumedPayload' });
export type SubscriptionResumedPayload = z.infer<typeof subscriptionResumedPayload>;

/** `currency` and `amount` are beside what was published first: a payout is in one of the account's currencies. */
export const affiliatePaidPayload = z
  .object({
    event: z.literal('affiliate.paid'),
    affiliate: z.string(),
    name: z.string(),
    email: z.string(),
    ...amount,
    commissionCount: z.int(),
    payoutId: z.string(),
    sentAt: timestamp,
  })
  .meta({ id: 'AffiliatePaidPayload' });
export type AffiliatePaidPayload = z.infer<typeof affiliatePaidPayload>;

export const withdrawalRequestedPayload = z
  .object({
    event: z.literal('withdrawal.requested'),
    withdrawalId: z.string(),
    orderId: z.string().describe('Of the order that was found for it; empty where none was.'),
    product: z.string(),
    productId: z.string(),
    name: z.string().describe('As whoever withdrew typed it, and so are the next two.'),
    email: z.string(),
    bought: z.string(),
    statement: z.string(),
    late: z.boolean().describe('Whether it came after the days that the shop gives.'),
    sentAt: timestamp,
  })
  .meta({ id: 'WithdrawalRequestedPayload' });
export type WithdrawalRequestedPayload = z.infer<typeof withdrawalRequestedPayload>;
