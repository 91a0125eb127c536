import { z } from 'zod';
import { timestamp } from './common.ts';

/** Bodies of outgoing webhooks, exactly as published. Every listed string is present, empty when there is no value. */
export const orderPaidPayload = z
  .strictObject({
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
  })
  .meta({ id: 'OrderPaidPayload' });
export type OrderPaidPayload = z.infer<typeof orderPaidPayload>;

export const funnelEmailSyncPayload = z
  .strictObject({
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
  .strictObject({
    event: z.literal('order.refunded'),
    orderId: z.string(),
    product: z.string(),
    email: z.string(),
    totalCents: z.int(),
    total: z.string(),
    currency: z.string(),
    sentAt: timestamp,
  })
  .meta({ id: 'OrderRefundedPayload' });
export type OrderRefundedPayload = z.infer<typeof orderRefundedPayload>;

export const upsellAcceptedPayload = z
  .strictObject({
    event: z.literal('upsell.accepted'),
    orderId: z.string(),
    upsell: z.string(),
    amountCents: z.int(),
    amount: z.string(),
    currency: z.string(),
    email: z.string(),
    sentAt: timestamp,
  })
  .meta({ id: 'UpsellAcceptedPayload' });
export type UpsellAcceptedPayload = z.infer<typeof upsellAcceptedPayload>;

export const subscriptionCanceledPayload = z
  .strictObject({
    event: z.literal('subscription.canceled'),
    subscriptionId: z.string(),
    product: z.string(),
    email: z.string(),
    mrrCents: z.int(),
    sentAt: timestamp,
  })
  .meta({ id: 'SubscriptionCanceledPayload' });
export type SubscriptionCanceledPayload = z.infer<typeof subscriptionCanceledPayload>;
