import { deleteWebhookEndpoint, getWebhookEndpoint, listActivity, putWebhookEndpoint } from '@app/contracts/webhooks';
import { forwardOperation } from '../operations/forward-operation.ts';

const tag = 'Webhooks';
const path = '/api/v1/webhook-endpoint';

export const webhookOperations = [
  forwardOperation(getWebhookEndpoint, {
    id: 'getWebhookEndpoint',
    method: 'GET',
    path,
    tag,
    summary: 'Read the connected webhook URL',
    errors: ['webhook_endpoint_not_found'],
  }),
  forwardOperation(putWebhookEndpoint, {
    id: 'putWebhookEndpoint',
    method: 'PUT',
    path,
    tag,
    summary: 'Connect a webhook URL, or change the connected one',
    description: 'The answer that connects it holds the signing secret; it is shown this once.',
    secret: {
      name: 'secret',
      notice:
        'The secret was shown once, in the first answer. If that got lost, disconnect the URL and connect it again.',
    },
    errors: ['webhook_url_refused'],
  }),
  forwardOperation(deleteWebhookEndpoint, {
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path,
    tag,
    summary: 'Disconnect the webhook URL',
    errors: ['webhook_endpoint_not_found'],
  }),
  forwardOperation(listActivity, {
    id: 'listActivity',
    method: 'GET',
    path: '/api/v1/activity',
    tag,
    summary: 'Recent activity: every delivery attempt and every notice, newest first',
    errors: [],
  }),
];
