import { z } from 'zod';
import { choiceOf, httpUrl, listOf, okResult, pageQueryOf, secretNotice, timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

/** Published names of the events that a seller can receive. */
export const webhookEventNames = [
  'order.paid',
  'order.refunded',
  'upsell.accepted',
  'subscription.rebilled',
  'subscription.payment_failed',
  'subscription.canceled',
  'subscription.paused',
  'subscription.resumed',
  'affiliate.paid',
  'funnel.email.sync',
] as const;
const webhookEventName = z.enum(webhookEventNames);
export type WebhookEventName = z.infer<typeof webhookEventName>;

export const webhookEndpointResource = z
  .object({
    id: idSchema('webhookEndpoint'),
    url: z.string(),
    events: z.array(webhookEventName).nullable().describe('Null: every event.'),
    active: z.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
    secret: z.string().optional().describe('Signing secret; only in the answer that made the endpoint.'),
    secret_notice: secretNotice,
  })
  .meta({ id: 'WebhookEndpoint' });

export const putWebhookEndpointBody = z
  .strictObject({
    url: httpUrl,
    events: choiceOf(webhookEventName).nullable().optional(),
    active: z.boolean().optional(),
  })
  .meta({ id: 'WebhookEndpointPut' });

export const getWebhookEndpoint = defineRequest('read', 'webhook-dispatcher', 'endpoints.get', {
  input: z.object({}),
  output: webhookEndpointResource,
});
export const putWebhookEndpoint = defineRequest('command', 'webhook-dispatcher', 'endpoints.put', {
  input: z.object({ body: putWebhookEndpointBody }),
  output: webhookEndpointResource,
});
export const deleteWebhookEndpoint = defineRequest('command', 'webhook-dispatcher', 'endpoints.delete', {
  input: z.object({}),
  output: okResult,
});

/**
 * Whether an endpoint is connected whose filter takes events of this name. An endpoint that is switched off counts: its
 * deliveries are held.
 */
export const takesWebhookEvent = defineRequest('read', 'webhook-dispatcher', 'endpoints.takes-event', {
  input: z.object({ event: webhookEventName }),
  output: z.object({ takes: z.boolean() }),
});

/** A line of Recent activity: a delivery attempt, or a notice to the seller. */
export const activityEntry = z
  .object({
    id: z.string(),
    kind: z.enum(['webhook_attempt', 'notice']),
    created_at: timestamp,
    summary: z.string(),
    event: z.string().nullable().describe('Event name of the delivery.'),
    event_id: z.string().nullable().describe('The `webhook-id` the receiver saw.'),
    delivery_id: z.string().nullable(),
    order_id: z.string().nullable(),
    url: z.string().nullable(),
    attempt: z.int().nullable(),
    status: z.enum(['delivered', 'failed', 'notice']),
    status_code: z.int().nullable(),
    duration_ms: z.int().nullable(),
    response_excerpt: z.string().nullable(),
    error: z.string().nullable(),
    next_attempt_at: timestamp.nullable().describe('Null when no further try follows.'),
    test: z.boolean(),
  })
  .meta({ id: 'ActivityEntry' });

export const listActivity = defineRequest('read', 'webhook-dispatcher', 'activity.list', {
  input: pageQueryOf(z.union([idSchema('attempt'), idSchema('notice')], 'must be an id beginning att_ or ntc_')),
  output: listOf(activityEntry),
});
