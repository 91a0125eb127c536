import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';
import { columnsOf, tableOf } from '@app/service-kit/row-arrays';
import { attemptsRecorded, type RecordedAttempt } from '../points/points.ts';
import type { Partitions } from '../storage/partitions.ts';
import type { Attempt } from './attempt.ts';
import { goneStatus } from './attempt-delivery.ts';
import { failedForADayOrFiveSql } from './failing-for-days.ts';
import { insertFinished, keptColumnsExceptAttempts } from './finish-deliveries.ts';
import { heldForFailing, nothingDelivered } from './held-for-failing.rules.ts';

/** What is stored of an attempt that delivered, and the lease under which it was made. */
const deliveredColumns = {
  id: 'text',
  account_id: 'text',
  delivery_id: 'text',
  endpoint_id: 'text',
  event_name: 'text',
  lease_token: 'text',
  number: 'int',
  created_at: 'timestamptz',
  url: 'text',
  status_code: 'int',
  duration_ms: 'int',
  dns_ms: 'int',
  connect_ms: 'int',
  tls_ms: 'int',
  first_byte_ms: 'int',
  diagnosis: 'text',
  response: 'text',
} as const;
const deliveryIdColumn = Object.keys(deliveredColumns).indexOf('delivery_id');

/**
 * Records attempts that delivered, which nearly all do, and moves their deliveries to another table: a statement
 * that asks nothing about endpoints and reads arrays costs less than the one below. What is said there of leases and of
 * repeating it holds here, too.
 */
const recordDeliveredStatement = statement(
  'attempts-record-delivered',
  `with attempt as materialized (
     select * from ${tableOf(deliveredColumns, 3)}
   ), ended as (
     delete from deliveries d using attempt a
     where d.id = any ($1::text[]) and d.id = a.delivery_id and d.account_id = a.account_id
       and d.lease_token = a.lease_token
     returning ${keptColumnsExceptAttempts}, a.number as attempts, a.created_at as finished_at
   ), finished as (${insertFinished('ended', { status: `'delivered'`, reason: 'null', at: 'finished_at' })}
   ), recovered as (
     delete from failing_endpoints where endpoint_id = any ($2::text[])
   ), responses as (
     insert into attempt_responses (attempt_id, account_id, response)
     select id, account_id, response from attempt where response <> '' order by id
     on conflict do nothing
   )
   insert into attempts (id, account_id, delivery_id, endpoint_id, event_name, number, created_at, url, status_code,
     duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, diagnosis, outcome)
   select id, account_id, delivery_id, endpoint_id, event_name, number, created_at, url, status_code,
     duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, diagnosis, 'delivered'
   from attempt order by account_id, id
   on conflict do nothing`,
);

/**
 * Records attempts that failed and updates their deliveries in one statement; those that are finished move to another
 * table. Only the holder of the lease changes a delivery: an attempt that outlived its lease is recorded and changes
 * nothing else. The statement may be repeated when its commit is in doubt: an attempt that is recorded already is
 * neither recorded nor counted again.
 *
 * The statement decides by the endpoint as it is now whether a retry waits, is held or is canceled, as it is when an
 * automation is off. The shared locks order it and a change of the endpoint: switching it on must not release held
 * deliveries while this statement is about to hold more. It skips an endpoint that is being changed: the delivery becomes pending, and the claim that finds it
 * sees the changed endpoint.
 *
 * A last attempt ends in `held` when nothing has reached the endpoint since the first: repair/release-held.ts sends it again
 * after a success. While the endpoint is being changed nobody knows, and one attempt more decides.
 *
 * It also counts, in `failing_endpoints`, the failures of endpoints without a success since their first recorded failure,
 * and returns those that have failed for a day or for five days.
 */
