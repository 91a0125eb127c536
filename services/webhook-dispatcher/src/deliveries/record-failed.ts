import { type Database, statement } from '@app/service-kit/database';
import { withOne } from '@app/service-kit/planner';
import { columnsOf, namesOf, tableOf } from '@app/service-kit/row-arrays';
import { kindOf } from '../destinations/destination-kind.rules.ts';
import type { Role } from '../destinations/destination-kind.types.ts';
import type { Attempt } from './attempt.ts';
import { attemptColumns, besideAttemptColumns, holdsLease, insertResponses } from './attempt-columns.ts';
import { type Circumstances, decideFailure, type FailureDecision } from './failed-attempt.rules.ts';
import { type Failing, needsVerdict } from './failing-for-days.rules.ts';
import { insertFinished, keptColumnsExceptAttempts } from './finish-deliveries.ts';

const readColumns = { id: 'text', account_id: 'text', delivery_id: 'text', endpoint_id: 'text', is_last: 'boolean' };

/**
 * A first attempt that failed beside the endpoint's last success, in one batch or by the clock of another replica, does not
 * count as a failure: the first one that does comes soon after.
 */
const soonAfter = `interval '10 seconds'`;

/**
 * The endpoints of attempts that failed, and of last attempts whether nothing has reached the endpoint since the first one
 * of the delivery, or the first one after it was sent again: `attempts_before_schedule` is the number of the one before it.
 * No attempt is older than its delivery. The clocks of replicas differ, so ids are compared by the part of their time that
 * counts 17 minutes.
 */
const circumstancesStatement = statement<CircumstancesRow>(
  'attempts-failed-circumstances',
  `select a.id, e.active, e.role, e.is_http, case when a.is_last then exists (
     select from failing_endpoints f where f.endpoint_id = a.endpoint_id and f.account_id = a.account_id and f.since <= (
       select min(t.created_at) + ${soonAfter} from attempts t
       where t.delivery_id = a.delivery_id and t.account_id = a.account_id and t.id > 'att_' || substr(a.delivery_id, 5, 6)
         and t.number > (
           select attempts_before_schedule from deliveries d where d.id = a.delivery_id and d.account_id = a.account_id)))
     else false end as nothing_delivered
   from (select * from ${tableOf(readColumns, 1)}) a
     ${withOne(
       `select active, role, channel = 'http' as is_http from endpoints
       where id = a.endpoint_id and account_id = a.account_id`,
       'e',
     )}`,
  { id: 'text', active: 'bool', role: 'text', is_http: 'bool', nothing_delivered: 'bool' },
);
interface CircumstancesRow {
  /** Of the attempt. */
  readonly id: string;
  /** Null, as the next two are, when the endpoint was removed. */
  readonly active: boolean | null;
  readonly role: Role | null;
  /** Of a URL: a seller's, or an automation's that sends no email. */
  readonly is_http: boolean | null;
  readonly nothing_delivered: boolean;
}

const ownColumns = { ...attemptColumns, error: 'text', diagnosis_detail: 'text' } as const;
const columns = {
  ...ownColumns,
  ...besideAttemptColumns,
  status: 'text',
  held_reason: 'text',
  reason: 'text',
  due_at: 'timestamptz',
  outcome: 'text',
  retry_at: 'timestamptz',
  if_active: 'boolean',
  counts_as_failing: 'boolean',
} as const satisfies Readonly<Record<string, string>>;
const isWaiting = `status in ('pending', 'held')`;

/**
 * Records attempts that failed and what was decided of their deliveries; those that are finished move to another table.
 * The statement may be repeated when its commit is in doubt: an attempt that is recorded already is neither recorded nor
 * counted again. It also counts the failures of endpoints without a success since their first recorded failure.
 *
 * A decision that depends on the endpoint is written only while the endpoint is as it was read. The shared locks order the
 * statement and a change of the endpoint: switching it on must not release held deliveries while this statement is about
 * to hold more. It skips an endpoint that is being changed, and returns the attempts that it skipped.
 */
