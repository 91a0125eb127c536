import { listOf, okResult } from '@app/contracts/common';
import {
  activityEntry,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listActivity,
  putWebhookEndpoint,
  putWebhookEndpointBody,
  webhookEndpointResource,
} from '@app/contracts/webhooks';
import { defineOperation } from '../http/operation.ts';

const tag = 'Webhooks';
const path = '/api/v1/webhook-endpoint';

export const webhookOperations = [
  defineOperation({
    id: 'getWebhookEndpoint',
    method: 'GET',
    path,
    tag,
    summary: 'Read the connected webhook URL',
    auth: 'account',
    scope: 'read',
    response: webhookEndpointResource,
    errors: ['webhook_endpoint_not_found'],
    run: ({ app, context }) => app.requester.requestBytes(getWebhookEndpoint, {}, context),
  }),
  defineOperation({
    id: 'putWebhookEndpoint',
    method: 'PUT',
    path,
    tag,
    summary: 'Connect a webhook URL, or change the connected one',
    description: 'The answer that connects it holds the signing secret; it is shown this once.',
    auth: 'account',
    scope: 'write',
    body: putWebhookEndpointBody,
    response: webhookEndpointResource,
    secret: {
      name: 'secret',
      notice:
        'The secret was shown once, in the first answer. If that got lost, disconnect the URL and connect it again.',
    },
    errors: ['webhook_url_refused'],
    run: ({ app, body, context }) => app.requester.requestBytes(putWebhookEndpoint, { body }, context),
  }),
  defineOperation({
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path,
    tag,
    summary: 'Disconnect the webhook URL',
    auth: 'account',
    scope: 'write',
    response: okResult,
    errors: ['webhook_endpoint_not_found'],
    run: ({ app, context }) => app.requester.requestBytes(deleteWebhookEndpoint, {}, context),
  }),
  defineOperation({
    id: 'listActivity',
    method: 'GET',
    path: '/api/v1/activity',
    tag,
    summary: 'Recent activity: every delivery attempt and every notice, newest first',
    auth: 'account',
    scope: 'read',
    query: listActivity.input,
    response: listOf(activityEntry),
    errors: [],
    run: ({ app, query, context }) => app.requester.requestBytes(listActivity, query, context),
  }),
];
