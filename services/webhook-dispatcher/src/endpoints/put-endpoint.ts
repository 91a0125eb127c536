import type { RequestInput } from '@app/contracts/define';
import type { putWebhookEndpoint } from '@app/contracts/webhooks';
import type { RequestContext } from '@app/messaging/request-headers';
import { changeEndpoint } from './change-endpoint.ts';
import { connectEndpoint } from './connect-endpoint.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { afterChange, type EndpointResource } from './endpoint-resource.ts';
import { lockEndpoints } from './find-endpoint.ts';
import { runSealed } from './sealed-result.ts';

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
  const resource = await runSealed(deps, commandId, async (tx) => {
    // Of two first calls at once, the second waits here and then finds the first one's endpoint.
    const found = await lockEndpoints(tx, accountId);
    const primary = found.connected.find(({ role }) => role === 'primary');
    if (primary === undefined)
      return await connectEndpoint(deps, tx, { accountId, commandId, role: 'primary' }, { ...found, body });
    return { resource: await changeEndpoint(deps, tx, primary, body), sealedSecret: null };
  });
  return await afterChange(deps, accountId, resource);
}
