import { type Database, statement } from '@app/service-kit/database';
import { liveLeaseOwners } from '@app/service-kit/lease-owner';
import { whoseWhileOff } from '../destinations/destination-kind-sql.ts';
import type { Partitions } from '../storage/partitions.ts';
import type { ClaimLimit } from './backlog.ts';
import type { Delivery, Destination, Lease } from './delivery.types.ts';
import { type DestinationRow, destinationColumns, destinationOf, destinationTypes } from './destination.ts';
import { reasonSql } from './end-reasons.rules.ts';
import { finishDeliveries, insertFinished, keptColumns } from './finish-deliveries.ts';
import type { Priority } from './priority.rules.ts';

/** Marks retries as due whose time has come. The index is in the order of their times, so later retries are not read. */
export const markDueStatement = statement(
  'deliveries-come-due',
  `update deliveries set due = true
   where id = any (array(
     select id from deliveries
     where status = 'pending' and not due and next_attempt_at <= $1
     order by next_attempt_at limit $2 for update skip locked))`,
);

/**
 * Lists endpoints with deliveries that have the mark `due`, of which priorities, and whether their time has come (`is_time`).
 * The statement reads the earliest due row of each and follows the index to the next. So a backlog of a million deliveries
 * costs as much as one delivery, and an endpoint whose retries are not due yet costs nothing.
 */
export const dueStatement = statement<{ endpoint_id: string; priority: Priority; is_time: boolean }>(
  'deliveries-due',
  `with recursive first as (
     (select endpoint_id, priority, next_attempt_at from deliveries
      where status = 'pending' and due and (endpoint_id, priority) > ($1, $2::smallint)
      order by endpoint_id, priority, next_attempt_at limit 1)
     union all
     select next.endpoint_id, next.priority, next.next_attempt_at
     from first, lateral (
       select endpoint_id, priority, next_attempt_at from deliveries
       where status = 'pending' and due and (endpoint_id, priority) > (first.endpoint_id, first.priority)
       order by endpoint_id, priority, next_attempt_at limit 1) next
   )
   select endpoint_id, priority, next_attempt_at <= $3 as is_time from first limit $4`,
  { endpoint_id: 'text', priority: 'int2', is_time: 'bool' },
);

/**
 * Claims due deliveries on lease, oldest first, up to a limit for each endpoint and priority. Deliveries of an endpoint
 * that is off or removed are held or canceled instead, and those of an automation that is off are canceled. While a change of the
 * endpoint is not applied yet (a row of `endpoint_changes`), its deliveries stay as they are: apply-change.ts decides on them.
 *
 * The shared locks order this statement and a change of the endpoint: switching it on must not release held deliveries
 * while this statement is about to hold more. It skips an endpoint that is being changed, which is claimed later, so
 * that no other endpoint waits for the change. Ids go through an array so that the planner always looks them up by key.
 */
const claimStatement = statement<ClaimedRow>(
  'deliveries-claim',
  `with endpoint as (
     select id, active, ${destinationColumns('e')} from endpoints e where id = any ($1::text[]) for share skip locked
   ), wanted as materialized (
     select l.endpoint_id, l.priority, l.max_count, e.id, e.active, ${destinationColumns('e')}
     from unnest($1::text[], $2::int[], $7::smallint[]) as l (endpoint_id, max_count, priority) left join endpoint e on e.id = l.endpoint_id
     where e.active or (
       (e.id is not null or not exists (select from endpoints where id = l.endpoint_id))
       and not exists (select from endpoint_changes where endpoint_id = l.endpoint_id))
   ), due as (
     select d.id from wanted w cross join lateral (
       select id from deliveries
       where status = 'pending' and due and endpoint_id = w.endpoint_id and priority = w.priority
         and next_attempt_at <= $3
       order by next_attempt_at, id limit w.max_count
       for update skip locked) d
   ), claimed as (
     update deliveries d set
       status = case when w.active then 'sending' else 'held' end,
       lease_token = case when w.active then $4 end,
       lease_owner = case when w.active then $5::int end,
       lease_until = case when w.active then clock_timestamp() + make_interval(secs => $6) end
     from wanted w
     where d.id = any (array(select id from due)) and d.endpoint_id = w.endpoint_id and d.priority = w.priority
       and (w.active or ${whoseWhileOff('held', 'w')})
     returning d.id, d.event_id, d.account_id, d.event_name, d.test, d.priority, d.attempts, d.attempts_before_schedule, d.status,
       d.next_attempt_at, d.endpoint_id, ${destinationColumns('w')}
   ), canceled as (
     delete from deliveries d using wanted w
     where d.id = any (array(select id from due)) and d.endpoint_id = w.endpoint_id and d.priority = w.priority
       and (w.id is null or (not w.active and ${whoseWhileOff('canceled', 'w')}))
     returning ${keptColumns}, d.priority, case when w.id is null then ${reasonSql('removed')} else ${reasonSql('discarded')} end as reason
   ), finished as (${insertFinished('canceled', { status: `'canceled'`, reason: 'reason', at: '$3' })})
   select c.*, coalesce(c.endpoint_id, n.endpoint_id) as counted_endpoint,
     coalesce(c.priority, n.priority) as counted_priority
   from claimed c full join canceled n on n.id = c.id
   order by c.priority, c.next_attempt_at, c.id`,
  {
    id: 'text',
    event_id: 'text',
    account_id: 'text',
    event_name: 'text',
    test: 'bool',
    priority: 'int2',
    attempts: 'int4',
    attempts_before_schedule: 'int4',
    status: 'text',
    next_attempt_at: 'timestamptz',
    endpoint_id: 'text',
    ...destinationTypes,
    counted_endpoint: 'text',
    counted_priority: 'int2',
  },
);