const recordStatement = statement<RecordedRow>(
  'attempts-record-failed',
  `with decided as (select * from ${tableOf(columns, 1)}
   ), endpoint as (
     select id, account_id, active from endpoints
     where id = any (array(select endpoint_id from decided where if_active is not null)) for share skip locked
   ), attempt as materialized (
     select * from decided a where if_active is null or exists (
       select from endpoint e where e.id = a.endpoint_id and e.account_id = a.account_id and e.active = a.if_active)
   ), waiting as (
     update deliveries d set status = a.status, held_reason = a.held_reason, attempts = a.number, due = false,
       next_attempt_at = a.due_at, lease_token = null, lease_owner = null, lease_until = null from attempt a
     where d.id = any (array(select delivery_id from attempt where ${isWaiting})) and a.${isWaiting} and ${holdsLease}
     returning d.id
   ), ended as (
     delete from deliveries d using attempt a
     where d.id = any (array(select delivery_id from attempt where not ${isWaiting})) and not a.${isWaiting} and ${holdsLease}
     returning ${keptColumnsExceptAttempts}, a.number as attempts, a.status, a.reason, a.created_at as finished_at
   ), finished as (${insertFinished('ended', { status: 'status', reason: 'reason', at: 'finished_at' })}
   ), responses as (${insertResponses}
   ), recorded as (
     insert into attempts (${namesOf(ownColumns)}, response_excerpt, outcome, next_attempt_at)
     select ${namesOf(ownColumns, 'a')}, left(response, 200),
       case when d.id is not null then outcome end, case when d.id is not null then retry_at end
     from attempt a left join (select id from waiting union all select id from ended) d on d.id = a.delivery_id
     order by account_id, a.id on conflict do nothing returning id
   ), failing as (
     insert into failing_endpoints as f (endpoint_id, account_id, since, last_at, attempts, events)
     select endpoint_id, account_id, min(created_at), max(created_at), count(*), count(*) filter (where number = 1)
     from attempt where counts_as_failing and id = any (array(select id from recorded))
     group by endpoint_id, account_id order by endpoint_id
     on conflict (endpoint_id) do update set since = least(f.since, excluded.since), last_at = greatest(f.last_at, excluded.last_at),
       attempts = f.attempts + excluded.attempts, events = f.events + excluded.events
     returning endpoint_id, since, last_at, attempts, events, warned_at
   )
   select null as skipped, endpoint_id, since, last_at, attempts, events, warned_at from failing
   union all select id, null, null, null, null, null, null from decided where id not in (select id from attempt)`,
  {
    skipped: 'text',
    endpoint_id: 'text',
    since: 'timestamptz',
    last_at: 'timestamptz',
    attempts: 'int4',
    events: 'int4',
    warned_at: 'timestamptz',
  },
);

type RecordedRow = { readonly skipped: string } | (Failing & { readonly skipped: null; readonly endpoint_id: string });

/**
 * Records attempts that failed: reads what the decisions need, decides (failed-attempt.rules.ts) and writes. A process that
 * is killed in between leaves the leases, which become void, and the deliveries are sent again.
 * @param deliveredTo endpoints to which the same batch has delivered
 * @returns ids of endpoints that have failed for a day or for five days
 */
export async function recordFailed(
  database: Database,
  attempts: readonly Attempt[],
  deliveredTo: ReadonlySet<string>,
): Promise<string[]> {
  const read = attempts.map((attempt) => ({ ...attempt, is_last: attempt.next_attempt_at === null }));
  const { rows } = await database.pool.query(circumstancesStatement(columnsOf(read, readColumns)));
  const found = new Map(rows.map((row) => [row.id, row]));
  const decide = (attempt: Attempt, isChanging: boolean): Decided => {
    const row = found.get(attempt.id) as CircumstancesRow;
    const succeeded = deliveredTo.has(attempt.endpoint_id);
    const decision = decideFailure(attempt, circumstancesOf(row, { succeeded, isChanging }));
    const countsAsFailing = !succeeded && row.active === true && row.is_http === true;
    return { ...attempt, ...decision, counts_as_failing: countsAsFailing };
  };
  const { failing, skipped } = await write(
    database,
    attempts.map((attempt) => decide(attempt, false)),
  );
  if (skipped.size === 0) return failing;
  const again = attempts.filter(({ id }) => skipped.has(id)).map((attempt) => decide(attempt, true));
  return [...failing, ...(await write(database, again)).failing];
}

function circumstancesOf(
  { active, role, nothing_delivered: nothingDelivered }: CircumstancesRow,
  { succeeded, isChanging }: { readonly succeeded: boolean; readonly isChanging: boolean },
): Circumstances {
  const state = isChanging ? 'changing' : active ? 'on' : 'off';
  return {
    endpoint: role === null ? null : { kind: kindOf(role), state },
    nothingDelivered: nothingDelivered && !succeeded,
  };
}

/** `counts_as_failing`: the endpoint's row in `failing_endpoints` counts the attempt. */
type Decided = Attempt & FailureDecision & { readonly counts_as_failing: boolean };

async function write(
  database: Database,
  decided: readonly Decided[],
): Promise<{ failing: string[]; skipped: ReadonlySet<string> }> {
  const { rows } = await database.pool.query(recordStatement(columnsOf(decided, columns)));
  const failing: string[] = [];
  const skipped = new Set<string>();
  for (const row of rows) {
    if (row.skipped !== null) skipped.add(row.skipped);
    else if (needsVerdict(row)) failing.push(row.endpoint_id);
  }
  return { failing, skipped };
}
