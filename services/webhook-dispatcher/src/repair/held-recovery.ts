import { newId } from '@app/contracts/ids';
import { orderEventNames } from '@app/contracts/webhooks';
import { executeBound } from '@app/service-kit/bound-sql';
import { statement } from '@app/service-kit/database';
import type { EntityManager } from '@mikro-orm/postgresql';
import { recoveryPerSecond } from './batch-size.rules.ts';

interface EndpointRef {
  readonly id: string;
  readonly accountId: string;
}

/** Names of the events that a recovery of this kind goes through; null for all. */
export const namesOf = (which: 'failed' | 'all' | 'orders'): readonly string[] | null =>
  which === 'orders' ? orderEventNames : null;

/** Of these, the names of those that it sends to an endpoint that takes `events`. */
export function sentNames(
  which: 'failed' | 'all' | 'orders',
  events: readonly string[] | null,
): readonly string[] | null {
  const names = namesOf(which);
  return names === null || events === null ? (names ?? events) : names.filter((name) => events.includes(name));
}

const runningStatement = statement<{ id: string; which: string }>(
  'held-recovery-running',
  `select id, which from recoveries
  where endpoint_id = $1 and account_id = $2 and kind = 'held' and status = 'running' for update`,
  { id: 'text', which: 'text' },
);

/**
 * Only one row of what is held is read, however much of it is not sent: enqueue-stored.ts finds that out, by the
 * filter of that time. What is still to be held (endpoints/record-change.ts) is released, too.
 */
const insertStatement = statement<{ id: string }>(
  'held-recovery-insert',
  `insert into recoveries (id, account_id, endpoint_id, kind, which, until, per_second, created_at)
  select $3, $2, $1, 'held', $4, $5, $6, $5
  where exists (select from deliveries where status = 'held' and endpoint_id = $1 and account_id = $2)
    or exists (select from endpoint_changes where endpoint_id = $1 and account_id = $2 and hold_until is not null)
  returning id`,
  { id: 'text' },
);

/**
 * Begins to send what is held for the endpoint, in the transaction that switches it on or gives it its URL, and holds its
 * row locked, once the change is recorded. The transaction stays short however much is held: recovery-loop.ts does the rest. A
 * running one with another choice is replaced.
 * @returns the recovery's id; null when nothing is held
 */
export async function startHeldRecovery(
  tx: EntityManager,
  now: Date,
  endpoint: EndpointRef,
  which: 'all' | 'orders',
): Promise<string | null> {
  const of = [endpoint.id, endpoint.accountId];
  const [running] = await executeBound(tx, runningStatement(of));
  if (running?.which === which) return running.id;
  if (running !== undefined) await stopHeldRecovery(tx, now, endpoint);
  const values = [...of, newId('recovery', now.getTime()), which, now, recoveryPerSecond];
  const [started] = await executeBound(tx, insertStatement(values));
  return started?.id ?? null;
}

/** Parameters: the endpoint, its account and the time. */
export const stopHeldStatement = statement(
  'held-recovery-stop',
  `update recoveries set status = 'canceled', finished_at = $3
   where endpoint_id = $1 and account_id = $2 and kind = 'held' and status = 'running'`,
);

/** Ends the sending of what is held: the endpoint is switched off, or the rest is dropped. */
export async function stopHeldRecovery(tx: EntityManager, now: Date, endpoint: EndpointRef): Promise<void> {
  await executeBound(tx, stopHeldStatement([endpoint.id, endpoint.accountId, now]));
}

const runningIdsOf = (accountId: string, endpointIds: string): string =>
  `select distinct on (endpoint_id) endpoint_id, id from recoveries
  where account_id = ${accountId} and endpoint_id = any (string_to_array(${endpointIds}, ',')) and status = 'running'
  order by endpoint_id, kind = 'held' desc`;
/** To be proved; the ORM, which may read in a transaction or without one, has parameters of its own. */
statement<{ endpoint_id: string; id: string }>('held-recovery-running-ids', runningIdsOf('$1', '$2'), {
  endpoint_id: 'text',
  id: 'text',
});

/** Ids of the running recoveries by endpoint. Where two are running, it is the one of what was held, which goes first. */
export async function runningRecoveries(
  em: EntityManager,
  accountId: string,
  endpointIds: readonly string[],
): Promise<Map<string, string>> {
  const values = [accountId, endpointIds.join(',')];
  const rows = await em.execute<{ endpoint_id: string; id: string }[]>(runningIdsOf('?', '?'), values);
  return new Map(rows.map(({ endpoint_id: endpointId, id }) => [endpointId, id]));
}
