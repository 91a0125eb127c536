import { type Database, statement } from '@app/service-kit/database';
import { liveLeaseOwners } from '@app/service-kit/lease-owner';
import type { Delivery, Destination, Lease } from './delivery.types.ts';

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
 * Lists endpoints with due deliveries. The statement reads the earliest due row of each endpoint and follows the index
 * to the next endpoint. So a backlog of a million deliveries costs as much as one delivery, and an endpoint whose
 * retries are not due yet costs nothing.
 */
export const dueStatement = statement(
  'deliveries-due',
  `with recursive first as (
     (select endpoint_id, next_attempt_at from deliveries
      where status = 'pending' and due and endpoint_id > $1 order by endpoint_id, next_attempt_at limit 1)
     union all
     select next.endpoint_id, next.next_attempt_at
     from first, lateral (
       select endpoint_id, next_attempt_at from deliveries
       where status = 'pending' and due and endpoint_id > first.endpoint_id order by endpoint_id, next_attempt_at limit 1) next
   )
   select endpoint_id, next_attempt_at <= $2 as due from first limit $3`,
);

/**
 * Claims due deliveries on lease, oldest first, up to a limit for each endpoint. Deliveries of an endpoint that is off
 * or removed are held or canceled instead, unless settle-endpoint.ts is doing that.
 *
 * The shared locks order this statement and a change of the endpoint: switching it on must not release held deliveries
 * while this statement is about to hold more. It skips an endpoint that is being changed, which is claimed later, so
 * that no other endpoint waits for the change. Ids go through an array so that the planner always looks them up by key.
 */
const claimStatement = statement(
  'deliveries-claim',
  `with endpoint as (
     select id, active, url, secret, version from endpoints where id = any ($1::text[]) for share skip locked
   ), wanted as materialized (
     select w.endpoint_id, w.max_count, e.id, e.active, e.url, e.secret, e.version
     from unnest($1::text[], $2::int[]) as w (endpoint_id, max_count) left join endpoint e on e.id = w.endpoint_id
     where e.active or (
       (e.id is not null or not exists (select from endpoints where id = w.endpoint_id))
       and not exists (select from unsettled_endpoints where endpoint_id = w.endpoint_id))
   ), due as (
     select d.id from wanted w cross join lateral (
       select id from deliveries
       where status = 'pending' and due and endpoint_id = w.endpoint_id and next_attempt_at <= $3
       order by next_attempt_at, id limit w.max_count
       for update skip locked) d
   ), claimed as (
     update deliveries d set
       status = case when w.active then 'sending' when w.id is null then 'canceled' else 'held' end,
       lease_token = case when w.active then $4 end,
       lease_owner = case when w.active then $5::int end,
       lease_until = case when w.active then clock_timestamp() + make_interval(secs => $6) end
     from wanted w
     where d.id = any (array(select id from due)) and d.endpoint_id = w.endpoint_id
     returning d.id, d.event_id, d.account_id, d.attempts, d.status, d.next_attempt_at,
       d.endpoint_id, w.url, w.secret, w.version
   )
   select c.*, v.name, v.body, v.test, v.traceparent
   from claimed c join events v on v.id = c.event_id and v.account_id = c.account_id
   order by c.next_attempt_at, c.id`,
);

/**
 * Frees the deliveries of void leases: leases that have ended, that this process has lost (leases.ts) or whose process
 * is gone. A restart of the database takes the lock from a process that lives: it has a few seconds to lock again.
 */
const freeVoidStatement = statement(
  'deliveries-expired',
  `update deliveries set status = 'pending', lease_token = null, lease_owner = null, lease_until = null
   where id = any (array(
     select id from deliveries
     where status = 'sending' and (lease_until < now() or lease_token = any ($3::text[])
       or (lease_owner <> $1 and lease_until < now() + make_interval(secs => $2)
         and lease_owner <> all (array(${liveLeaseOwners}))))
     order by lease_until limit 1000 for update skip locked))`,
);

