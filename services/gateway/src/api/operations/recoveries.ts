import { cancelRecovery, getRecovery, listRecoveries, recover, redeliver } from '@app/contracts/webhook-deliveries';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

const params = z.object({ recoveryId: pathId('recovery', 'recovery_not_found') });

export const recoveryOperations = tagged('Webhooks', [
  forwardOperation(redeliver, {
    id: 'redeliverWebhook',
    alsoScope: 'read',
    audit: false,
    method: 'POST',
    path: '/api/v1/webhook-deliveries/{deliveryId}/redeliver',
    summary: 'Send a delivery again',
    description:
      'A new attempt of the same `webhook-id` with the same body, to the endpoint as it is now, whatever its `events`. The attempts count on, and the schedule of attempts begins anew. A delivery that waits for its next attempt is tried now; a run of an automation runs again.',
    params: z.object({ deliveryId: pathId('delivery', 'delivery_not_found') }),
    errors: ['delivery_not_found', 'invalid_transition', 'body_expired'],
  }),
  forwardOperation(recover, {
    id: 'recoverWebhooks',
    audit: 'webhook',
    method: 'POST',
    path: '/api/v1/webhook-endpoints/{endpointId}/recover',
    summary: 'Send everything of a time again to an endpoint',
    description:
      'Goes through the stored deliveries of the endpoint, oldest first, and sends them again under their `webhook-id`, at a bounded rate and after fresh events. The answer is the recovery; read it again for its progress. It waits while the endpoint is off.',
    params: z.object({ endpointId: pathId('webhookEndpoint', 'webhook_endpoint_not_found') }),
    errors: ['webhook_endpoint_not_found', 'invalid_transition'],
  }),
  forwardOperation(listRecoveries, {
    id: 'listWebhookRecoveries',
    method: 'GET',
    path: '/api/v1/webhook-recoveries',
    summary: 'List recoveries, newest first',
    description:
      'Also those that send what was held for an endpoint (`kind: held`), but for those that found nothing to send.',
    errors: [],
  }),
  forwardOperation(getRecovery, {
    id: 'getWebhookRecovery',
    method: 'GET',
    path: '/api/v1/webhook-recoveries/{recoveryId}',
    summary: 'Read how far a recovery is',
    description: 'How many deliveries it has, and how many of them were queued, delivered and failed.',
    params,
    errors: ['recovery_not_found'],
  }),
  forwardOperation(cancelRecovery, {
    id: 'cancelWebhookRecovery',
    audit: false,
    method: 'POST',
    path: '/api/v1/webhook-recoveries/{recoveryId}/cancel',
    summary: 'Stop a recovery',
    description: 'What it has enqueued is sent; what was held stays held.',
    params,
    errors: ['recovery_not_found', 'invalid_transition'],
  }),
]);
