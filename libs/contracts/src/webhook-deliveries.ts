import { z } from 'zod';
import { emailAddress, instant, limits, listOf, pageQueryOf, spanFilters, timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { deliveredEventName, webhookEventName } from './webhooks.ts';

/** `pending` waits for its attempt, `failed` was given up, `canceled` was dropped by the seller or with its endpoint. */
export const deliveryStatuses = ['pending', 'sending', 'delivered', 'held', 'failed', 'canceled', 'filtered'] as const;
export const deliveryStatus = z.enum(deliveryStatuses);
export type DeliveryStatus = z.infer<typeof deliveryStatus>;

/** What a list may be narrowed by. */
const filters = {
  event: deliveredEventName.optional().describe('Name of the event.'),
  eventId: idSchema('event').optional().describe('The `webhook-id` that the receiver saw.'),
  orderId: idSchema('order').optional(),
  email: emailAddress.optional().describe('The buyer’s address in the payload, in upper or lower case.'),
  endpointId: z
    .union([idSchema('webhookEndpoint'), idSchema('automation')], 'must be an id beginning whe_ or aut_')
    .optional(),
  ...spanFilters,
};

/** Why an attempt did not deliver, in plain words, and what to do about it. */
const diagnosis = z
  .object({
    code: z
      .string()
      .describe(
        'Stable, such as `moved`, `login_page`, `firewall`, `certificate_chain`, `dns`, `timeout_connect`, `timeout_answer`.',
      ),
    explanation: z.string(),
    advice: z.string(),
  })
  .meta({ id: 'Diagnosis' });

const attemptFields = {
  id: idSchema('attempt'),
  number: z.int(),
  created_at: timestamp,
  url: z.string().nullable().describe('`mailto:` and the recipient for emails; null when the recipient is not known.'),
  status_code: z.int().nullable(),
  duration_ms: z.int().describe('The whole exchange.'),
  error: z.string().nullable(),
  next_attempt_at: timestamp.nullable().describe('Null when no further attempt follows.'),
};

export const attemptResource = z
  .object({
    ...attemptFields,
    dns_ms: z
      .int()
      .nullable()
      .describe('Null when nothing was looked up: the connection was open already, or the URL has an IP address.'),
    connect_ms: z.int().nullable().describe('Null when the connection was open already, or it did not come so far.'),
    tls_ms: z.int().nullable().describe('Null without TLS.'),
    first_byte_ms: z.int().nullable().describe('From the request to the first byte of the answer.'),
    diagnosis: diagnosis.nullable().describe('Null when nothing is wrong. A delivered attempt may have one too.'),
    response: z.string().nullable().describe('The first 8 KB of the answer; null after 30 days.'),
  })
  .meta({ id: 'WebhookAttempt' });

const deliveryFields = {
  id: idSchema('delivery'),
  event: z.string(),
  event_id: idSchema('event').describe('The `webhook-id` that the receiver sees.'),
  order_id: z.string().nullable(),
  email: z.string().nullable(),
  endpoint_id: z.string().describe('Of the endpoint, or of the automation.'),
  url: z
    .string()
    .nullable()
    .describe(
      'Null when no URL is connected. Of an email, `mailto:` and the recipient of the last attempt; null before the first. When the endpoint or the automation was removed, that of the last attempt.',
    ),
  status: deliveryStatus,
  reason: z.string().describe('Why it has this status, in one line: why nothing was sent, when nothing was.'),
  attempt_count: z.int(),
  created_at: timestamp,
  finished_at: timestamp.nullable(),
  next_attempt_at: timestamp
    .nullable()
    .describe('Null when no further attempt follows, and once it is due: it is queued.'),
  test: z.boolean(),
};
export const deliveryResource = z.object(deliveryFields).meta({ id: 'WebhookDelivery' });
export type DeliveryResource = z.infer<typeof deliveryResource>;
const deliveryDetail = z
  .object({
    ...deliveryFields,
    attempts: z.array(attemptResource).describe('Newest first, at most 100.'),
    payload: z.record(z.string(), z.unknown()).nullable().describe('Null after 30 days.'),
  })
  .meta({ id: 'WebhookDeliveryDetail' });

export const listDeliveries = defineRequest('read', 'webhook-dispatcher', 'deliveries.list', {
  input: pageQueryOf(idSchema('delivery')).extend({ status: deliveryStatus.optional(), ...filters }),
  output: listOf(deliveryResource),
});
const ofDelivery = { deliveryId: idSchema('delivery') };
export const getDelivery = defineRequest('read', 'webhook-dispatcher', 'deliveries.get', {
  input: z.object(ofDelivery),
  output: deliveryDetail,
});
/**
 * A new attempt of the same `webhook-id` to the delivery's endpoint as it is now, whatever its filter. One that waits for
 * its next attempt is made now.
 */
export const redeliver = defineRequest('command', 'webhook-dispatcher', 'deliveries.redeliver', {
  input: z.object(ofDelivery),
  output: deliveryResource,
});

/** A line of Recent activity: a delivery attempt, a run of an automation, or a notice to the seller. */
export const activityEntry = z
  .object({
    id: z.string(),
    kind: z.enum(['webhook_attempt', 'automation_attempt', 'notice']),
    created_at: timestamp,
    summary: z.string(),
    event: z.string().nullable().describe('Event name of the delivery.'),
    event_id: z.string().nullable().describe('The `webhook-id` the receiver saw.'),
    delivery_id: z.string().nullable(),
    endpoint_id: z.string().nullable(),
    order_id: z.string().nullable(),
    url: z.string().nullable(),
    attempt: z.int().nullable(),
    status: z.enum(['delivered', 'failed', 'notice']),
    status_code: z.int().nullable(),
    duration_ms: z.int().nullable(),
    response_excerpt: z
      .string()
      .nullable()
      .describe('The first 200 characters of the answer to an attempt that failed; the delivery has more.'),
    error: z.string().nullable(),
    diagnosis: diagnosis.nullable(),
    next_attempt_at: timestamp.nullable().describe('Null when no further attempt follows.'),
    test: z.boolean(),
    email: z.string().nullable().optional().describe('Of the event: its buyer, or the affiliate who was paid.'),
    product: z
      .string()
      .nullable()
      .optional()
      .describe('Name of the product that the event is about; null after 30 days.'),
    amount_cents: z.int().nullable().optional().describe('What the event is over, in minor units; null after 30 days.'),
    currency: z.string().nullable().optional(),
  })
  .meta({ id: 'ActivityEntry' });
export type ActivityEntry = z.infer<typeof activityEntry>;

export const listActivity = defineRequest('read', 'webhook-dispatcher', 'activity.list', {
  input: pageQueryOf(z.union([idSchema('attempt'), idSchema('notice')], 'must be an id beginning att_ or ntc_')).extend(
    {
      status: z.enum(['delivered', 'failed', 'notice']).optional(),
      ...filters,
    },
  ),
  output: listOf(activityEntry),
});

/** An event of the account's log. */
const loggedEvent = z
  .object({
    id: idSchema('event').describe('The `webhook-id` of its deliveries.'),
    sequence: z.int().describe('Counts the account’s events without gaps, from 1.'),
    event: webhookEventName,
    occurred_at: timestamp,
    test: z.boolean(),
    payload: z.record(z.string(), z.unknown()).nullable().describe('What webhooks carry; null after 30 days.'),
  })
  .meta({ id: 'LoggedEvent' });

/**
 * The account's events in the order in which they were committed, after one, or from the oldest kept; or backwards, before one, or
 * from the newest. Fewer than `limit` where their payloads fill a message.
 */
export const listEvents = defineRequest('read', 'webhook-dispatcher', 'events.list', {
  input: z.object({
    after: idSchema('event')
      .optional()
      .describe(
        'The last id that you have read here, or one from well before a fault; not the `webhook-id` that came last.',
      ),
    order: z.enum(['asc', 'desc']).optional().describe('`desc`: backwards, from the newest. `asc` unless given.'),
    before: idSchema('event').optional().describe('With `order=desc`: the last id of the page before.'),
    limit: z.coerce.number().int().min(1).max(limits.listMax).optional().describe('How many at most.'),
  }),
  output: z.object({ data: z.array(loggedEvent), has_more: z.boolean() }),
});

const recoveryResource = z
  .object({
    id: idSchema('recovery'),
    endpoint_id: z.string(),
    kind: z
      .enum(['recover', 'held'])
      .describe(
        '`held`: deliveries that were held are sent, but for test sends and what the endpoint’s filter does not take by then; with `which: failed` those that nothing could deliver before the endpoint’s first success.',
      ),
    which: z.enum(['failed', 'all', 'orders']),
    since: timestamp.nullable(),
    until: timestamp,
    status: z.enum(['running', 'done', 'canceled']),
    total: z.int().nullable().describe('Deliveries that it concerns. Null until they are counted.'),
    queued: z.int().describe('Of these, handed to the sender so far.'),
    delivered: z.int(),
    failed: z.int().describe('Given up again.'),
    per_second: z
      .int()
      .describe(
        'How many it enqueues a second, at most. Fewer while the receiver is slow, and hardly any while it fails.',
      ),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'WebhookRecovery' });

const recoverBody = z
  .strictObject({
    since: instant.describe(
      'Events that happened from then on, by the `sentAt` of their payloads. At most 30 days ago: bodies are kept no longer.',
    ),
    until: instant.optional().describe('Events that happened until then, included. Now, unless given.'),
    which: z
      .enum(['failed', 'all'])
      .describe(
        '`failed`: what was given up or canceled, what is held because nothing reached the endpoint, and what waits for its next attempt. `all`: everything, also what was delivered, filtered or held, and events that are older than the endpoint. Both send only events that the endpoint’s filter takes now.',
      ),
  })
  .meta({ id: 'WebhookRecover' });

const ofRecovery = { recoveryId: idSchema('recovery') };
/** One recovery at a time for an endpoint. It waits while its endpoint is off. */
export const recover = defineRequest('command', 'webhook-dispatcher', 'recoveries.start', {
  input: z.object({ endpointId: idSchema('webhookEndpoint'), body: recoverBody }),
  output: recoveryResource,
});
export const getRecovery = defineRequest('read', 'webhook-dispatcher', 'recoveries.get', {
  input: z.object(ofRecovery),
  output: recoveryResource,
});
export const listRecoveries = defineRequest('read', 'webhook-dispatcher', 'recoveries.list', {
  input: pageQueryOf(idSchema('recovery')).extend({ endpointId: idSchema('webhookEndpoint').optional() }),
  output: listOf(recoveryResource),
});
/** What was enqueued already is sent. */
export const cancelRecovery = defineRequest('command', 'webhook-dispatcher', 'recoveries.cancel', {
  input: z.object(ofRecovery),
  output: recoveryResource,
});
