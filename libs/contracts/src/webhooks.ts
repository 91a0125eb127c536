import { z } from 'zod';
import {
  choiceOf,
  limits,
  listOf,
  okResult,
  pageQueryOf,
  rawText,
  receiverUrl,
  secretNotice,
  text,
  timestamp,
} from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

/** Published names of the events that a seller can receive. */
export const webhookEventNames = [
  'order.paid',
  'order.refunded',
  'order.reopened',
  'order.expired',
  'payment.refunded',
  'dispute.opened',
  'dispute.closed',
  'upsell.accepted',
  'subscription.rebilled',
  'subscription.payment_failed',
  'subscription.canceled',
  'subscription.paused',
  'subscription.resumed',
  'affiliate.paid',
  'funnel.email.sync',
  'withdrawal.requested',
] as const;
export const webhookEventName = z.enum(webhookEventNames);
export type WebhookEventName = z.infer<typeof webhookEventName>;

/** What notifies a seller that an endpoint is off: only the built-in automation gets it. */
export const endpointOff = 'endpoint.off';
/** What notifies a seller that the payment processor does not accept the account's API key: likewise. */
export const keyRefused = 'processor.key_refused';
/** Of built-in automations alone: they are no webhooks, and sellers choose none of them. */
export const noticeNames = [endpointOff, keyRefused] as const;
export type NoticeName = (typeof noticeNames)[number];
/** Names of everything that is delivered to an endpoint or an automation. */
export const deliveredEventName = z.enum([...webhookEventNames, ...noticeNames]);

/** Events that `held: orders` sends. */
export const orderEventNames: readonly WebhookEventName[] = ['order.paid', 'order.refunded', 'upsell.accepted'];

const webhookEndpointResource = z
  .object({
    id: idSchema('webhookEndpoint'),
    role: z
      .enum(['primary', 'additional'])
      .describe('`primary` is the one URL of `/api/v1/webhook-endpoint`; further ones are `additional`.'),
    url: z.string(),
    description: z.string(),
    events: z.array(webhookEventName).nullable().describe('Null: every event.'),
    headers: z.array(z.string().max(100)).max(10).describe('Names of its own headers. Values are not shown.'),
    active: z.boolean(),
    switched_off: z
      .object({ reason: z.enum(['seller', 'gone', 'failing']), at: timestamp })
      .nullable()
      .describe(
        'Why and when it was switched off; null while it is active. `gone`: it answered 410. `failing`: nothing was delivered for five days.',
      ),
    failing_since: timestamp
      .nullable()
      .describe('Since when every attempt has failed; null when the last one did not.'),
    held: z
      .object({
        count: z.int().describe('At most 10,000.'),
        more: z.boolean().describe('Whether there are more than `count`.'),
        oldest_at: timestamp.nullable(),
      })
      .describe(
        'Deliveries that wait, because the endpoint is off, they are older than its URL, or their attempts ended while nothing reached it. Test sends are not counted, and are canceled when the others are sent.',
      ),
    recovery_id: z.string().nullable().describe('The recovery that is running for it.'),
    previous_secret_expires_at: timestamp
      .nullable()
      .describe('Until then deliveries carry two signatures: of the new and of the previous secret.'),
    created_at: timestamp,
    updated_at: timestamp,
    secret: z.string().optional().describe('Signing secret; only in the answer that made the endpoint or the secret.'),
    secret_notice: secretNotice,
  })
  .meta({ id: 'WebhookEndpoint' });

export const heldChoice = z
  .enum(['send', 'orders', 'discard'])
  .describe(
    'What becomes of what is held; `orders` drops all but `order.paid`, `order.refunded` and `upsell.accepted`.',
  );
export type HeldChoice = z.infer<typeof heldChoice>;

/** Headers that every delivery has, that HTTP itself uses, or that would let a seller pose as another sender. */
const reservedHeaders =
  /^(?:webhook-.*|x-service-.*|svix-.*|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|expect|content-.*|date|via|forwarded|x-forwarded-.*|x-original-.*|x-rewrite-url|x-http-method.*|x-method-override|x-real-ip|x-client-ip|true-client-ip|cf-connecting-ip|cookie|user-agent|traceparent|tracestate|accept-encoding)$/i;

