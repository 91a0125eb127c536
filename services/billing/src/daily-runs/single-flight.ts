import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '@app/contracts/errors';
import type { DailyResult } from '@app/contracts/subscriptions';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import type { Slots } from './slots.ts';

/**
 * One run at a time for each account, over all replicas. The run's session holds an advisory lock from before its row
 * is written until after its result is. So for whoever asks meanwhile:
 *
 *   lock held                    ── the run is alive: wait, and take its result
 *   lock free, row unfinished    ── its process died, or the lock's session: close the row as interrupted, run
 *   lock free, no row unfinished ── run
 */
export interface FlightDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly slots: Slots;
}

export interface Flight {
  readonly accountId: string;
  /** The row's id: a repeated command has the same, and finds its run. */
  readonly runId: string;
  /** The run over all accounts that this is a part of. */
  readonly platformRunId: string | null;
  /** Milliseconds since the epoch (real time) after which nobody waits for the result any more. */
  readonly deadlineMs: number;
}

/** The account of the run over all of them. */
export const allAccounts = '';

const pollMs = 100;

/** The result of the run that is going on, or else of `work`. */
export async function singleFlight(
  deps: FlightDeps,
  flight: Flight,
  work: () => Promise<DailyResult>,
): Promise<DailyResult> {
  const awaited = [flight.runId];
  while (Date.now() < flight.deadlineMs) {
    const seen = await look(deps.database, flight, awaited);
    if (seen.result !== null) return seen.result;
    if (seen.running !== null && !awaited.includes(seen.running)) {
      awaited.push(seen.running);
      await rememberJoin(deps.database, flight, seen.running);
    }
    if (seen.locked) {
      await sleep(pollMs);
      continue;
    }
    const result = await deps.slots.use(flight.deadlineMs, () =>
      withLock(deps.database, lockKey(flight.accountId), (session) => run(deps, session, flight, awaited, work)),
    );
    if (result !== undefined) return result;
  }
  throw new DomainError('outcome_unknown', 'The daily job is still running.');
}

const lockKey = (accountId: string): string => `daily-run:${accountId}`;

/** Results count if they are of a run asked for, of one a repeated command joined, or of the same platform run. */
const finished = `
  select result from daily_runs
  where id = any (array_append($2::text[], (select c.result ->> 'runId' from commands as c where c.id = $4)))
    and account_id = $1 and result is not null
  union all
  select result from daily_runs where platform_run_id = $3 and account_id = $1 and result is not null
  limit 1`;

export const lookStatement = statement(
  'daily-runs-look',
  `select (${finished}) as result,
     (select id from daily_runs where account_id = $1 and finished_at is null limit 1) as running,
     not pg_try_advisory_xact_lock_shared(hashtextextended($5, 0)) as locked`,
);
const finishedStatement = statement('daily-runs-finished', finished);

interface Sight {
  readonly result: DailyResult | null;
  readonly running: string | null;
  readonly locked: boolean;
}

const finishedValues = (flight: Flight, awaited: readonly string[]) => [
  flight.accountId,
  awaited,
  flight.platformRunId,
  flight.runId,
];

async function look(database: Database, flight: Flight, awaited: readonly string[]): Promise<Sight> {
  const values = [...finishedValues(flight, awaited), lockKey(flight.accountId)];
  const { rows } = await database.pool.query<Sight>(lookStatement(values));
  return rows[0] as Sight;
}

const joinStatement = statement(
  'daily-runs-join',
  `insert into commands (id, result) values ($1, jsonb_build_object('runId', $2::text))
   on conflict (id) do update set result = excluded.result`,
);

/** Should the answer get lost, the repeated command asks for the run it had joined, and starts none of its own. */
async function rememberJoin(database: Database, flight: Flight, running: string): Promise<void> {
  await database.pool.query(joinStatement([flight.runId, running]));
}

/** A session that holds the lock gives signs; that of a process that was stopped ends without them, and its lock too. */
const lockStatement = statement(
  'daily-runs-lock',
  `with lock as materialized (select pg_try_advisory_lock(hashtextextended($1, 0)) as won)
   select won, case when won then set_config('idle_session_timeout', '20s', false) end from lock`,
);
const signEveryMs = 5_000;
const unlockStatement = statement(
  'daily-runs-unlock',
  `select pg_advisory_unlock(hashtextextended($1, 0)), set_config('idle_session_timeout', '0', false)`,
);

/**
 * Works while a session of its own holds the lock: when the session breaks, so does the lock, and the work goes on.
 * Undefined when another one has it. What came of the work stands, however the session ends.
 */
async function withLock<T>(
  database: Database,
  key: string,
  work: (session: Client) => Promise<T>,
): Promise<T | undefined> {
  const session = await database.pool.connect();
  let released = false;
  /** With an error the session is not given to others: a lock that may still be held ends with it. */
  const release = (err?: Error): void => {
    if (!released) session.release(err);
    released = true;
  };
  session.on('error', release);
  try {
    const { rows } = await session.query<{ won: boolean }>(lockStatement([key]));
    if (rows[0]?.won !== true) return undefined;
    const signs = setInterval(() => void session.query('select 1').catch(release), signEveryMs);
    try {
      return await work(session);
    } finally {
      clearInterval(signs);
      await session.query(unlockStatement([key])).catch(release);
    }
  } catch (err) {
    release(err instanceof Error ? err : new Error(String(err)));
    throw err;
  } finally {
    session.off('error', release);
    release();
  }
}

const beginStatement = statement(
  'daily-runs-begin',
  `with interrupted as (
     update daily_runs set finished_at = $4
     where account_id = $2 and finished_at is null and id <> $1
   )
   insert into daily_runs (id, account_id, platform_run_id, started_at) values ($1, $2, $3, $4)
   on conflict (id) do update set finished_at = null`,
);
const finishStatement = statement(
  'daily-runs-finish',
  `update daily_runs set finished_at = $3, result = $4
   where id = $1 and account_id = $2 and finished_at is null`,
);

async function run(
  deps: FlightDeps,
  session: Client,
  flight: Flight,
  awaited: readonly string[],
  work: () => Promise<DailyResult>,
): Promise<DailyResult> {
  // It may have finished between the look and the lock; from here on nobody else writes rows of this account.
  const before = await session.query<{ result: DailyResult }>(finishedStatement(finishedValues(flight, awaited)));
  if (before.rows[0] !== undefined) return before.rows[0].result;
  const { runId, accountId, platformRunId } = flight;
  await session.query(beginStatement([runId, accountId, platformRunId, deps.clock.now()]));
  let result: DailyResult;
  try {
    result = await work();
  } catch (err) {
    // Should this fail too, the next run closes the row.
    await finish(deps, session, flight, null).catch(() => undefined);
    throw err;
  }
  if (!(await finish(deps, session, flight, result))) {
    throw new DomainError('outcome_unknown', 'The run lost its lock, and another one took over.');
  }
  return result;
}

/** False when another run has closed the row, because this one had lost its lock. */
async function finish(deps: FlightDeps, session: Client, flight: Flight, result: DailyResult | null): Promise<boolean> {
  const write = finishStatement([flight.runId, flight.accountId, deps.clock.now(), result]);
  const { rowCount } = await session.query(write).catch(() => deps.database.pool.query(write));
  return rowCount === 1;
}
