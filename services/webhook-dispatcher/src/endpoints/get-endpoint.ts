import type { Database } from '@app/service-kit/database';
import { type EndpointResource, endpointResource, findPrimary, noEndpoint } from './endpoint-resource.ts';

/** @throws DomainError webhook_endpoint_not_found */
export async function getEndpoint(database: Database, accountId: string): Promise<EndpointResource> {
  const endpoint = await findPrimary(database.fork(), accountId);
  if (endpoint === null) throw noEndpoint();
  return endpointResource(endpoint);
}