const recordFailedStatement = statement(
  'attempts-record-failed',
  `with attempt as (
     select * from json_to_recordset($1::json) as a (
       id text, account_id text, delivery_id text, endpoint_id text, event_name text, lease_token text,
       number int, created_at timestamptz, url text, reason_code text, status_code int, duration_ms int,
       dns_ms int, connect_ms int, tls_ms int, first_byte_ms int, error text, diagnosis text,
       diagnosis_detail text, response text, next_attempt_at timestamptz)
   ), endpoint as (
     select id, account_id, active, role from endpoints
     where id = any (array(select endpoint_id from attempt where next_attempt_at is not null or reason_code = 'tries'))
     for share skip locked
   ), verdict as materialized (
     select a.delivery_id, a.account_id, a.lease_token, a.number, a.created_at,
       coalesce(a.next_attempt_at, a.created_at) as next_attempt_at,
       case
         when l.gives_up then 'failed'
         when not e.active then case when e.role = 'automation' then 'canceled' else 'held' end
         when e.id is null and not exists (
           select from endpoints where id = a.endpoint_id and account_id = a.account_id) then 'canceled'
         when e.id is not null and a.next_attempt_at is null then 'held'
         else 'pending' end as status,
       case when l.gives_up then a.reason_code when e.active then '${heldForFailing}'
         when e.id is not null then 'discarded' else 'removed' end as reason
     from attempt a left join endpoint e on e.id = a.endpoint_id and e.account_id = a.account_id
       cross join lateral (
         select a.next_attempt_at is null and not (
           a.reason_code = 'tries' and e.role is distinct from 'automation' and ${nothingDelivered}) as gives_up offset 0) l
   ), waiting as (
     update deliveries d set
       status = v.status,
       held_reason = case when v.status = 'held' and v.reason = '${heldForFailing}' then v.reason end,
       attempts = v.number,
       due = false,
       next_attempt_at = v.next_attempt_at,
       lease_token = null,
       lease_owner = null,
       lease_until = null
     from verdict v
     where d.id = any (array(select delivery_id from verdict where status in ('pending', 'held')))
       and v.status in ('pending', 'held')
       and d.id = v.delivery_id and d.account_id = v.account_id and d.lease_token = v.lease_token
     returning d.id, d.account_id, case when d.held_reason is null then d.status else 'held_for_failing' end as status
   ), ended as (
     delete from deliveries d using verdict v
     where d.id = any (array(select delivery_id from verdict where status not in ('pending', 'held')))
       and v.status not in ('pending', 'held')
       and d.id = v.delivery_id and d.account_id = v.account_id and d.lease_token = v.lease_token
     returning ${keptColumnsExceptAttempts}, v.number as attempts, v.status, v.reason, v.created_at as finished_at
   ), finished as (${insertFinished('ended', { status: 'status', reason: 'reason', at: 'finished_at' })}
   ), responses as (
     insert into attempt_responses (attempt_id, account_id, response)
     select id, account_id, response from attempt where response <> '' order by id
     on conflict do nothing
   ), recorded as (
     insert into attempts (id, account_id, delivery_id, endpoint_id, event_name, number, created_at, url, status_code,
       duration_ms, dns_ms, connect_ms, tls_ms, first_byte_ms, error, diagnosis, diagnosis_detail, response_excerpt, outcome, next_attempt_at)
     select a.id, a.account_id, a.delivery_id, a.endpoint_id, a.event_name, a.number, a.created_at, a.url, a.status_code,
       a.duration_ms, a.dns_ms, a.connect_ms, a.tls_ms, a.first_byte_ms, a.error, a.diagnosis, a.diagnosis_detail,
       left(a.response, 200),
       case when w.status = 'pending' and a.status_code = ${goneStatus} then 'held' else coalesce(w.status, n.status) end,
       case when w.status = 'pending' and a.status_code is distinct from ${goneStatus}
         then coalesce(a.next_attempt_at, a.created_at) end
     from attempt a
       left join waiting w on w.id = a.delivery_id and w.account_id = a.account_id
       left join ended n on n.id = a.delivery_id and n.account_id = a.account_id
     order by a.account_id, a.id
     on conflict do nothing
     returning endpoint_id, account_id, number, created_at
   ), failing as (
     insert into failing_endpoints as f (endpoint_id, account_id, since, last_at, attempts, events)
     select endpoint_id, account_id, min(created_at), max(created_at), count(*), count(*) filter (where number = 1)
     from recorded r where endpoint_id <> all ($2::text[])
       and exists (select from endpoints e where e.id = r.endpoint_id and e.account_id = r.account_id and e.active
         and e.channel = 'http')
     group by endpoint_id, account_id order by endpoint_id
     on conflict (endpoint_id) do update set since = least(f.since, excluded.since),
       last_at = greatest(f.last_at, excluded.last_at), attempts = f.attempts + excluded.attempts, events = f.events + excluded.events
     returning endpoint_id, since, last_at, attempts, events, warned_at
   )
   select endpoint_id from failing where ${failedForADayOrFiveSql}`,
);

