import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '@app/contracts/errors';
import type { Clock } from '@app/service-kit/clock';
import { idleLockSession, keepAliveEveryMs } from '@app/service-kit/connection-settings';
import { type Client, type Database, type StatementQuery, statement } from '@app/service-kit/database';
import type { Semaphore } from '@app/service-kit/semaphore';
import { runBegan, runEnded, runJoined } from './points.ts';

/**
 * One run at a time for each account, over all replicas. The run's session takes an advisory lock before it writes the
 * run's row, and releases it after it stored the result. So a request that comes meanwhile reads:
 *
 *   lock held                    ── the run is alive: wait, and return its result
 *   lock free, row unfinished    ── its process or its session died: close the row as interrupted, and run
 *   lock free, no row unfinished ── run
 */
export interface RunLock<R extends object> {
  /**
   * The result of the run that is under way, or else of `work`. When `work` throws, the run has no result.
   * @throws DomainError outcome_unknown when there is no result by the deadline, or the process closes
   */
  run(request: RunRequest<R>, work: () => Promise<R>): Promise<R>;
}

export interface RunLockDeps {
  readonly database: Database;
  readonly clock: Clock;
  /** Each run holds a connection for its lock: fewer at once than the pool has. */
  readonly semaphore: Semaphore;
  /** Whether the process closes: a caller that waits for a run requests another replica then. */
  readonly isClosing: () => boolean;
}

/**
 * What the runs are kept in: `id`, `account_id`, `platform_run_id`, `started_at`, `finished_at` and `result` (json; null
 * while it runs and when it was interrupted), with indexes on (platform_run_id, account_id) and, where finished_at is
 * null, on (account_id). The database has the table `commands` too.
 */
export interface RunsTable {
  readonly table: string;
  /** Columns that begin anew when a run begins in a row that is there already, each with its value. */
  readonly reset?: string;
  /** The type of `result`; jsonb unless given. */
  readonly resultType?: 'json' | 'jsonb';
}

export interface RunRequest<R = never> {
  /** '' for the run over all accounts. */
  readonly accountId: string;
  /** The row's id. A repeated command has the same id, and so finds its run. */
  readonly runId: string;
  /** The run over all accounts that this is a part of. */
  readonly platformRunId: string | null;
  /** Milliseconds since the epoch (real time); no caller waits for the result any longer. */
  readonly deadlineMs: number;
  /** Whether the result of another run, which this request joined, is not what was requested: then it runs by itself. */
  readonly isInsufficient?: ((result: R) => boolean) | undefined;
}

/** The account of the run over all of them. */
export const allAccounts = '';

const pollMs = 100;

interface OpenLock extends RunLockDeps {
  readonly statements: RunStatements;
}

export function createRunLock<R extends object>(deps: RunLockDeps, statements: RunStatements): RunLock<R> {
  const lock: OpenLock = { ...deps, statements };
  return { run: (request, work) => runOnce<R>(lock, request, work) };
}

async function runOnce<R extends object>(lock: OpenLock, request: RunRequest<R>, work: () => Promise<R>): Promise<R> {
  const { database, statements } = lock;
  const key = statements.lockKey(request.accountId);
  const acceptedRunIds = [request.runId];
  while (Date.now() < request.deadlineMs && !lock.isClosing()) {
    const { rows } = await database.pool.query(statements.readState([...finishedValues(request, acceptedRunIds), key]));
    const state = rows[0] as RunState<R>;
    if (isAnswer(request, state)) return state.result;
    if (state.result !== null) {
      // The joined run did not do what was requested: this request runs by itself.
      acceptedRunIds.splice(1);
      await database.pool.query(statements.forgetJoined([request.runId]));
      continue;
    }
    if (state.running !== null && !acceptedRunIds.includes(state.running)) {
      acceptedRunIds.push(state.running);
      await join(lock, request, state.running);
    }
    if (state.locked) {
      await sleep(pollMs);
      continue;
    }
    const result = await lock.semaphore.runBefore(request.deadlineMs, () =>
      withLock(lock, key, (session) => runLocked(lock, session, request, acceptedRunIds, work)),
    );
    if (result !== undefined) return result;
  }
  throw new DomainError('outcome_unknown', 'The run is still running.');
}

