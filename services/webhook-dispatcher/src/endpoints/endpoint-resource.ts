import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { getWebhookEndpoint, WebhookEventName } from '@app/contracts/webhooks';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Endpoint } from './endpoint.entity.ts';

export type EndpointResource = RequestOutput<typeof getWebhookEndpoint>;

/** The endpoint as its owner reads it: without its secret. */
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

export async function findPrimary(em: EntityManager, accountId: string): Promise<Endpoint | null> {
  return await em.findOne(Endpoint, { accountId, role: 'primary' });
}

/** Locked until the transaction ends: no event is stored for it meanwhile. */
export async function lockPrimary(tx: EntityManager, accountId: string): Promise<Endpoint | null> {
  return await tx.findOne(Endpoint, { accountId, role: 'primary' }, { lockMode: LockMode.PESSIMISTIC_WRITE });
}

export function noEndpoint(): DomainError {
  return new DomainError('webhook_endpoint_not_found', 'This account has not connected a webhook endpoint.');
}