/**
 * The ids are known before, so their smallest and greatest let the plan, which is made once for all, open only the
 * partitions of those days.
 */
export const bodiesStatement = statement<BodyRow>(
  'event-bodies-of-claimed',
  `select event_id, body, traceparent from event_bodies
   where event_id = any ($1::text[]) and event_id >= $2 and event_id <= $3`,
  { event_id: 'text', body: 'text', traceparent: 'text' },
);

const expireStatement = statement(
  'deliveries-expire',
  `with expired as (
     delete from deliveries d using unnest($1::text[], $2::text[]) as e (id, account_id)
     where d.id = any ($1) and d.id = e.id and d.account_id = e.account_id and d.lease_token = $3
     returning ${keptColumns}
   ) ${insertFinished('expired', { status: `'failed'`, reason: reasonSql('expired'), at: '$4' })}`,
);

/**
 * Frees the deliveries of void leases: leases that have ended, that this process has lost (leases.ts) or whose process
 * is gone. A restart of the database takes the lock from a process that lives: it has a few seconds to lock again.
 */
const freeVoidStatement = statement<{ freed: number; replicas: number }>(
  'deliveries-free-void-leases',
  `with live as materialized (${liveLeaseOwners}
   ), freed as (
     update deliveries set status = 'pending', lease_token = null, lease_owner = null, lease_until = null
     where id = any (array(
       select id from deliveries
       where status = 'sending' and (lease_until < now() or lease_token = any ($3::text[])
         or (lease_owner <> $1 and lease_until < now() + make_interval(secs => $2)
           and lease_owner <> all (array(select objid from live))))
       order by lease_until limit 1000 for update skip locked))
     returning 1
   )
   select (select count(*)::int from freed) as freed, (select count(*)::int from live) as replicas`,
  { freed: 'int4', replicas: 'int4' },
);

const releaseStatement = statement(
  'deliveries-release',
  `update deliveries d set status = 'pending', lease_token = null, lease_owner = null, lease_until = null
   from unnest($1::text[], $2::text[], $3::text[]) as r (id, account_id, lease_token)
   where d.id = r.id and d.account_id = r.account_id and d.lease_token = r.lease_token`,
);

const pageMax = 1_000;

/** Deliveries of one priority for one endpoint. */
export type Due = Pick<ClaimLimit, 'endpointId' | 'priority'>;

/** Marks the retries whose time has come as due, and returns what is due. */
export async function markAndListDue(database: Database, now: Date): Promise<Due[]> {
  for (let marked = pageMax; marked === pageMax; )
    marked = (await database.pool.query(markDueStatement([now, pageMax]))).rowCount ?? 0;
  const found: Due[] = [];
  for (let after = { endpoint_id: '', priority: -1 }; ; ) {
    const { rows } = await database.pool.query(dueStatement([after.endpoint_id, after.priority, now, pageMax]));
    for (const { endpoint_id: endpointId, priority, is_time: isTime } of rows)
      if (isTime) found.push({ endpointId, priority });
    const last = rows[pageMax - 1];
    if (last === undefined) return found;
    after = last;
  }
}

interface ClaimedRow extends DestinationRow {
  readonly id: string;
  readonly event_id: string;
  readonly account_id: string;
  readonly event_name: string;
  readonly test: boolean;
  readonly priority: Priority;
  readonly attempts: number;
  readonly attempts_before_schedule: number;
  readonly status: 'sending' | 'held' | null;
  readonly next_attempt_at: Date;
  readonly endpoint_id: string;
  /** As above, also of rows that were canceled, whose other columns are null. */
  readonly counted_endpoint: string;
  readonly counted_priority: Priority;
}

