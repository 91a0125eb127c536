import { type Batcher, createBatcher } from '@app/service-kit/batcher';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { isOutage } from '@app/service-kit/outages';
import { failingForDays } from '../endpoints/switch-off-failing.ts';
import type { Attempt } from './attempt-delivery.ts';

/**
 * Records attempts and updates their deliveries in one statement. Only the holder of the lease changes a delivery: an
 * attempt that outlived its lease is recorded and changes nothing else. The statement may be repeated when its commit
 * is in doubt.
 *
 * The statement decides by the endpoint as it is now whether a retry waits, is held or is canceled. The shared locks
 * order it and a change of the endpoint: switching it on must not release held deliveries while this statement is about
 * to hold more. It skips an endpoint that is being changed: the delivery becomes pending, and the claim that finds it
 * sees the changed endpoint.
 *
 * It also counts the failures of endpoints without a success, and returns those that have failed for days.
 */
const recordStatement = statement(
  'attempts-record',
  `with attempt as (
     select * from json_to_recordset($1::json) as a (
       id text, account_id text, delivery_id text, endpoint_id text, lease_token text, number int,
       created_at timestamptz, url text, delivered boolean, status_code int, duration_ms int, error text,
       response_excerpt text, next_attempt_at timestamptz)
   ), endpoint as (
     select id, account_id, active from endpoints
     where id = any (array(select endpoint_id from attempt where next_attempt_at is not null))
     for share skip locked
   ), settled as (
     update deliveries d set
       status = case
         when a.delivered then 'delivered'
         when a.next_attempt_at is null then 'failed'
         when not e.active then 'held'
         when e.id is null and not exists (
           select from endpoints where id = a.endpoint_id and account_id = a.account_id) then 'canceled'
         else 'pending' end,
       attempts = a.number,
       due = a.next_attempt_at is null,
       next_attempt_at = coalesce(a.next_attempt_at, d.next_attempt_at),
       lease_token = null,
       lease_owner = null,
       lease_until = null
     from attempt a left join endpoint e on e.id = a.endpoint_id and e.account_id = a.account_id
     where d.id = any (array(select delivery_id from attempt))
       and d.id = a.delivery_id and d.account_id = a.account_id and d.lease_token = a.lease_token
     returning d.id, d.account_id, d.status
   ), recovered as (
     delete from failing_endpoints
     where endpoint_id = any (array(select endpoint_id from attempt where delivered order by 1))
   ), failing as (
     insert into failing_endpoints as f (endpoint_id, account_id, since, last_at, attempts, events)
     select endpoint_id, account_id, min(created_at), max(created_at), count(*), count(*) filter (where number = 1)
     from attempt a where endpoint_id <> all (array(select endpoint_id from attempt where delivered))
       and exists (select from endpoints e where e.id = a.endpoint_id and e.account_id = a.account_id and e.active)
     group by endpoint_id, account_id order by endpoint_id
     on conflict (endpoint_id) do update set last_at = greatest(f.last_at, excluded.last_at),
       attempts = f.attempts + excluded.attempts, events = f.events + excluded.events
     returning endpoint_id, since, last_at, attempts, events
   ), recorded as (
   insert into attempts (id, account_id, delivery_id, number, created_at, url, status_code, duration_ms, error,
     response_excerpt, outcome, next_attempt_at)
   select a.id, a.account_id, a.delivery_id, a.number, a.created_at, a.url, a.status_code, a.duration_ms, a.error,
     a.response_excerpt, coalesce(s.status, case when a.delivered then 'delivered' end),
     case when s.status = 'pending' then a.next_attempt_at end
   from attempt a left join settled s on s.id = a.delivery_id and s.account_id = a.account_id
   order by a.account_id, a.id
   on conflict do nothing
   )
   select endpoint_id from failing where ${failingForDays}`,
);

/** An excerpt has up to 8 KiB, so 250 attempts are a statement of 2 MiB at most. */
const batchMax = 250;
const retryPauseMs = 250;
/**
 * There is at most one statement every 20 ms: at 500 attempts a second ten share one. The first of a burst is recorded
 * at once, and only readers of Recent activity notice the delay of the others.
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
  logger: Logger;
  leaseMs: number;
  /** The endpoint has failed for days. */
  failing: (endpointId: string) => void;
}): Recorder {
  const { database, logger, leaseMs, failing } = options;
  const write = async (attempts: readonly Attempt[]): Promise<void> => {
    const giveUpAtMs = performance.now() + leaseMs;
    for (;;) {
      try {
        const { rows } = await database.pool.query<{ endpoint_id: string }>(
          recordStatement([JSON.stringify(attempts)]),
        );
        for (const { endpoint_id: endpointId } of rows) failing(endpointId);
        return;
      } catch (err) {
        if (!isOutage(err) || performance.now() > giveUpAtMs) throw err;
        await sleep(retryPauseMs);
      }
    }
  };
  return createBatcher<Attempt, void>({
    maxBatch: batchMax,
    maxWaiting: Number.POSITIVE_INFINITY,
    run: async (attempts) => {
      try {
        await write(attempts);
      } catch (err) {
        // One attempt that cannot be stored must not lose the others.
        logger.warn({ err, attempts: attempts.length }, 'attempts could not be recorded together');
        for (const attempt of attempts) await write([attempt]).catch(logLost(logger, attempt));
      }
      await sleep(writePauseMs);
      return attempts.map(() => ({ ok: true, value: undefined }));
    },
  });
}

const logLost = (logger: Logger, attempt: Attempt) => (err: unknown) =>
  logger.error({ err, attemptId: attempt.id, deliveryId: attempt.delivery_id }, 'attempt could not be recorded');