const releaseStatement = statement(
  'deliveries-give-back',
  `update deliveries d set status = 'pending', lease_token = null, lease_owner = null, lease_until = null
   from unnest($1::text[], $2::text[], $3::text[]) as r (id, account_id, lease_token)
   where d.id = r.id and d.account_id = r.account_id and d.lease_token = r.lease_token`,
);

const pageMax = 1_000;

/** Marks the retries whose time has come as due, and returns the ids of all endpoints with due deliveries. */
export async function listEndpointsWithDue(database: Database, now: Date): Promise<string[]> {
  for (let marked = pageMax; marked === pageMax; )
    marked = (await database.pool.query(markDueStatement([now, pageMax]))).rowCount ?? 0;
  const found: string[] = [];
  for (let after = ''; ; ) {
    const { rows } = await database.pool.query<{ endpoint_id: string; due: boolean }>(
      dueStatement([after, now, pageMax]),
    );
    for (const row of rows) if (row.due) found.push(row.endpoint_id);
    const last = rows[pageMax - 1];
    if (last === undefined) return found;
    after = last.endpoint_id;
  }
}

interface ClaimedRow {
  readonly id: string;
  readonly event_id: string;
  readonly account_id: string;
  readonly attempts: number;
  readonly status: string;
  readonly endpoint_id: string;
  readonly url: string;
  readonly secret: string;
  readonly version: number;
  readonly name: string;
  readonly body: string;
  readonly test: boolean;
  readonly traceparent: string | null;
}

export interface ClaimedBatch {
  readonly destination: Destination;
  readonly deliveries: Delivery[];
}

export interface Claim {
  /** The most deliveries to claim, by endpoint. */
  readonly limits: ReadonlyMap<string, number>;
  readonly now: Date;
  readonly lease: Lease;
}

/**
 * Claims due deliveries on lease. `counts` says how many rows each endpoint had, including those that were held or
 * canceled because the endpoint is off or removed.
 */
export async function claimDeliveries(
  database: Database,
  claim: Claim,
): Promise<{ claimed: ClaimedBatch[]; counts: Map<string, number> }> {
  const { limits, now, lease } = claim;
  const values = [[...limits.keys()], [...limits.values()], now, lease.token, lease.owner, lease.seconds];
  const { rows } = await database.pool.query<ClaimedRow>(claimStatement(values));
  const byEndpoint = new Map<string, ClaimedBatch>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    counts.set(row.endpoint_id, (counts.get(row.endpoint_id) ?? 0) + 1);
    if (row.status !== 'sending') continue;
    let batch = byEndpoint.get(row.endpoint_id);
    if (batch === undefined) {
      const destination = { endpointId: row.endpoint_id, version: row.version, url: row.url, secret: row.secret };
      batch = { destination, deliveries: [] };
      byEndpoint.set(row.endpoint_id, batch);
    }
    batch.deliveries.push(deliveryOf(row, lease));
  }
  return { claimed: [...byEndpoint.values()], counts };
}

function deliveryOf(row: ClaimedRow, lease: Lease): Delivery {
  return {
    id: row.id,
    accountId: row.account_id,
    eventId: row.event_id,
    eventName: row.name,
    body: row.body,
    test: row.test,
    traceparent: row.traceparent,
    number: row.attempts + 1,
    leaseToken: lease.token,
    leaseEndsMs: lease.endsMs,
  };
}

const lockGraceSeconds = 3;

/** Returns deliveries to `pending` whose lease is void, at most 1,000, and says how many. */
export async function freeVoidLeases(
  database: Database,
  own: { owner: number; leaseSeconds: number; lostTokens: readonly string[] },
): Promise<number> {
  const values = [own.owner, own.leaseSeconds - lockGraceSeconds, own.lostTokens];
  return (await database.pool.query(freeVoidStatement(values))).rowCount ?? 0;
}

/** Returns claimed deliveries to `pending` without a try. A delivery that has another lease by now stays as it is. */
export async function releaseDeliveries(database: Database, deliveries: readonly Delivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map((delivery) => delivery.id);
  const accountIds = deliveries.map((delivery) => delivery.accountId);
  const tokens = deliveries.map((delivery) => delivery.leaseToken);
  await database.pool.query(releaseStatement([ids, accountIds, tokens]));
}
