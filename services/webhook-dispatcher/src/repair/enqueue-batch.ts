import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import { inIndexOrder } from '@app/service-kit/planner';
import { finishDeliveries } from '../deliveries/finish-deliveries.ts';
import { recoveryEnqueued, recoveryFinished } from '../points/points.ts';
import type { Partitions } from '../storage/partitions.ts';
import { nextBatch } from './batch-size.rules.ts';
import { enqueueMissing } from './enqueue-missing.ts';
import { type Batch, type EnqueuedBatch, enqueueHeld, enqueueStored } from './enqueue-stored.ts';
import { namesOf } from './held-recovery.ts';
import { deliveriesSince, type Position, type RecoveryRef, spanOf } from './position.rules.ts';

export interface RepairStorage {
  readonly database: Database;
  readonly partitions: Partitions;
  readonly clock: Clock;
}

export interface Enqueued {
  /** Deliveries became due. */
  readonly due: boolean;
  /** Fewer were found than may be enqueued now, and the search goes on at once. */
  readonly more: boolean;
  /** The recovery has ended. */
  readonly finished: boolean;
}
const nothingEnqueued: Enqueued = { due: false, more: false, finished: false };

/** A shared lock: events for the endpoint may be stored meanwhile, but it is neither switched nor removed. */
const endpointStatement = statement<Endpoint>(
  'recovery-endpoint',
  'select active, events, created_at from endpoints where id = $1 and account_id = $2 for share',
  { active: 'bool', events: 'text[]', created_at: 'timestamptz' },
);

/**
 * A change of an endpoint locks it first and its recoveries second, as this transaction does. Another replica that
 * enqueues for the recovery now keeps it; a recovery of what was held goes first.
 */
const recoveryStatement = statement<Recovery>(
  'recovery-to-enqueue',
  `select r.kind, r.which, r.since, r.until, r.phase, r.cursor, r.per_second,
     extract(epoch from clock_timestamp() - r.enqueued_at)::float8 * 1000 as elapsed_ms,
     (select count(*)::int from deliveries d
      where d.recovery_id = r.id and (d.status = 'sending' or d.status = 'pending' and d.due)) as in_line,
     (select count(*)::int from deliveries d
      where d.recovery_id = r.id and d.status = 'pending' and not d.due) as waiting,
     coalesce((select f.attempts from failing_endpoints f where f.endpoint_id = r.endpoint_id), 0) as failures,
     r.kind = 'recover' and exists (
       select from recoveries h where h.endpoint_id = r.endpoint_id and h.kind = 'held' and h.status = 'running'
     ) as is_second,
     exists (select from endpoint_changes u where u.endpoint_id = r.endpoint_id) as is_changing,
     r.phase = 'events' and r.begun_in >= pg_snapshot_xmin(pg_current_snapshot()) as is_early
   from recoveries r where r.id = $1 and r.account_id = $2 and r.status = 'running' and r.phase <> 'count'
   for update of r skip locked`,
  {
    kind: 'text',
    which: 'text',
    since: 'timestamptz',
    until: 'timestamptz',
    phase: 'text',
    cursor: 'text',
    per_second: 'int4',
    elapsed_ms: 'float8',
    in_line: 'int4',
    waiting: 'int4',
    failures: 'int4',
    is_second: 'bool',
    is_changing: 'bool',
    is_early: 'bool',
  },
);

/** What was not found of a batch may be enqueued at once, when it is. */
const advanceStatement = statement(
  'recovery-advance',
  `update recoveries set phase = $3, cursor = $4, queued = queued + $5, total = greatest(total, queued + $5),
     enqueued_at = case when $5 > 0 then clock_timestamp() - make_interval(secs => $6::float8 / per_second) else enqueued_at end
   where id = $1 and account_id = $2`,
);
const endStatement = statement(
  'recovery-end',
  `update recoveries set status = $3, finished_at = $4, total = case when $3 = 'done' then queued else total end
   where id = $1 and account_id = $2 and status = 'running'`,
);

interface Endpoint {
  readonly active: boolean;
  readonly events: readonly string[] | null;
  readonly created_at: Date;
}

interface Recovery {
  readonly kind: 'recover' | 'held';
  readonly which: 'failed' | 'all' | 'orders';
  readonly since: Date | null;
  readonly until: Date;
  readonly phase: Position['phase'];
  readonly cursor: string;
  readonly per_second: number;
  readonly elapsed_ms: number | null;
  readonly in_line: number;
  readonly waiting: number;
  readonly failures: number;
  readonly is_second: boolean;
  /** What waits for the endpoint is being held or dropped first. */
  readonly is_changing: boolean;
  /** Events may still be stored that know nothing of the endpoint yet (`begun_in`, 0001-initial/endpoints.ts). */
  readonly is_early: boolean | null;
}

