import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { getWebhookEndpoint, WebhookEventName } from '@app/contracts/webhooks';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Endpoint } from './endpoint.entity.ts';

export type EndpointResource = RequestOutput<typeof getWebhookEndpoint>;

/** The endpoint in its published form, without its secret. */
export function endpointResource(endpoint: Endpoint): EndpointResource {
  return {
    id: endpoint.id,
    url: endpoint.url,
    events: (endpoint.events ?? null) as WebhookEventName[] | null,
    active: endpoint.active,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

export async function findPrimaryEndpoint(em: EntityManager, accountId: string): Promise<Endpoint | null> {
  return await em.findOne(Endpoint, { accountId, role: 'primary' });
}

/** Locks the endpoint until the transaction ends, so that no event is stored for it meanwhile. */
export async function lockPrimaryEndpoint(tx: EntityManager, accountId: string): Promise<Endpoint | null> {
  return await tx.findOne(Endpoint, { accountId, role: 'primary' }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

/**
 * Records, in the transaction of the change, that the endpoint's waiting deliveries must be settled. So the transaction
 * stays short however many they are, and no event waits for it.
 */
export async function markUnsettled(tx: EntityManager, endpoint: Endpoint, now: Date): Promise<void> {
  await tx.execute(
    `insert into unsettled_endpoints (endpoint_id, account_id, url, changed_at) values (?, ?, ?, ?)
     on conflict (endpoint_id) do update set changed_at = excluded.changed_at, url = excluded.url`,
    [endpoint.id, endpoint.accountId, endpoint.url, now],
  );
}

export function endpointNotFound(): DomainError {
  return new DomainError('webhook_endpoint_not_found', 'This account has not connected a webhook endpoint.');
}
