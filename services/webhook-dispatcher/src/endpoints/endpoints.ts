import type { RequestOutput } from '@app/contracts/define';
import type { listWebhookEndpoints } from '@app/contracts/webhooks';
import type { EndpointDeps } from './endpoint-deps.ts';
import { type EndpointResource, endpointResource, endpointResources } from './endpoint-resource.ts';
import { findEndpoint, findEndpoints, type Which } from './find-endpoint.ts';

type Deps = Pick<EndpointDeps, 'database' | 'secrets' | 'clock'>;

/** @throws DomainError webhook_endpoint_not_found */
export async function readEndpoint(deps: Deps, accountId: string, which: Which): Promise<EndpointResource> {
  return await deps.database
    .fork()
    .transactional(async (tx) => endpointResource(deps, tx, await findEndpoint(tx, accountId, which)));
}

/** Every URL of the account, the primary one first. */
export async function listEndpoints(
  deps: Deps,
  accountId: string,
): Promise<RequestOutput<typeof listWebhookEndpoints>> {
  const data = await deps.database
    .fork()
    .transactional(async (tx) => endpointResources(deps, tx, accountId, await findEndpoints(tx, accountId)));
  return { data };
}
