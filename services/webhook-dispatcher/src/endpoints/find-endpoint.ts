import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import { type EntityManager, LockMode } from '@mikro-orm/postgresql';
import { noPrimaryEndpoint, unknownEndpoint } from '../texts/endpoint-errors.ts';
import { Endpoint } from './endpoint.entity.ts';
import { firstEndpointLock } from './first-endpoint-lock.ts';

/** Which one: the account's endpoint of role `primary`, or one by its id. */
export type Which = 'primary' | { readonly id: string };

const locking = { lockMode: LockMode.PESSIMISTIC_WRITE } as const;
const roles = ['primary', 'additional'] as const;
const connected = { url: { $ne: null } } as const;

function matching(accountId: string, which: Which) {
  return which === 'primary'
    ? { accountId, role: 'primary' as const, ...connected }
    : { accountId, id: which.id, role: { $in: [...roles] }, ...connected };
}

/** @throws DomainError webhook_endpoint_not_found */
export async function findEndpoint(em: EntityManager, accountId: string, which: Which): Promise<Endpoint> {
  return found(await em.findOne(Endpoint, matching(accountId, which)), which);
}

/**
 * Locks the endpoint until the transaction ends, so that no event is stored for it meanwhile.
 * @throws DomainError webhook_endpoint_not_found
 */
export async function lockEndpoint(tx: EntityManager, accountId: string, which: Which): Promise<Endpoint> {
  return found(await tx.findOne(Endpoint, matching(accountId, which), locking), which);
}

function found(endpoint: Endpoint | null, which: Which): Endpoint {
  if (endpoint !== null) return endpoint;
  throw which === 'primary' ? noPrimaryEndpoint() : unknownEndpoint();
}

/** Every URL of the account, the primary one first, then by age. */
export async function findEndpoints(em: EntityManager, accountId: string): Promise<Endpoint[]> {
  const where = { accountId, role: { $in: [...roles] }, ...connected };
  return await em.find(Endpoint, where, { orderBy: { role: 'desc', createdAt: 'asc', id: 'asc' } });
}

/** The URLs of an account, and the endpoint without one that holds events for the first; all are locked. */
export interface LockedEndpoints {
  readonly connected: readonly Endpoint[];
  readonly waiting: Endpoint | undefined;
}

const firstLockStatement = statement<{ pg_advisory_xact_lock: unknown }>(
  'endpoints-first-lock',
  `select ${firstEndpointLock('$1')}`,
  { pg_advisory_xact_lock: 'void' },
);

/** Lets one transaction at a time connect a URL to the account, or make the endpoint of its first event. */
export async function lockEndpoints(tx: EntityManager, accountId: string): Promise<LockedEndpoints> {
  await executeBound(tx, firstLockStatement([accountId]));
  const where = { accountId, role: { $in: [...roles] } };
  const all = await tx.find(Endpoint, where, { ...locking, orderBy: { id: 'asc' } });
  return { connected: all.filter(({ url }) => url != null), waiting: all.find(({ url }) => url == null) };
}