/** When the response gets lost, the repeated command returns the result of the run it joined, and starts no other. */
async function join<R>(
  { database, statements }: OpenLock,
  { runId, accountId }: RunRequest<R>,
  joinedRunId: string,
): Promise<void> {
  const { rowCount } = await database.pool.query(statements.join([runId, joinedRunId]));
  if (rowCount === 1) runJoined.announce(() => ({ table: statements.table, accountId, runId, joinedRunId }));
}

/** Whether a finished run answers this request: its own run always does, another one unless its result is insufficient. */
function isAnswer<R>(request: RunRequest<R>, finished: Finished<R>): finished is Finished<R> & { readonly result: R } {
  return (
    finished.result !== null && (finished.id === request.runId || request.isInsufficient?.(finished.result) !== true)
  );
}

interface Finished<R> {
  readonly id: string | null;
  readonly result: R | null;
}

interface RunState<R> extends Finished<R> {
  readonly running: string | null;
  readonly locked: boolean;
}

const finishedValues = <R>(request: RunRequest<R>, acceptedRunIds: readonly string[]) => [
  request.accountId,
  acceptedRunIds,
  request.platformRunId,
  request.runId,
];

const lockKeyOf = (table: string, accountId: string): string => `${table}:${accountId}`;
const isLocked = (key: string): string => `not pg_try_advisory_xact_lock_shared(hashtextextended(${key}, 0))`;
const lockedStatement = statement<{ locked: boolean }>('runs-locked', `select ${isLocked('$1')} as locked`, {
  locked: 'bool',
});

/** Whether a run of the account is under way: its session holds the lock for as long as its process lives. */
export async function isRunning(
  { pool }: Pick<Database, 'pool'>,
  { table }: Pick<RunsTable, 'table'>,
  accountId: string,
): Promise<boolean> {
  const { rows } = await pool.query(lockedStatement([lockKeyOf(table, accountId)]));
  return rows[0]?.locked ?? false;
}

type Statement = ReturnType<typeof statement>;
type Returning<Row extends object> = (values?: unknown[]) => StatementQuery<Row>;

/** The statements of a table of runs; a module makes them, so that they are proved. */
interface RunStatements {
  readonly table: string;
  lockKey(accountId: string): string;
  readonly readState: Returning<RunState<object>>;
  readonly finished: Returning<Finished<object>>;
  readonly join: Statement;
  readonly forgetJoined: Statement;
  readonly lock: Returning<{ won: boolean; case: string | null }>;
  readonly unlock: Returning<{ pg_advisory_unlock: boolean; set_config: string }>;
  readonly begin: Statement;
  readonly finish: Statement;
}

