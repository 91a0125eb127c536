import type { RequestInput } from '@app/contracts/define';
import type { putWebhookEndpoint } from '@app/contracts/webhooks';
import type { RequestContext } from '@app/messaging/request-headers';
import { changeEndpoint } from './change-endpoint.ts';
import { changeLocked, connectEndpoint } from './connect-endpoint.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import type { EndpointResource } from './endpoint-resource.ts';

type Body = RequestInput<typeof putWebhookEndpoint>['body'];

/**
 * Connects the account's primary URL or changes its endpoint; fields left out stay as they are. Only the response that
 * connected it contains the signing secret.
 * @throws DomainError webhook_url_refused, limit_reached, validation_failed
 */
export async function putEndpoint(
  deps: EndpointDeps,
  { accountId, commandId }: RequestContext,
  body: Body,
): Promise<EndpointResource> {
  return await changeLocked(deps, { accountId, commandId }, async (tx, found) => {
    // Of two first calls at once, the second has waited for the lock and finds the first one's endpoint.
    const primary = found.connected.find(({ role }) => role === 'primary');
    if (primary === undefined)
      return await connectEndpoint(deps, tx, { accountId, commandId, role: 'primary' }, { ...found, body });
    return { resource: await changeEndpoint(deps, tx, primary, body), sealedSecret: null };
  });
}
