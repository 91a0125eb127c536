import { revokeEndpoints as revokeContract } from '@app/contracts/accounts';
import * as contract from '@app/contracts/webhooks';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { updateEndpoint } from './change-endpoint.ts';
import { createEndpoint } from './connect-endpoint.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { listEndpoints, readEndpoint } from './endpoints.ts';
import { putEndpoint } from './put-endpoint.ts';
import { removeEndpoint } from './remove-endpoint.ts';
import { revokeEndpoints } from './revoke-endpoints.ts';
import { revealSecret, rotateSecret } from './signing-secrets.ts';
import { takesEvent } from './takes-event.ts';

export function endpointRequests(deps: EndpointDeps): RequestHandler[] {
  return [
    onRequest(contract.getWebhookEndpoint, (_, { accountId }) => readEndpoint(deps, accountId, 'primary')),
    onRequest(contract.putWebhookEndpoint, ({ body }, context) => putEndpoint(deps, context, body)),
    onRequest(contract.deleteWebhookEndpoint, (_, context) => removeEndpoint(deps, context, 'primary')),
    onRequest(contract.listWebhookEndpoints, (page, { accountId }) => listEndpoints(deps, accountId, page)),
    onRequest(contract.createWebhookEndpoint, ({ body }, context) => createEndpoint(deps, context, body)),
    onRequest(contract.readWebhookEndpoint, ({ endpointId: id }, { accountId }) =>
      readEndpoint(deps, accountId, { id }),
    ),
    onRequest(contract.updateWebhookEndpoint, ({ endpointId, body }, { accountId, commandId }) =>
      updateEndpoint(deps, { accountId, commandId, endpointId }, body),
    ),
    onRequest(contract.removeWebhookEndpoint, ({ endpointId: id }, context) => removeEndpoint(deps, context, { id })),
    onRequest(revokeContract, (_, { accountId }) => revokeEndpoints(deps, accountId)),
    onRequest(contract.rotateWebhookSecret, ({ endpointId, body }, { accountId, commandId }) =>
      rotateSecret(deps, { accountId, commandId, endpointId }, body),
    ),
    onRequest(contract.revealWebhookSecret, ({ endpointId }, { accountId }) =>
      revealSecret(deps, accountId, endpointId),
    ),
    onRequest(contract.takesWebhookEvent, ({ event }, { accountId }) => takesEvent(deps.database, accountId, event)),
  ];
}