/** RFC 9110 allows more in names and values; nothing else is portable. */
const portableHeaders = z
  .record(
    z
      .string()
      .max(100)
      .regex(/^[A-Za-z0-9._-]+$/, 'must consist of ASCII letters, digits, hyphens, underscores and dots')
      .refine((name) => !reservedHeaders.test(name), 'is reserved: choose another name'),
    z
      .string()
      .max(2_000)
      .regex(/^(?:[!-~](?:[ -~]*[!-~])?)?$/, 'must be printable ASCII'),
  )
  .refine((headers) => Object.keys(headers).length <= 10, 'must have at most 10 headers')
  .refine((headers) => {
    const names = Object.keys(headers).map((name) => name.toLowerCase());
    return new Set(names).size === names.length;
  }, 'must name each header once')
  .describe('Sent along.');
/** A record leaves this name out without a word. */
const ownHeaders = z.preprocess((headers: Record<string, string>, context) => {
  if (Object.hasOwn(Object(headers), '__proto__'))
    context.addIssue({ code: 'custom', path: ['__proto__'], message: 'is reserved: choose another name' });
  return headers;
}, portableHeaders);

const endpointFields = {
  events: choiceOf(webhookEventName).nullable().optional().describe('Null: every event.'),
  description: text(limits.name).optional(),
  headers: ownHeaders.optional(),
  active: z.boolean().optional(),
  held: heldChoice.optional(),
};

export const putWebhookEndpointBody = z
  .strictObject({ url: receiverUrl, ...endpointFields })
  .meta({ id: 'WebhookEndpointPut' });
const createWebhookEndpointBody = z
  .strictObject({ url: receiverUrl, ...endpointFields })
  .meta({ id: 'WebhookEndpointCreate' });
export const updateWebhookEndpointBody = z
  .strictObject({ url: receiverUrl.optional(), ...endpointFields })
  .meta({ id: 'WebhookEndpointUpdate' });
export const rotateWebhookSecretBody = z
  .strictObject({
    overlapHours: z
      .number()
      .min(0)
      .max(168)
      .optional()
      .describe('How long deliveries carry the signature of the previous secret too; 24 unless said.'),
  })
  .meta({ id: 'WebhookSecretRotate' });
export const revealWebhookSecretBody = z
  .strictObject({ password: rawText(200, 1) })
  .meta({ id: 'WebhookSecretReveal' });

export const signingSecrets = z
  .object({ secret: z.string(), previous_secret: z.string().nullable() })
  .meta({ id: 'WebhookSecret' });

const ofEndpoint = { endpointId: idSchema('webhookEndpoint') };

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

/** Every endpoint of the account, the primary one first. At most `limits.webhookEndpointsPerAccount`. */
export const listWebhookEndpoints = defineRequest('read', 'webhook-dispatcher', 'endpoints.list', {
  input: pageQueryOf(idSchema('webhookEndpoint')),
  output: listOf(webhookEndpointResource),
});
export const createWebhookEndpoint = defineRequest('command', 'webhook-dispatcher', 'endpoints.create', {
  input: z.object({ body: createWebhookEndpointBody }),
  output: webhookEndpointResource,
});
/** The requests by id take the primary endpoint's id as well. */
export const readWebhookEndpoint = defineRequest('read', 'webhook-dispatcher', 'endpoints.read', {
  input: z.object(ofEndpoint),
  output: webhookEndpointResource,
});
export const updateWebhookEndpoint = defineRequest('command', 'webhook-dispatcher', 'endpoints.update', {
  input: z.object({ ...ofEndpoint, body: updateWebhookEndpointBody }),
  output: webhookEndpointResource,
});
export const removeWebhookEndpoint = defineRequest('command', 'webhook-dispatcher', 'endpoints.remove', {
  input: z.object(ofEndpoint),
  output: okResult,
});
/** A new secret; the previous one signs too until the overlap ends. An older previous one ends at once. */
export const rotateWebhookSecret = defineRequest('command', 'webhook-dispatcher', 'endpoints.rotate-secret', {
  input: z.object({ ...ofEndpoint, body: rotateWebhookSecretBody.optional() }),
  output: webhookEndpointResource,
});
/** The signing secret itself. The gateway requests it only after it has checked the password of a signed-in seller. */
export const revealWebhookSecret = defineRequest('read', 'webhook-dispatcher', 'endpoints.reveal-secret', {
  input: z.object(ofEndpoint),
  output: signingSecrets,
});

/**
 * Whether an endpoint is connected whose filter takes events of this name. An endpoint that is switched off counts: its
 * deliveries are held.
 */
export const takesWebhookEvent = defineRequest('read', 'webhook-dispatcher', 'endpoints.takes-event', {
  input: z.object({ event: webhookEventName }),
  output: z.object({ takes: z.boolean() }),
});
