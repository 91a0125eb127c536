import { selfTestLongestMs, selfTestWebhook, sendTestWebhook } from '@app/contracts/webhook-tests';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

const params = z.object({ endpointId: pathId('webhookEndpoint', 'webhook_endpoint_not_found') });
const path = '/api/v1/webhook-endpoints/{endpointId}';

export const testSendOperations = tagged('Webhooks', [
  forwardOperation(sendTestWebhook, {
    id: 'sendTestWebhook',
    method: 'POST',
    path: `${path}/test`,
    summary: 'Send a sample of an event to one endpoint',
    description:
      'A realistic payload with new ids, signed as usual and marked `x-service-test: 1`, whatever the endpoint’s filter. It ' +
      'is tried again like any delivery, and is in no list of events. The answer is the delivery as it begins: read it ' +
      'again to see what came of it.',
    params,
    errors: ['webhook_endpoint_not_found', 'invalid_transition'],
  }),
  defineOperation({
    id: 'selfTestWebhook',
    method: 'POST',
    path: `${path}/self-test`,
    summary: 'Test whether an endpoint’s receiver checks what it gets',
    description:
      'Sends four copies of a sample, one after the other: a good one, one with a wrong signature, one that was signed ten ' +
      'minutes ago, and the good one once more under the same `webhook-id`. The answer says in plain words what the receiver ' +
      'wrongly accepted or refused; a notice in Recent activity keeps it. Each copy may take as long as a delivery. An ' +
      'endpoint that is off can be tested too, and one test of an endpoint runs at a time.',
    auth: 'account',
    scope: 'write',
    params,
    response: selfTestWebhook.output,
    errors: ['webhook_endpoint_not_found', 'invalid_transition'],
    longestMs: selfTestLongestMs,
    run: ({ app, params: { endpointId }, context }) =>
      app.requester.requestBytes(selfTestWebhook, { endpointId }, { ...context, waitMs: selfTestLongestMs }),
  }),
]);