interface BodyRow {
  readonly event_id: string;
  readonly body: string;
  readonly traceparent: string | null;
}

export interface ClaimedBatch {
  readonly destination: Destination;
  readonly deliveries: Delivery[];
}

export interface Claim {
  readonly limits: readonly ClaimLimit[];
  readonly now: Date;
  readonly lease: Lease;
}

export interface ClaimStorage {
  readonly database: Database;
  readonly partitions: Partitions;
}

/**
 * Claims due deliveries on lease. Those whose body is no longer kept expire: they are `failed`. `more` says of what there
 * may be more: where as many were found as the limit allows, including those that were held or canceled because the
 * endpoint is off or removed.
 */
export async function claimDeliveries(
  storage: ClaimStorage,
  claim: Claim,
): Promise<{ claimed: ClaimedBatch[]; more: Due[] }> {
  const { limits, now, lease } = claim;
  const endpointIds = limits.map(({ endpointId }) => endpointId);
  const most = limits.map(({ limit }) => limit);
  const ofPriority = limits.map(({ priority }) => priority);
  const values = [endpointIds, most, now, lease.token, lease.owner, lease.seconds, ofPriority];
  const { rows } = await finishDeliveries(storage, () => storage.database.pool.query(claimStatement(values)));
  const counts = new Map<string, number>();
  for (const { counted_endpoint: endpointId, counted_priority: priority } of rows) {
    const key = `${endpointId} ${priority}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const more = limits.filter(
    ({ endpointId, priority, limit }) => (counts.get(`${endpointId} ${priority}`) ?? 0) >= limit,
  );
  const sending = rows.filter((row) => row.status === 'sending');
  if (sending.length === 0) return { claimed: [], more };
  const bodies = await readBodies(storage.database, sending);
  const [kept, expired] = [[] as ClaimedRow[], [] as ClaimedRow[]];
  for (const row of sending) (bodies.has(row.event_id) ? kept : expired).push(row);
  if (expired.length > 0) await expireDeliveries(storage, claim, expired);
  const claimed = [...Map.groupBy(kept, (row) => row.endpoint_id)].map(([endpointId, [first, ...others]]) => ({
    destination: destinationOf(endpointId, first as ClaimedRow),
    deliveries: [first as ClaimedRow, ...others].map((row) =>
      deliveryOf(row, bodies.get(row.event_id) as BodyRow, lease),
    ),
  }));
  return { claimed, more };
}

async function readBodies(database: Database, rows: readonly ClaimedRow[]): Promise<Map<string, BodyRow>> {
  const ids = [...new Set(rows.map((row) => row.event_id))].sort();
  const { rows: bodies } = await database.pool.query(bodiesStatement([ids, ids[0], ids.at(-1)]));
  return new Map(bodies.map((row) => [row.event_id, row]));
}

async function expireDeliveries(
  storage: ClaimStorage,
  { lease, now }: Claim,
  rows: readonly ClaimedRow[],
): Promise<void> {
  const ids = rows.map((row) => row.id);
  const accountIds = rows.map((row) => row.account_id);
  const values = [ids, accountIds, lease.token, now];
  await finishDeliveries(storage, () => storage.database.pool.query(expireStatement(values)));
}

function deliveryOf(row: ClaimedRow, { body, traceparent }: BodyRow, lease: Lease): Delivery {
  return {
    id: row.id,
    accountId: row.account_id,
    eventId: row.event_id,
    eventName: row.event_name,
    body,
    test: row.test,
    traceparent,
    priority: row.priority,
    attemptNumber: row.attempts + 1,
    attemptsBeforeSchedule: row.attempts_before_schedule,
    leaseToken: lease.token,
    leaseEndsMs: lease.endsMs,
  };
}

const lockGraceSeconds = 3;

/** Returns deliveries to `pending` whose lease is void, at most 1,000, and says how many, and how many replicas live. */
export async function freeVoidLeases(
  database: Database,
  own: { owner: number; leaseSeconds: number; lostTokens: readonly string[] },
): Promise<{ freed: number; replicas: number }> {
  const values = [own.owner, own.leaseSeconds - lockGraceSeconds, own.lostTokens];
  const { rows } = await database.pool.query(freeVoidStatement(values));
  return rows[0] as { freed: number; replicas: number };
}

/** Returns claimed deliveries to `pending` without an attempt. A delivery that has another lease by now stays as it is. */
export async function releaseDeliveries(database: Database, deliveries: readonly Delivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map((delivery) => delivery.id);
  const accountIds = deliveries.map((delivery) => delivery.accountId);
  const tokens = deliveries.map((delivery) => delivery.leaseToken);
  await database.pool.query(releaseStatement([ids, accountIds, tokens]));
}
