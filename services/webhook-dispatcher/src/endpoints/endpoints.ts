import type { PageQuery } from '@app/contracts/common';
import type { RequestOutput } from '@app/contracts/define';
import type { listWebhookEndpoints } from '@app/contracts/webhooks';
import { pageOfAll } from '@app/service-kit/paging';
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

/**
 * Every URL of the account, the primary one first, then by age.
 * @throws DomainError validation_failed for an unknown `before`
 */
export async function listEndpoints(
  deps: Deps,
  accountId: string,
  query: PageQuery,
): Promise<RequestOutput<typeof listWebhookEndpoints>> {
  return await deps.database.fork().transactional(async (tx) => {
    const { data, ...page } = pageOfAll(await findEndpoints(tx, accountId), query);
    return { data: await endpointResources(deps, tx, accountId, data), ...page };
  });
}