/**
 * Enqueues the next batch of a recovery: the rows that move and the position that is reached are one transaction, so a
 * process that dies has done all of it or nothing.
 */
export async function enqueueBatch(storage: RepairStorage, ref: RecoveryRef): Promise<Enqueued> {
  const enqueued = await finishDeliveries(storage, () =>
    storage.database.transaction((client) => enqueueWith(client, storage, ref)),
  );
  const { id: recoveryId, endpoint_id: endpointId } = ref;
  recoveryEnqueued.announce(() => ({ recoveryId, endpointId, due: enqueued.due }));
  if (enqueued.finished) recoveryFinished.announce(() => ({ recoveryId, endpointId }));
  return enqueued;
}

async function enqueueWith(client: Client, storage: RepairStorage, ref: RecoveryRef): Promise<Enqueued> {
  await client.query(inIndexOrder());
  const of = [ref.endpoint_id, ref.account_id];
  const endpoint = (await client.query(endpointStatement(of))).rows[0];
  const recovery = (await client.query(recoveryStatement([ref.id, ref.account_id]))).rows[0];
  if (recovery === undefined) return nothingEnqueued;
  if (endpoint === undefined) {
    await end(client, storage.clock, ref, 'canceled');
    return { ...nothingEnqueued, finished: true };
  }
  const mayEnqueue = endpoint.active && !recovery.is_second && !recovery.is_changing && recovery.is_early !== true;
  const count = mayEnqueue ? batchSizeOf(recovery) : 0;
  return count === 0 ? nothingEnqueued : await enqueueAndAdvance(client, storage, { ref, recovery, endpoint, count });
}

const batchSizeOf = (recovery: Recovery): number =>
  nextBatch({
    perSecond: recovery.per_second,
    elapsedMs: recovery.elapsed_ms,
    inLine: recovery.in_line,
    waiting: recovery.waiting,
    failures: recovery.failures,
  });

async function enqueueAndAdvance(client: Client, storage: RepairStorage, work: Work): Promise<Enqueued> {
  const { ref, recovery } = work;
  const { count, next } = await enqueue(client, storage, work);
  const { phase, cursor } = next ?? recovery;
  await client.query(advanceStatement([ref.id, ref.account_id, phase, cursor, count, work.count - count]));
  if (next === null) await end(client, storage.clock, ref, 'done');
  return { due: count > 0, more: next !== null && count < work.count, finished: next === null };
}

interface Work {
  readonly ref: RecoveryRef;
  readonly recovery: Recovery;
  readonly endpoint: Endpoint;
  readonly count: number;
}

/** @returns how many were enqueued and where to go on; null when nothing is left */
async function enqueue(
  client: Client,
  { clock, partitions }: RepairStorage,
  work: Work,
): Promise<{ count: number; next: Position | null }> {
  const { ref, recovery, endpoint, count } = work;
  const { kind, which, phase, cursor, since, until } = recovery;
  const batch = (names: readonly string[] | null): Batch => ({
    accountId: ref.account_id,
    endpointId: ref.endpoint_id,
    recoveryId: ref.id,
    after: cursor,
    names,
    count,
    now: clock.now(),
  });
  const goOn = (enqueued: EnqueuedBatch, then: Position | null) => ({
    count: enqueued.count,
    next: enqueued.isLast ? then : { phase, cursor: enqueued.last ?? cursor },
  });
  if (kind === 'held' || since === null)
    return goOn(await enqueueHeld(client, which, batch(namesOf(which)), endpoint.events), null);
  const ofSpan = { ...batch(endpoint.events), span: spanOf(since, until) };
  if (phase === 'events') {
    const enqueued = await enqueueMissing(client, partitions, { ...ofSpan, endpointMadeAt: endpoint.created_at });
    return goOn(enqueued, deliveriesSince(ofSpan.span));
  }
  return goOn(await enqueueStored(client, which === 'all' ? 'all' : 'failed', ofSpan), null);
}

async function end(client: Client, clock: Clock, ref: RecoveryRef, status: 'done' | 'canceled'): Promise<void> {
  await client.query(endStatement([ref.id, ref.account_id, status, clock.now()]));
}