/** @returns ids of endpoints that have failed for a day or for five days */
async function writeAttempts(database: Database, attempts: readonly Attempt[]): Promise<string[]> {
  const delivered = attempts.filter((attempt) => attempt.delivered);
  const endpointIds = [...new Set(delivered.map((attempt) => attempt.endpoint_id))].sort();
  if (delivered.length > 0) {
    const columns = columnsOf(delivered, deliveredColumns);
    await database.pool.query(recordDeliveredStatement([columns[deliveryIdColumn], endpointIds, ...columns]));
  }
  if (delivered.length === attempts.length) return [];
  const failed = attempts.filter((attempt) => !attempt.delivered);
  const values = [JSON.stringify(failed), endpointIds];
  const { rows } = await database.pool.query<{ endpoint_id: string }>(recordFailedStatement(values));
  return rows.map((row) => row.endpoint_id);
}

/** A response has up to 8 KiB, so 500 attempts are a statement of 4 MiB at most. */
const batchMax = 500;
const retryPauseMs = 250;
/**
 * Attempts gather for 20 ms between statements: at 500 attempts a second ten share one. The first of a burst is recorded
 * at once, and only readers of Recent activity notice the delay of the others. A full batch is followed by the next at
 * once, or there would be a limit to the rate.
 */
const writePauseMs = 20;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export type Recorder = Batcher<Attempt, void>;

/**
 * Records attempts, in batches. During an outage of the database it keeps trying for as long as a lease lasts. After
 * that another process may claim the deliveries and send them again.
 */
export function createRecorder(options: {
  database: Database;
  partitions: Partitions;
  logger: Logger;
  leaseMs: number;
  /** The endpoint has failed for a day or for five days. */
  onFailedForADay: (endpointId: string) => void;
}): Recorder {
  const { database, partitions, logger, leaseMs, onFailedForADay } = options;
  const write = async (attempts: readonly Attempt[]): Promise<void> => {
    const giveUpAtMs = performance.now() + leaseMs;
    for (;;) {
      try {
        await partitions.cover(attempts.flatMap((attempt) => [attempt.id, attempt.delivery_id]));
        const failing = await writeAttempts(database, attempts);
        attemptsRecorded.announce(() => ({ attempts: attempts.map(announcedAttempt) }));
        for (const endpointId of failing) onFailedForADay(endpointId);
        return;
      } catch (err) {
        if (!(isOutage(err) || partitions.forgetAfter(err)) || performance.now() > giveUpAtMs) throw err;
        await sleep(retryPauseMs);
      }
    }
  };
  return createBatcher<Attempt, void>({
    maxSize: batchMax,
    run: async (attempts) => {
      try {
        await write(attempts);
      } catch (err) {
        // One attempt that cannot be stored must not lose the others.
        logger.warn({ err, attempts: attempts.length }, 'attempts could not be recorded together');
        for (const attempt of attempts) await write([attempt]).catch(logLost(logger, attempt));
      }
      if (attempts.length < batchMax) await sleep(writePauseMs);
      return attempts.map(() => ({ ok: true, value: undefined }));
    },
  });
}

const announcedAttempt = (attempt: Attempt): RecordedAttempt => ({
  deliveryId: attempt.delivery_id,
  accountId: attempt.account_id,
  endpointId: attempt.endpoint_id,
  number: attempt.number,
  delivered: attempt.delivered,
  statusCode: attempt.status_code,
});

const logLost = (logger: Logger, attempt: Attempt) => (err: unknown) =>
  logger.error({ err, attemptId: attempt.id, deliveryId: attempt.delivery_id }, 'attempt could not be recorded');
