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
