import { z } from 'zod';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { slow } from './time-outs.ts';
import { deliveryResource } from './webhook-deliveries.ts';
import { webhookEventName } from './webhooks.ts';

const testWebhookBody = z.strictObject({ event: webhookEventName }).meta({ id: 'WebhookTest' });

const ofEndpoint = { endpointId: idSchema('webhookEndpoint') };

/** Sends a sample of the event to one endpoint, whatever its filter, signed as usual, with `x-service-test: 1`. */
export const sendTestWebhook = defineRequest('command', 'webhook-dispatcher', 'endpoints.send-test', {
  input: z.object({ ...ofEndpoint, body: testWebhookBody }),
  output: deliveryResource,
});

/** How long the receiver may take to answer one copy of a self-test, in milliseconds; a delivery's time where that is shorter. */
export const selfTestCopyMs = 15_000;
/** How long a self-test may take: four copies that hang, and what is stored before and after them. */
export const selfTestLongestMs = 4 * selfTestCopyMs + 10_000;

/** What one copy got, and what that means. */
const copyResult = z.object({
  copy: z.enum(['good', 'bad_signature', 'stale', 'doubled']),
  expected: z.enum(['accept', 'refuse']),
  status_code: z.int().nullable(),
  error: z.string().nullable(),
  duration_ms: z.int(),
  ok: z
    .boolean()
    .describe(
      'Whether the receiver did what it should. To refuse a copy proves nothing while the good one is refused, too.',
    ),
  explanation: z.string(),
});

const selfTestResult = z
  .object({
    ok: z.boolean(),
    results: z.array(copyResult).describe('In the order in which they were sent: good, bad_signature, stale, doubled.'),
    summary: z.string(),
  })
  .meta({ id: 'WebhookSelfTest' });

/**
 * Sends four copies of a sample one after the other: a good one, one with a wrong signature, one signed ten minutes ago,
 * and the good one once more under the same `webhook-id`. Answers when all have been answered or have timed out.
 */
export const selfTestWebhook = defineRequest('command', 'webhook-dispatcher', 'endpoints.self-test', {
  input: z.object(ofEndpoint),
  output: selfTestResult,
  ...slow(selfTestLongestMs),
});