export function runStatements({ table, reset, resultType = 'jsonb' }: RunsTable): RunStatements {
  const named = (name: string): string => `${table.replaceAll('_', '-')}-${name}`;
  /** Results of the requested run, of a run that the same command joined before, or of the same platform run. */
  const finished = `
    select id, result from ${table}
    where id = any (array_append($2::text[], (select c.result ->> 'runId' from commands as c where c.id = $4)))
      and account_id = $1 and result is not null
    union all
    select id, result from ${table} where platform_run_id = $3 and account_id = $1 and result is not null
    limit 1`;
  return {
    table,
    lockKey: (accountId) => lockKeyOf(table, accountId),
    readState: statement<RunState<object>>(
      named('read-state'),
      `select f.id, f.result,
         (select id from ${table} where account_id = $1 and finished_at is null limit 1) as running,
         ${isLocked('$5')} as locked
       from (values (1)) as one left join lateral (${finished}) as f on true`,
      { id: 'text', result: resultType, running: 'text', locked: 'bool' },
    ),
    finished: statement<Finished<object>>(named('finished'), finished, { id: 'text', result: resultType }),
    // The row's lock keeps its run from being closed meanwhile: the run that closes it forgets it afterwards. What has no result
    // any more is joined by no caller.
    join: statement(
      named('join'),
      `insert into commands (id, result)
       select $1, jsonb_build_object('runId', id) from ${table}
       where id = $2 and (finished_at is null or result is not null) for share
       on conflict (id) do update set result = excluded.result`,
    ),
    forgetJoined: statement(named('forget-joined'), 'delete from commands where id = $1'),
    // While a session holds the lock it must query every few seconds, so that the lock of a stopped process ends.
    lock: statement<{ won: boolean; case: string | null }>(
      named('lock'),
      `with lock as materialized (select pg_try_advisory_lock(hashtextextended($1, 0)) as won)
       select won, case when won then set_config('idle_session_timeout', '${idleLockSession.idle_session_timeout}', false) end
       from lock`,
      { won: 'bool', case: 'text' },
    ),
    unlock: statement<{ pg_advisory_unlock: boolean; set_config: string }>(
      named('unlock'),
      `select pg_advisory_unlock(hashtextextended($1, 0)), set_config('idle_session_timeout', '0', false)`,
      { pg_advisory_unlock: 'bool', set_config: 'text' },
    ),
    begin: statement(
      named('begin'),
      `with interrupted as (
         update ${table} set finished_at = $4
         where account_id = $2 and finished_at is null and id <> $1
       )
       insert into ${table} (id, account_id, platform_run_id, started_at) values ($1, $2, $3, $4)
       on conflict (id) do update set finished_at = null${reset === undefined ? '' : `, ${reset}`}`,
    ),
    finish: statement(
      named('finish'),
      `update ${table} set finished_at = $3, result = $4
       where id = $1 and account_id = $2 and finished_at is null`,
    ),
  };
}

/**
 * Works while a session of its own holds the lock. When the session ends early, so does the lock; the work goes on, and its
 * result counts. Undefined when another session has the lock.
 */
async function withLock<T>(
  { database, statements }: OpenLock,
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
    const { rows } = await session.query(statements.lock([key]));
    if (rows[0]?.won !== true) return undefined;
    const keepAlive = setInterval(() => void session.query('select 1').catch(release), keepAliveEveryMs);
    try {
      return await work(session);
    } finally {
      clearInterval(keepAlive);
      await session.query(statements.unlock([key])).catch(release);
    }
  } catch (err) {
    release(err instanceof Error ? err : new Error(String(err)));
    throw err;
  } finally {
    session.off('error', release);
    release();
  }
}

async function runLocked<R extends object>(
  lock: OpenLock,
  session: Client,
  request: RunRequest<R>,
  acceptedRunIds: readonly string[],
  work: () => Promise<R>,
): Promise<R> {
  const { statements, clock } = lock;
  // Another run may have finished before this session got the lock; from here on no other session writes the account's rows.
  const before = await session.query(statements.finished(finishedValues(request, acceptedRunIds)));
  const [found] = before.rows as Finished<R>[];
  if (found !== undefined && isAnswer(request, found)) return found.result;
  const { runId, accountId, platformRunId } = request;
  await session.query(statements.begin([runId, accountId, platformRunId, clock.now()]));
  // Whatever the command joined has failed it: from now on all that is stored of the command belongs to its own run.
  await session.query(statements.forgetJoined([runId]));
  runBegan.announce(() => ({ table: statements.table, accountId, runId }));
  let result: R;
  try {
    result = await work();
  } catch (err) {
    // If this fails too, the next run closes the row.
    await finish(lock, session, request, null).catch(() => undefined);
    throw err;
  }
  if (!(await finish(lock, session, request, result))) {
    throw new DomainError('outcome_unknown', 'Another replica took over this run.');
  }
  return result;
}

/** False when another run has closed the row because this one had lost its lock. */
async function finish<R>(
  { database, clock, statements }: OpenLock,
  session: Client,
  { runId, accountId }: RunRequest<R>,
  result: object | null,
): Promise<boolean> {
  const write = statements.finish([runId, accountId, clock.now(), result]);
  const { rowCount } = await session.query(write).catch(() => database.pool.query(write));
  if (rowCount === 1)
    runEnded.announce(() => ({ table: statements.table, accountId, runId, hasResult: result !== null }));
  return rowCount === 1;
}
