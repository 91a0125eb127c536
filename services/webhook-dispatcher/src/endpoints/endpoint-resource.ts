import type { RequestOutput } from '@app/contracts/define';
import type { getWebhookEndpoint, WebhookEventName } from '@app/contracts/webhooks';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import { inIndexOrder } from '@app/service-kit/planner';
import type { EntityManager } from '@mikro-orm/postgresql';
import { isTestSend } from '../deliveries/test-send.rules.ts';
import { runningRecoveries } from '../repair/held-recovery.ts';
import { headerNames } from '../secrets/own-headers.ts';
import type { Endpoint } from './endpoint.entity.ts';
import type { EndpointDeps } from './endpoint-deps.ts';

export type EndpointResource = RequestOutput<typeof getWebhookEndpoint>;

/** Reading 10,001 entries of an index takes a few milliseconds, whether that is all or there are a million. */
const heldMax = 10_000;
/** A test send is no event that the seller misses: the release of what is held drops it (repair/enqueue-stored.ts). */
const ofHeld = `d.status = 'held' and d.endpoint_id = e.id and not ${isTestSend('d')}`;
const stateStatement = statement<State>(
  'endpoint-resource-state',
  `
  select e.id, h.count, f.since as failing_since, (
    select d.created_at from deliveries d
    where ${ofHeld} order by d.id limit 1) as oldest_at
  from endpoints e
    cross join lateral (
      select count(*)::int as count from (
        select from deliveries d
        where ${ofHeld} order by d.id limit ${heldMax + 1}) held) h
    left join failing_endpoints f on f.endpoint_id = e.id and f.account_id = e.account_id
  where e.account_id = $1 and e.id = any ($2::text[])`,
  { id: 'text', count: 'int4', failing_since: 'timestamptz', oldest_at: 'timestamptz' },
);

interface State {
  readonly id: string;
  readonly count: number;
  readonly failing_since: Date | null;
  readonly oldest_at: Date | null;
}

async function readStates(tx: EntityManager, accountId: string, ids: readonly string[]): Promise<State[]> {
  await executeBound(tx, inIndexOrder());
  return await executeBound(tx, stateStatement([accountId, ids]));
}

/** Endpoints of the account in their published form, without secrets. The transaction has stored them before. */
export async function endpointResources(
  deps: Pick<EndpointDeps, 'secrets' | 'clock'>,
  tx: EntityManager,
  accountId: string,
  endpoints: readonly Endpoint[],
): Promise<EndpointResource[]> {
  const ids = endpoints.map(({ id }) => id);
  const states = await readStates(tx, accountId, ids);
  const recoveries = await runningRecoveries(tx, accountId, ids);
  return endpoints.map((endpoint) => {
    const state = states.find(({ id }) => id === endpoint.id);
    return { ...ownFields(deps, endpoint), ...stateFields(state), recovery_id: recoveries.get(endpoint.id) ?? null };
  });
}

/** One of them. */
export async function endpointResource(
  deps: Pick<EndpointDeps, 'secrets' | 'clock'>,
  tx: EntityManager,
  endpoint: Endpoint,
): Promise<EndpointResource> {
  await tx.flush();
  const [resource] = await endpointResources(deps, tx, endpoint.accountId, [endpoint]);
  return resource as EndpointResource;
}

/**
 * After the commit of a change: applies it to what waits, or to the first of it, notifies every replica, and returns the
 * endpoint with what is held then.
 */
export async function afterChange(
  deps: Pick<EndpointDeps, 'database' | 'applyChange' | 'announce'>,
  accountId: string,
  resource: EndpointResource,
): Promise<EndpointResource> {
  const { id, held } = resource;
  await deps.applyChange(id);
  deps.announce(id);
  const [state] = await deps.database.fork().transactional(async (tx) => readStates(tx, accountId, [id]));
  return { ...resource, held: state === undefined ? held : stateFields(state).held };
}

function ownFields({ secrets, clock }: Pick<EndpointDeps, 'secrets' | 'clock'>, endpoint: Endpoint) {
  const { role, switchedOffReason: reason, switchedOffAt: at, previousSecretUntil: until } = endpoint;
  return {
    id: endpoint.id,
    role: role === 'additional' ? ('additional' as const) : ('primary' as const),
    url: endpoint.url ?? '',
    description: endpoint.description,
    events: (endpoint.events ?? null) as WebhookEventName[] | null,
    headers: headerNames(secrets, endpoint.id, endpoint.headers ?? null),
    active: endpoint.active,
    switched_off: reason && at ? { reason, at: at.toISOString() } : null,
    previous_secret_expires_at: until && until > clock.now() ? until.toISOString() : null,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

function stateFields(state: State | undefined) {
  const { count = 0, oldest_at: oldestAt = null, failing_since: failingSince = null } = state ?? {};
  return {
    failing_since: failingSince?.toISOString() ?? null,
    held: { count: Math.min(count, heldMax), more: count > heldMax, oldest_at: oldestAt?.toISOString() ?? null },
  };
}
