import { setTimeout as sleep } from 'node:timers/promises';
import type { DailyResult } from '@app/contracts/daily-runs';
import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type Database, statement } from '@app/service-kit/database';
import type { Semaphore } from '@app/service-kit/semaphore';

/**
 * One run at a time for each account, over all replicas. The run's session takes an advisory lock before it writes the
 * run's row, and releases it after it stored the result. So a request that comes meanwhile reads:
 *
 *   lock held                    ── the run is alive: wait, and return its result
 *   lock free, row unfinished    ── its process or its session died: close the row as interrupted, and run
 *   lock free, no row unfinished ── run
 */
export interface SingleFlightDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly semaphore: Semaphore;
}

export interface DailyRun {
  readonly accountId: string;
  /** The row's id. A repeated command has the same id, and so finds its run. */
  readonly runId: string;
  /** The run over all accounts that this is a part of. */
  readonly platformRunId: string | null;
  /** Milliseconds since the epoch (real time); nobody waits for the result any longer. */
  readonly deadlineMs: number;
}

/** The account of the run over all of them. */
export const allAccounts = '';

const pollMs = 100;

/**
 * The result of the run that is under way, or else of `work`.
 * @throws DomainError `outcome_unknown` when there is no result by the deadline
 */
export async function singleFlight(
  deps: SingleFlightDeps,
  run: DailyRun,
  work: () => Promise<DailyResult>,
): Promise<DailyResult> {
  const awaited = [run.runId];
  while (Date.now() < run.deadlineMs) {
    const state = await readState(deps.database, run, awaited);
    if (state.result !== null) return state.result;
    if (state.running !== null && !awaited.includes(state.running)) {
      awaited.push(state.running);
      await rememberJoin(deps.database, run, state.running);
    }
    if (state.locked) {
      await sleep(pollMs);
      continue;
    }
    const result = await deps.semaphore.runBefore(run.deadlineMs, () =>
      withLock(deps.database, lockKey(run.accountId), (session) => runLocked(deps, session, run, awaited, work)),
    );
    if (result !== undefined) return result;
  }
  throw new DomainError('outcome_unknown', 'The daily run is still under way.');
}

const lockKey = (accountId: string): string => `daily-run:${accountId}`;

/** Results of the run asked for, of a run that the same command joined before, or of the same platform run. */
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

interface RunState {
  readonly result: DailyResult | null;
  readonly running: string | null;
  readonly locked: boolean;
}

const finishedValues = (run: DailyRun, awaited: readonly string[]) => [
  run.accountId,
  awaited,
  run.platformRunId,
  run.runId,
];

async function readState(database: Database, run: DailyRun, awaited: readonly string[]): Promise<RunState> {
  const values = [...finishedValues(run, awaited), lockKey(run.accountId)];
  const { rows } = await database.pool.query<RunState>(lookStatement(values));
  return rows[0] as RunState;
}

const joinStatement = statement(
  'daily-runs-join',
  `insert into commands (id, result) values ($1, jsonb_build_object('runId', $2::text))
   on conflict (id) do update set result = excluded.result`,
);

/** When the response gets lost, the repeated command returns the result of the run it joined, and starts no other. */
async function rememberJoin(database: Database, run: DailyRun, running: string): Promise<void> {
  await database.pool.query(joinStatement([run.runId, running]));
}

/** While a session holds the lock it must query every few seconds, so that the lock of a stopped process ends. */
const lockStatement = statement(
  'daily-runs-lock',
  `with lock as materialized (select pg_try_advisory_lock(hashtextextended($1, 0)) as won)
   select won, case when won then set_config('idle_session_timeout', '20s', false) end from lock`,
);
const keepAliveEveryMs = 5_000;
const unlockStatement = statement(
  'daily-runs-unlock',
  `select pg_advisory_unlock(hashtextextended($1, 0)), set_config('idle_session_timeout', '0', false)`,
);

/**
 * Works while a session of its own holds the lock. When the session ends early, so does the lock; the work goes on, and its
 * result counts. Undefined when another session has the lock.
 */
async function withLock<T>(
  database: Database,
  key: string,
  work: (session: Client) => Promise<T>,
): Promise<T | undefined> {
  const session = await database.pool.connect();
  let released = false;
  /** With an error the pool closes the session, and with it a lock that it may still hold. */
  const release = (err?: Error): void => {
    if (!released) session.release(err);
    released = true;
  };
  session.on('error', release);
  try {
    const { rows } = await session.query<{ won: boolean }>(lockStatement([key]));
    if (rows[0]?.won !== true) return undefined;
    const keepAlive = setInterval(() => void session.query('select 1').catch(release), keepAliveEveryMs);
    try {
      return await work(session);
    } finally {
      clearInterval(keepAlive);
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

async function runLocked(
  deps: SingleFlightDeps,
  session: Client,
  run: DailyRun,
  awaited: readonly string[],
  work: () => Promise<DailyResult>,
): Promise<DailyResult> {
  // Another run may have finished before this session got the lock; from here on nobody else writes the account's rows.
  const before = await session.query<{ result: DailyResult }>(finishedStatement(finishedValues(run, awaited)));
  if (before.rows[0] !== undefined) return before.rows[0].result;
  const { runId, accountId, platformRunId } = run;
  await session.query(beginStatement([runId, accountId, platformRunId, deps.clock.now()]));
  let result: DailyResult;
  try {
    result = await work();
  } catch (err) {
    // If this fails too, the next run closes the row.
    await finish(deps, session, run, null).catch(() => undefined);
    throw err;
  }
  if (!(await finish(deps, session, run, result))) {
    throw new DomainError('outcome_unknown', 'The run lost its lock, and another one took over.');
  }
  return result;
}

/** False when another run has closed the row because this one had lost its lock. */
async function finish(
  deps: SingleFlightDeps,
  session: Client,
  run: DailyRun,
  result: DailyResult | null,
): Promise<boolean> {
  const write = finishStatement([run.runId, run.accountId, deps.clock.now(), result]);
  const { rowCount } = await session.query(write).catch(() => deps.database.pool.query(write));
  return rowCount === 1;
}
