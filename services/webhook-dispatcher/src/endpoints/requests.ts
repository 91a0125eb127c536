import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  putWebhookEndpoint,
  takesWebhookEvent,
} from '@app/contracts/webhooks';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { deleteEndpoint } from './delete-endpoint.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { getEndpoint } from './get-endpoint.ts';
import { putEndpoint } from './put-endpoint.ts';
import { takesEvent } from './takes-event.ts';

export function endpointRequests(deps: EndpointDeps): RequestHandler[] {
  return [
    onRequest(getWebhookEndpoint, (_, { accountId }) => getEndpoint(deps.database, accountId)),
    onRequest(putWebhookEndpoint, ({ body }, { accountId, commandId }) =>
      putEndpoint(deps, accountId, commandId, body),
    ),
    onRequest(deleteWebhookEndpoint, (_, { accountId, commandId }) => deleteEndpoint(deps, accountId, commandId)),
    onRequest(takesWebhookEvent, ({ event }, { accountId }) => takesEvent(deps.database, accountId, event)),
  ];
}
