import type { Database } from '@app/service-kit/database';
import { type EndpointResource, endpointNotFound, endpointResource, findPrimaryEndpoint } from './endpoint-resource.ts';

/** @throws DomainError webhook_endpoint_not_found */
export async function getEndpoint(database: Database, accountId: string): Promise<EndpointResource> {
  const endpoint = await findPrimaryEndpoint(database.fork(), accountId);
  if (endpoint === null) throw endpointNotFound();
  return endpointResource(endpoint);
}
