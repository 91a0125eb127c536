import {
  affiliatePaidPayload,
  funnelEmailSyncPayload,
  orderPaidPayload,
  orderRefundedPayload,
  subscriptionCanceledPayload,
  subscriptionPausedPayload,
  subscriptionPaymentFailedPayload,
  subscriptionRebilledPayload,
  subscriptionResumedPayload,
  upsellAcceptedPayload,
} from '@app/contracts/webhook-payloads';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';

const deliveryHeaders = z.object({
  'x-service-event': z.string().describe('Name of the event, as in the body.'),
  'webhook-id': z.string().describe('Id of the event, the same on every try: drop what you have seen.'),
  'webhook-timestamp': z.string().describe('Seconds since 1970 at which this try was signed.'),
  'webhook-signature': z
    .string()
    .describe('`v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`; several stand apart by a space.'),
  'x-service-test': z.literal('1').optional().describe('Only on events of test orders.'),
});

const subscription = {
  subscriptionId: 'sub_01kahv7w3xe5m8q2r6t9y0b4cd',
  product: 'Watercolour Club',
  email: 'maya@example.com',
};
const renewal = { ...subscription, amountCents: 1900, amount: '$19.00', currency: 'usd' };
const orderId = 'ord_01kahv7w3xe5m8q2r6t9y0b4cd';
const productId = 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg';

/** What endpoints receive: the shape, when it is sent, and an example without its `event`. */
const payloads = [
  [
    'order.paid',
    orderPaidPayload,
    'An order is paid for',
    {
      ...{ orderId, product: 'Watercolour Course', productId, email: 'maya@example.com', name: 'Maya Lindqvist' },
      ...{
        firstName: 'Maya',
        country: 'Sweden',
        countryCode: 'SE',
        totalCents: 6800,
        total: '$68.00',
        currency: 'usd',
      },
      ...{ affiliate: 'ANNA', accessUrl: 'https://mayapaints.example/course' },
      ...{ supportEmail: 'help@mayapaints.example', sentAt: '2026-11-20T09:30:12.345Z' },
    },
  ],
  [
    'order.refunded',
    orderRefundedPayload,
    'An order is refunded',
    {
      ...{ orderId, product: 'Watercolour Course', email: 'maya@example.com', totalCents: 6800, total: '$68.00' },
      ...{ currency: 'usd', sentAt: '2026-11-22T16:05:40.071Z' },
    },
  ],
  [
    'upsell.accepted',
    upsellAcceptedPayload,
    'A buyer accepts the upsell after an order',
    {
      ...{ orderId, upsell: 'A year of live sessions', amountCents: 2900, amount: '$29.00', currency: 'usd' },
      ...{ email: 'maya@example.com', sentAt: '2026-11-20T09:31:02.900Z' },
    },
  ],
  [
    'subscription.rebilled',
    subscriptionRebilledPayload,
    'A renewal is charged',
    {
      ...renewal,
      ...{ periodStart: '2026-11-30T09:30:12.345Z', periodEnd: '2026-12-31T09:30:12.345Z' },
      sentAt: '2026-11-30T10:00:00.730Z',
    },
  ],
  [
    'subscription.payment_failed',
    subscriptionPaymentFailedPayload,
    'A renewal is declined; it is tried again after 3 days, and the fourth failed try cancels',
    { ...renewal, attempt: 1, nextTryDays: 3, sentAt: '2026-11-30T10:00:00.730Z' },
  ],
  [
    'subscription.canceled',
    subscriptionCanceledPayload,
    'A subscription is canceled by the seller, or with the refund of its order',
    { ...subscription, mrrCents: 1900, sentAt: '2026-12-04T14:02:51.118Z' },
  ],
  [
    'subscription.paused',
    subscriptionPausedPayload,
    'The seller pauses a subscription',
    { ...subscription, mrrCents: 1900, sentAt: '2026-12-04T14:02:51.118Z' },
  ],
  [
    'subscription.resumed',
    subscriptionResumedPayload,
    'The seller resumes a subscription',
    { ...subscription, mrrCents: 1900, sentAt: '2026-12-18T08:20:07.402Z' },
  ],
  [
    'affiliate.paid',
    affiliatePaidPayload,
    'The seller records a payout to an affiliate',
    {
      ...{ affiliate: 'ANNA', name: 'Anna Berg', email: 'anna@example.com', amountCents: 4200, amount: '$42.00' },
      ...{ currency: 'usd', commissionCount: 3, payoutId: 'pay_01kb3n5p7r9t1v3x5z7b9d1f3h' },
      sentAt: '2026-12-01T11:15:00.264Z',
    },
  ],
  [
    'funnel.email.sync',
    funnelEmailSyncPayload,
    'A post-purchase email is handed over; one event for each email',
    {
      ...{ productId, productSlug: 'watercolour-course', product: 'Watercolour Course', position: 1, sendDay: 0 },
      ...{ subject: 'Welcome to the course', body: '<p>Hello, here is how to begin.</p>' },
      sentAt: '2026-11-18T13:40:25.517Z',
    },
  ],
] as const;

/** The events a seller's endpoint receives, with their bodies. */
export const webhooks: ZodOpenApiPathsObject = Object.fromEntries(
  payloads.map(([event, payload, summary, example]) => [
    event,
    {
      post: {
        operationId: `on-${event.replaceAll('.', '-')}`,
        summary,
        description: 'Sent to the webhook URL that is connected. Any 2xx within 15 seconds acknowledges it.',
        tags: ['Webhooks'],
        security: [],
        requestParams: { header: deliveryHeaders },
        requestBody: {
          required: true,
          content: { 'application/json': { schema: payload, example: { event, ...example } } },
        },
        responses: {
          '2XX': { description: 'Received.' },
          '4XX': { description: 'Not received; it is sent again later.' },
        },
      },
    },
  ]),
);
