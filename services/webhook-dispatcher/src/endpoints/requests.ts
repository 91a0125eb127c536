import {
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  putWebhookEndpoint,
  takesWebhookEvent,
} from '@app/contracts/webhooks';
import { type Answer, answer } from '@app/messaging/serve-requests';
import { deleteEndpoint } from './delete-endpoint.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { getEndpoint } from './get-endpoint.ts';
import { putEndpoint } from './put-endpoint.ts';
import { takesEvent } from './takes-event.ts';

export function endpointRequests(deps: EndpointDeps): Answer[] {
  return [
    answer(getWebhookEndpoint, (_, { accountId }) => getEndpoint(deps.database, accountId)),
    answer(putWebhookEndpoint, ({ body }, { accountId, commandId }) => putEndpoint(deps, accountId, commandId, body)),
    answer(deleteWebhookEndpoint, (_, { accountId, commandId }) => deleteEndpoint(deps, accountId, commandId)),
    answer(takesWebhookEvent, ({ event }, { accountId }) => takesEvent(deps.database, accountId, event)),
  ];
}
