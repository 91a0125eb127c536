import * as payloads from '@app/contracts/webhook-payloads';
import { samplePayloads } from '@app/contracts/webhook-samples';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';

const deliveryHeaders = z.object({
  'x-service-event': z.string().describe('Name of the event, as in the body.'),
  'webhook-id': z.string().describe('Id of the event, the same on every attempt: drop what you have seen.'),
  'webhook-timestamp': z.string().describe('Seconds since 1970 at which this attempt was signed.'),
  'webhook-signature': z
    .string()
    .describe('`v1,` and the Base64 of HMAC-SHA256 over `id.timestamp.body`; several stand apart by a space.'),
  'x-service-test': z
    .literal('1')
    .optional()
    .describe('Only on what is a test: events of test orders, test sends, self-tests and tests of automations.'),
});

/** What endpoints receive: the shape, and when it is sent. */
const bodies = [
  ['order.paid', payloads.orderPaidPayload, 'An order is paid for'],
  ['order.refunded', payloads.orderRefundedPayload, 'An order is refunded'],
  [
    'order.reopened',
    payloads.orderReopenedPayload,
    'A refund failed at the payment processor after it had been taken: the order is paid again',
  ],
  [
    'order.expired',
    payloads.orderExpiredPayload,
    'A held order ends unpaid: the hold was released, or it expired and charging the card instead failed',
  ],
  [
    'payment.refunded',
    payloads.paymentRefundedPayload,
    'A payment of an order, or a renewal, goes back, whole or in part; those of an order come before its `order.refunded`',
  ],
  ['dispute.opened', payloads.disputeOpenedPayload, 'The buyer’s bank disputes a payment of an order, or a renewal'],
  [
    'dispute.closed',
    payloads.disputeClosedPayload,
    'A dispute ends; a lost one gives the buyer the money, and the order stays `paid`',
  ],
  ['upsell.accepted', payloads.upsellAcceptedPayload, 'A buyer accepts the upsell after an order'],
  ['subscription.rebilled', payloads.subscriptionRebilledPayload, 'A renewal is charged'],
  [
    'subscription.payment_failed',
    payloads.subscriptionPaymentFailedPayload,
    'A renewal is declined; it is tried again after 3 days, and the fourth failed attempt cancels',
  ],
  [
    'subscription.canceled',
    payloads.subscriptionCanceledPayload,
    'A subscription ends because the seller or the buyer canceled it, or with the refund of its order; after the last declined attempt only while the setting `cancellationNotices` is on',
  ],
  ['subscription.paused', payloads.subscriptionPausedPayload, 'The seller pauses a subscription'],
  ['subscription.resumed', payloads.subscriptionResumedPayload, 'The seller resumes a subscription'],
  ['affiliate.paid', payloads.affiliatePaidPayload, 'The seller records a payout to an affiliate'],
  [
    'withdrawal.requested',
    payloads.withdrawalRequestedPayload,
    'A buyer, or whoever gives that name, withdraws from a contract by the shop’s page',
  ],
  ['funnel.email.sync', payloads.funnelEmailSyncPayload, 'A post-purchase email is pushed; one event for each email'],
] as const;

/** The events a seller's endpoint receives, with their bodies. */
export const webhooks: ZodOpenApiPathsObject = Object.fromEntries(
  bodies.map(([event, payload, summary]) => [
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
          content: { 'application/json': { schema: payload, example: samplePayloads[event] } },
        },
        responses: {
          '2XX': { description: 'Received.' },
          '3XX': { description: 'Not received, because redirects are not followed; it is sent again later.' },
          '410': { description: 'Gone: the endpoint is switched off, and what it did not take is held.' },
          '4XX': { description: 'Not received; it is sent again later.' },
          '5XX': { description: 'Not received; it is sent again later.' },
        },
      },
    },
  ]),
);
