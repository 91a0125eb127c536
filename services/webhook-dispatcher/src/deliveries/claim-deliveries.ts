import { type Database, statement } from '@app/service-kit/database';
import { liveLeaseOwners } from '@app/service-kit/lease-owner';
import type { Delivery, Destination, Lease } from './delivery.types.ts';

/**
 * Retries whose time has come join what is due. The index is in the order of their times: what has not come yet is not
 * read.
 */
export const comeDueStatement = statement(
  'deliveries-come-due',
  `update deliveries set due = true
   where id = any (array(
     select id from deliveries
     where status = 'pending' and not due and next_attempt_at <= $1
     order by next_attempt_at limit $2 for update skip locked))`,
);

/**
 * The endpoints that something is due for. The first due row of each endpoint is its earliest, and the index leads from
 * one endpoint to the next without reading the rest, so a backlog of a million costs the same as one delivery, and an
 * endpoint whose retries wait for their time costs nothing.
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
 * Takes due deliveries on lease, oldest first, as many of each endpoint as there is room for. What waits for an endpoint
 * that is off or gone is settled on the way, unless settle-endpoint.ts is at it. The shared locks keep whoever switches it on from releasing what was held
 * before this has held more; an endpoint that is being changed right now has its turn later and delays no other. Ids go
 * through an array so that the planner always looks them up by key.
 */
const claimStatement = statement(
  'deliveries-claim',
  `with endpoint as (
     select id, active, url, secret, version from endpoints where id = any ($1::text[]) for share skip locked
   ), wanted as materialized (
     select w.endpoint_id, w.room, e.id, e.active, e.url, e.secret, e.version
     from unnest($1::text[], $2::int[]) as w (endpoint_id, room) left join endpoint e on e.id = w.endpoint_id
     where e.active or (
       (e.id is not null or not exists (select from endpoints where id = w.endpoint_id))
       and not exists (select from unsettled_endpoints where endpoint_id = w.endpoint_id))
   ), due as (
     select d.id from wanted w cross join lateral (
       select id from deliveries
       where status = 'pending' and due and endpoint_id = w.endpoint_id and next_attempt_at <= $3
       order by next_attempt_at, id limit w.room
       for update skip locked) d
   ), taken as (
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
   select t.*, v.name, v.body, v.test, v.traceparent
   from taken t join events v on v.id = t.event_id and v.account_id = t.account_id
   order by t.next_attempt_at, t.id`,
);

/**
 * Leases that ran out, those this process lost sight of (leases.ts), and those of processes that are gone. A process
 * that lives and lost its lock's session in a restart of the database has a few seconds to take it again.
 */
const expiredStatement = statement(
  'deliveries-expired',
  `update deliveries set status = 'pending', lease_token = null, lease_owner = null, lease_until = null
   where id = any (array(
     select id from deliveries
     where status = 'sending' and (lease_until < now() or lease_token = any ($3::text[])
       or (lease_owner <> $1 and lease_until < now() + make_interval(secs => $2)
         and lease_owner <> all (array(${liveLeaseOwners}))))
     order by lease_until limit 1000 for update skip locked))`,
);

const giveBackStatement = statement(
  'deliveries-give-back',
  `update deliveries d set status = 'pending', lease_token = null, lease_owner = null, lease_until = null
   from unnest($1::text[], $2::text[], $3::text[]) as r (id, account_id, lease_token)
   where d.id = r.id and d.account_id = r.account_id and d.lease_token = r.lease_token`,
);

const pageMax = 1_000;

/** Ids of endpoints with due deliveries. */
export async function endpointsWithDue(database: Database, now: Date): Promise<string[]> {
  for (let come = pageMax; come === pageMax; )
    come = (await database.pool.query(comeDueStatement([now, pageMax]))).rowCount ?? 0;
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

interface TakenRow {
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

export interface Taken {
  readonly destination: Destination;
  readonly deliveries: Delivery[];
}

export interface Claim {
  readonly rooms: ReadonlyMap<string, number>;
  readonly now: Date;
  readonly lease: Lease;
}

/** Takes due deliveries on lease. `rows` counts, by endpoint, also those that were settled because it is off or gone. */
export async function claimDeliveries(
  database: Database,
  claim: Claim,
): Promise<{ taken: Taken[]; rows: Map<string, number> }> {
  const { rooms, now, lease } = claim;
  const values = [[...rooms.keys()], [...rooms.values()], now, lease.token, lease.owner, lease.seconds];
  const { rows } = await database.pool.query<TakenRow>(claimStatement(values));
  const byEndpoint = new Map<string, Taken>();
  const counts = new Map<string, number>();
  for (const row of rows) {
    counts.set(row.endpoint_id, (counts.get(row.endpoint_id) ?? 0) + 1);
    if (row.status !== 'sending') continue;
    let taken = byEndpoint.get(row.endpoint_id);
    if (taken === undefined) {
      const destination = { endpointId: row.endpoint_id, version: row.version, url: row.url, secret: row.secret };
      taken = { destination, deliveries: [] };
      byEndpoint.set(row.endpoint_id, taken);
    }
    taken.deliveries.push(deliveryOf(row, lease));
  }
  return { taken: [...byEndpoint.values()], rows: counts };
}

function deliveryOf(row: TakenRow, lease: Lease): Delivery {
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

/** Frees what a dead or stuck process held, and what is under the given tokens. Returns how many. */
export async function freeExpired(
  database: Database,
  own: { owner: number; leaseSeconds: number; lostTokens: readonly string[] },
): Promise<number> {
  const values = [own.owner, own.leaseSeconds - lockGraceSeconds, own.lostTokens];
  return (await database.pool.query(expiredStatement(values))).rowCount ?? 0;
}

/** Returns deliveries that were taken and not tried; those whose lease is lost already are left alone. */
export async function giveBack(database: Database, deliveries: readonly Delivery[]): Promise<void> {
  if (deliveries.length === 0) return;
  const ids = deliveries.map((delivery) => delivery.id);
  const accountIds = deliveries.map((delivery) => delivery.accountId);
  const tokens = deliveries.map((delivery) => delivery.leaseToken);
  await database.pool.query(giveBackStatement([ids, accountIds, tokens]));
}
