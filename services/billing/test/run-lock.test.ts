import { newId } from '@app/contracts/ids';
import { progressWritten, runBegan, runEnded, runJoined } from '@app/runs/points';
import { idOfPart } from '@app/runs/run-for-each-account';
import { allAccounts } from '@app/runs/run-lock';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { deleteExpired } from '@app/service-kit/retention';
import { createSemaphore } from '@app/service-kit/semaphore';
import { createArrivals } from '@app/testing/arrivals';
import { fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { announced, listen } from '@app/testing/points';
import { untilBlocked } from '@app/testing/poll-system';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import {
  createDailyDeps,
  type DailyDeps,
  dailyRuns,
  runDailyForAccount,
  runDailyForAll,
} from '../src/daily-run/start-daily-run.ts';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import { retention } from '../src/db/retention.ts';
import type { DailyStep } from '../src/runs/daily-step.ts';
import { dailyDepsOf } from './daily-deps.ts';

guardLeaks();

const account = 'acc_a';
let storage: TestDatabase;
/** Two replicas: each has its pool. */
let replicas: Database[] = [];
beforeAll(async () => {
  storage = await createMigratedDatabase('billing', migrate);
  const options = { ...databaseOptions(storage.url), poolMax: 6 };
  replicas = [await openDatabase(options), await openDatabase(options)];
});
afterAll(async () => {
  await Promise.all(replicas.map((database) => database.close()));
  await storage.close();
});
beforeEach(() => db().query('truncate daily_runs, renewals, subscriptions, commands'));

const db = () => (replicas[0] as Database).pool;
const clock = fakeClock();

function replica(index: number, ...steps: DailyStep[]): DailyDeps {
  return dailyDepsOf({ database: replicas[index] as Database, clock, logger: silentLogger() }, steps);
}

const requested = (runId = newId('dailyRun', clock.nowMs())) => ({
  runId,
  deadlineMs: Number.POSITIVE_INFINITY,
  force: false,
});

const begun = (runId: string) => announced(runBegan, (run) => run.runId === runId);
const joined = (runId: string) => announced(runJoined, (run) => run.runId === runId);
/** The account's run has ended with a result. */
const finished = (accountId: string, platformRunId: string) =>
  announced(runEnded, (run) => run.runId === idOfPart(platformRunId, accountId) && run.hasResult);

/** A step that charges one renewal, notes its calls, and ends when it is released. */
function heldStep() {
  const gate = Promise.withResolvers<void>();
  const calls = createArrivals<string>();
  const step: DailyStep = async (_deps, { accountId }, counts) => {
    calls.push(accountId);
    counts.charged += 1;
    counts.chargedCents += 1900;
    await gate.promise;
  };
  const called = (count = 1) => calls.wait(count, { what: 'calls of the step' });
  return { step, calls: calls.list, called, push: calls.push, release: () => gate.resolve() };
}

/** By the machine's clock, which deadlines of requests are measured with. */
function passTime(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms });
  onTestFinished(() => void vi.useRealTimers());
}

async function rows() {
  const { rows: all } = await db().query(
    'select id, account_id, platform_run_id, finished_at, result from daily_runs order by id',
  );
  return all;
}

async function subscriptionOf(accountId: string): Promise<void> {
  await db().query(
    `insert into subscriptions (id, account_id, order_id, product_id, product_name, customer_email, amount_cents, currency,
       billing_interval, status, collection, payment_method, anchor, period, current_period_end, next_charge_at, started_at, test,
       affiliate_named)
     select $1, $2, $1, 'prd', 'Club', 'a@x.io', 1900, 'usd', 'month', 'active', 'automatic', 'tok', $3::timestamptz - interval '1 month',
       1, $3, $3, $3, false, false`,
    [newId('subscription', 0), accountId, clock.now()],
  );
}

/** Kills the database session that holds a run's lock, as the death of its process does. */
async function killLockHolder(): Promise<void> {
  const { rowCount } = await db().query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and mode = 'ExclusiveLock' and granted
     and database = (select oid from pg_database where datname = current_database())`,
  );
  expect(rowCount).toBe(1);
}

test('two jobs at once for one account, on two replicas: one works, both have its result', async () => {
  const held = heldStep();
  const first = runDailyForAccount(replica(0, held.step), account, requested());
  await held.called();
  const [secondId, thirdId] = [requested(), requested()];
  const second = runDailyForAccount(replica(1, held.step), account, secondId);
  const third = runDailyForAccount(replica(0, held.step), account, thirdId);
  await Promise.all([secondId, thirdId].map(({ runId }) => joined(runId)));
  held.release();
  const results = await Promise.all([first, second, third]);
  expect(results.map((result) => result.rebills.charged)).toEqual([1, 1, 1]);
  expect(held.calls).toEqual([account]);
  expect(await rows()).toHaveLength(1);
});

test('many at the same moment are one run or follow each other, never beside each other', async () => {
  let running = 0;
  const step: DailyStep = async (deps, _run, counts) => {
    running += 1;
    expect(running).toBe(1);
    await deps.database.pool.query('select pg_sleep(0.02)');
    counts.charged += 1;
    running -= 1;
  };
  const deps = [replica(0, step), replica(1, step)] as const;
  const results = await Promise.all(
    Array.from({ length: 16 }, (_, i) => runDailyForAccount(deps[i % 2] as DailyDeps, account, requested())),
  );
  expect(new Set(results.map((result) => result.rebills.charged))).toEqual(new Set([1]));
  const runs = await rows();
  expect(runs.filter((row) => row.result === null)).toEqual([]);
});

test('a caller that joined a run and lost the answer gets that run’s result again', async () => {
  const held = heldStep();
  const first = runDailyForAccount(replica(0, held.step), account, requested());
  await held.called();
  const joining = requested();
  let closing = false;
  const deps = createDailyDeps({ ...replica(1, held.step), isClosing: () => closing });
  const lost = expect(runDailyForAccount(deps, account, joining)).rejects.toMatchObject({ code: 'outcome_unknown' });
  await joined(joining.runId);
  closing = true;
  await lost;
  held.release();
  await first;
  const again = await runDailyForAccount(replica(1, held.step), account, requested(joining.runId));
  expect(again.rebills.charged).toBe(1);
  expect(held.calls).toHaveLength(1);
});

test('a run goes on to its result when the time of the caller who began it has passed', async () => {
  const held = heldStep();
  const begun = { ...requested(), deadlineMs: Date.now() + 20_000 };
  const run = runDailyForAccount(replica(0, held.step), account, begun);
  await held.called();
  // A request with the caller's deadline gets no result any more.
  passTime(20_001);
  const late = runDailyForAccount(replica(1, held.step), account, { ...requested(), deadlineMs: begun.deadlineMs });
  await expect(late).rejects.toMatchObject({ code: 'outcome_unknown' });
  expect(await rows()).toMatchObject([{ id: begun.runId, finished_at: null, result: null }]);
  held.release();
  await run.catch(() => undefined);
  expect(await rows()).toMatchObject([{ id: begun.runId, result: { ok: true, rebills: { charged: 1 } } }]);
  expect(held.calls).toEqual([account]);
});

test('a run whose process died is closed as interrupted by the next one, which works', async () => {
  const held = heldStep();
  const dead = requested();
  const first = runDailyForAccount(replica(0, held.step), account, dead).catch((err: unknown) => err);
  await held.called();
  const own = requested();
  const waiting = runDailyForAccount(replica(1, heldAndReleased(held.push)), account, own);
  await joined(own.runId);
  await killLockHolder();
  expect((await waiting).rebills.charged).toBe(1);
  held.release();
  expect(await first).toBeInstanceOf(Error);
  expect(held.calls).toHaveLength(2);
  const runs = await rows();
  expect(runs.find((row) => row.id === dead.runId)).toMatchObject({ finished_at: expect.any(Date), result: null });
  expect(runs.filter((row) => row.result !== null)).toHaveLength(1);
  expect(await joins()).toEqual([]);
});

const joins = async () => (await db().query('select id, result from commands')).rows;

test('a command whose joined run fails runs by itself, and is no longer counted among those that joined it', async () => {
  const held = heldStep();
  const failing: DailyStep = async (...of) => {
    await held.step(...of);
    throw new Error('no');
  };
  const first = runDailyForAccount(replica(0, failing), account, requested()).catch((err: unknown) => err);
  await held.called();
  const own = requested();
  const second = runDailyForAccount(replica(1, heldAndReleased(held.push)), account, own);
  await joined(own.runId);
  held.release();
  expect((await second).rebills.charged).toBe(1);
  expect(await first).toMatchObject({ message: 'no' });
  expect([held.calls.length, await joins()]).toEqual([2, []]);
});

test('a repeated command that is about to join a dead run while its twin runs instead joins nothing', async () => {
  const dead = requested();
  await db().query('insert into daily_runs (id, account_id, started_at) values ($1, $2, now())', [dead.runId, account]);
  const [held, own] = [heldStep(), requested()];
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const { pool } = replicas[1] as Database;
  const query = async (config: { name?: string }) => {
    if (config.name === 'daily-runs-join') {
      reached.resolve();
      await gate.promise;
    }
    return await pool.query(config as never);
  };
  const database = { ...(replicas[1] as Database), pool: Object.assign(Object.create(pool), { query }) };
  const late = { ...replica(1, held.step), database };
  const twin = runDailyForAccount(createDailyDeps(late), account, own);
  await reached.promise;
  const running = runDailyForAccount(replica(0, held.step), account, own);
  await held.called();
  gate.resolve();
  held.release();
  expect(await twin).toEqual(await running);
  expect([held.calls.length, await joins()]).toEqual([1, []]);
});

test('a command joins no run that is being closed: it waits for the close', async () => {
  const { join } = dailyRuns;
  const [dead, own] = [requested().runId, requested().runId];
  await db().query('insert into daily_runs (id, account_id, started_at) values ($1, $2, now())', [dead, account]);
  const closing = await (replicas[1] as Database).pool.connect();
  try {
    await closing.query('begin');
    await closing.query('update daily_runs set finished_at = now() where id = $1', [dead]);
    const joining = db().query(join([own, dead]));
    await untilBlocked(db());
    await closing.query('commit');
    expect((await joining).rowCount).toBe(0);
  } finally {
    closing.release();
  }
});

function heldAndReleased(called: (accountId: string) => unknown = () => undefined): DailyStep {
  const held = heldStep();
  held.release();
  return async (deps, run, counts) => {
    called(run.accountId);
    await held.step(deps, run, counts);
  };
}

test('a run whose lock’s session breaks has its result stored and answered all the same', async () => {
  const held = heldStep();
  const own = requested();
  const running = runDailyForAccount(replica(0, held.step), account, own);
  await held.called();
  await killLockHolder();
  held.release();
  const result = await running;
  expect(result.rebills.charged).toBe(1);
  expect(await rows()).toMatchObject([{ id: own.runId, finished_at: expect.any(Date), result }]);
});

test('a caller that waits for a run waits until the deadline, and nothing runs after it', async () => {
  const held = heldStep();
  const deps = createDailyDeps({ ...replica(0, held.step), semaphore: createSemaphore(1) });
  const first = runDailyForAccount(deps, account, requested());
  await held.called();
  const late = runDailyForAccount(deps, 'acc_b', { ...requested(), deadlineMs: Date.now() + 200 });
  // The run under way goes on until it is released: a request that waited for it would not end.
  await expect(late).rejects.toMatchObject({ code: 'outcome_unknown' });
  held.release();
  await first;
  await runDailyForAccount(deps, 'acc_c', requested());
  expect(held.calls).toEqual([account, 'acc_c']);
});

test('a repeated command whose process died runs again under its own row', async () => {
  const id = newId('dailyRun', clock.nowMs());
  await db().query('insert into daily_runs (id, account_id, started_at) values ($1, $2, now())', [id, account]);
  const result = await runDailyForAccount(replica(0, heldAndReleased()), account, requested(id));
  expect(result.rebills.charged).toBe(1);
  expect(await rows()).toMatchObject([{ id, result }]);
});

test('a step that fails leaves a run without result, and the next run works', async () => {
  const failing: DailyStep = async () => {
    throw new Error('no');
  };
  await expect(runDailyForAccount(replica(0, failing), account, requested())).rejects.toThrow('no');
  expect(await rows()).toMatchObject([{ finished_at: expect.any(Date), result: null }]);
  expect((await runDailyForAccount(replica(0), account, requested())).ok).toBe(true);
});

test('a run in a process that closes ends after the step under way, without a result, and the next one does the rest', async () => {
  const held = heldStep();
  const later: string[] = [];
  let closing = false;
  const deps = createDailyDeps({
    ...replica(
      0,
      held.step,
      heldAndReleased((accountId) => later.push(accountId)),
    ),
    isClosing: () => closing,
  });
  const run = requested();
  const ended = runDailyForAccount(deps, account, run).catch((err: unknown) => err);
  await held.called();
  closing = true;
  held.release();
  expect(await ended).toMatchObject({ code: 'outcome_unknown' });
  expect(later).toEqual([]);
  expect(await rows()).toMatchObject([{ id: run.runId, finished_at: expect.any(Date), result: null }]);
  const again = await runDailyForAccount(
    replica(
      1,
      heldAndReleased((accountId) => later.push(accountId)),
    ),
    account,
    run,
  );
  expect(again.rebills.charged).toBe(1);
  expect(await rows()).toMatchObject([{ id: run.runId, result: again }]);
});

test('the progress of a run is in its row while it goes on, and what is left when it ends', async () => {
  const gate = Promise.withResolvers<void>();
  const step: DailyStep = async (_deps, { progress }) => {
    progress.expect(5);
    progress.done(2);
    await gate.promise;
    progress.done(3);
  };
  const read = async () => (await db().query('select done, left_to_do, finished_at from daily_runs')).rows;
  const own = requested();
  const running = runDailyForAccount({ ...replica(0, step), progressEveryMs: 20 }, account, own);
  await announced(progressWritten, ({ runId }) => runId === own.runId);
  expect(await read()).toEqual([{ done: 2, left_to_do: 3, finished_at: null }]);
  gate.resolve();
  await running;
  expect(await read()).toEqual([{ done: 5, left_to_do: 0, finished_at: expect.any(Date) }]);
});

test('the platform’s run sums the accounts, joins a seller’s own run, and is one run itself', async () => {
  for (const accountId of ['acc_a', 'acc_a', 'acc_b', 'acc_c']) await subscriptionOf(accountId);
  const held = heldStep();
  const seller = runDailyForAccount(replica(0, held.step), 'acc_b', requested());
  await held.called();
  const charge = heldAndReleased();
  const platformId = requested();
  const platform = runDailyForAll(replica(1, charge), platformId);
  await begun(platformId.runId);
  const againId = requested();
  const again = runDailyForAll(replica(0, charge), againId);
  await joined(againId.runId);
  await finished('acc_a', platformId.runId);
  await joined(idOfPart(platformId.runId, 'acc_b'));
  held.release();
  const sum = await platform;
  expect(sum).toMatchObject({ ok: true, rebills: { charged: 3, chargedCents: 5700 } });
  expect(await again).toEqual(sum);
  expect((await seller).rebills.charged).toBe(1);
  const runs = await rows();
  expect(runs.map((row) => row.account_id).sort()).toEqual(['', 'acc_a', 'acc_b', 'acc_c']);
  expect(new Set(runs.map((row) => row.platform_run_id))).toEqual(new Set([null, platformId.runId]));
});

test('a platform’s run that died half-way and comes again counts what was done and does the rest', async () => {
  for (const accountId of ['acc_a', 'acc_b']) await subscriptionOf(accountId);
  const held = heldStep();
  const calls: string[] = [];
  const charge = heldAndReleased((accountId) => calls.push(accountId));
  const stuck: DailyStep = (deps, run, counts) =>
    run.accountId === 'acc_a' ? charge(deps, run, counts) : held.step(deps, run, counts);
  const platform = requested();
  const first = runDailyForAll(replica(0, stuck), platform).catch((err: unknown) => err);
  await held.called();
  await finished('acc_a', platform.runId);
  await db().query(
    `select pg_terminate_backend(pid) from pg_stat_activity where pid in (select pid from pg_locks where locktype = 'advisory'
     and mode = 'ExclusiveLock' and database = (select oid from pg_database where datname = current_database()))`,
  );
  const sum = await runDailyForAll(replica(1, charge), platform);
  held.release();
  await first;
  expect(sum.rebills.charged).toBe(2);
  expect(calls).toEqual(['acc_a', 'acc_b']);
});

test('the platform’s run works on several accounts at the same time, on each once, and counts all', async () => {
  const accounts = Array.from({ length: 9 }, (_, n) => `acc_${n}`);
  for (const accountId of accounts) await subscriptionOf(accountId);
  const together = heldStep();
  const platform = runDailyForAll(replica(0, together.step), requested());
  await together.called(2);
  together.release();
  expect(await platform).toMatchObject({ ok: true, rebills: { charged: 9, chargedCents: 17_100 } });
  expect(together.calls.toSorted()).toEqual(accounts);
});

test('reading the state of a run costs the same with one and with very many runs: it reads by index alone', async () => {
  await db().query(
    `insert into daily_runs (id, account_id, platform_run_id, started_at, finished_at, result)
     select 'run_' || n, case when n % 5 = 0 then '' else 'acc_' || n % 4000 end, 'run_' || n % 7, now(), now(), '{}'
     from generate_series(1, $1) n`,
    [volume(20_000, 40_000)],
  );
  await db().query('analyze daily_runs');
  for (const accountId of ['acc_1', allAccounts]) {
    const { text, values } = dailyRuns.readState([accountId, ['run_x'], 'run_1', 'run_x', 'key']);
    const { rows: explained } = await db().query(`explain (format json) ${text}`, values);
    const scans = JSON.stringify(explained).match(/"Node Type":"[^"]*Scan"[^}]*?"Relation Name":"daily_runs"/g) ?? [];
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.filter((scan) => scan.includes('Seq Scan'))).toEqual([]);
  }
});

test('runs are kept for thirteen months', async () => {
  const daysAgo = (days: number) => new Date(clock.nowMs() - days * 86_400_000);
  for (const days of [1, 395, 397]) {
    await db().query('insert into daily_runs (id, account_id, started_at) values ($1, $2, $3)', [
      `run_${days}`,
      account,
      daysAgo(days),
    ]);
  }
  await deleteExpired(replicas[0] as Database, retention(clock));
  expect((await rows()).map((row) => row.id)).toEqual(['run_1', 'run_395']);
});

test('one account’s failure keeps no other from its run, and the sum says so', async () => {
  for (const accountId of ['acc_a', 'acc_b']) await subscriptionOf(accountId);
  const charge = heldAndReleased();
  const step: DailyStep = async (deps, run, counts) => {
    if (run.accountId === 'acc_a') throw new Error('no');
    await charge(deps, run, counts);
  };
  expect(await runDailyForAll(replica(0, step), requested())).toMatchObject({ ok: false, rebills: { charged: 1 } });
});

test.each([
  ['a seller requested', (deps: DailyDeps) => runDailyForAccount(deps, 'acc_a', requested())],
  ['the platform itself began', undefined],
])('one account’s stuck run, which %s, keeps no other from its run, and the sum says so', async (_, begin) => {
  for (const accountId of ['acc_a', 'acc_b']) await subscriptionOf(accountId);
  const held = heldStep();
  const charge = heldAndReleased();
  const step: DailyStep = (deps, run, counts) => (run.accountId === 'acc_a' ? held.step : charge)(deps, run, counts);
  const stuck = begin?.(replica(0, step));
  if (begin !== undefined) await held.called();
  const sum = await runDailyForAll({ ...replica(1, step), ...progressing('acc_b'), partLimitMs: 100 }, requested());
  expect(sum).toMatchObject({ ok: false, rebills: { charged: 1 } });
  const ended = listen();
  held.release();
  await stuck;
  await ended.announced(runEnded, ({ accountId }) => accountId === 'acc_a');
  expect((await rows()).filter((row) => row.account_id === 'acc_a')).toMatchObject([{ result: { ok: true } }]);
  expect(held.calls).toEqual(['acc_a']);
});

/** The second replica's database, where this account's run makes progress at each check. */
function progressing(progressingId: string): Pick<DailyDeps, 'database'> {
  const database = replicas[1] as Database;
  let done = 0;
  const query = async (config: { name?: string; values?: unknown[] }) => {
    if (config.name !== 'daily-runs-progress-of' || config.values?.[0] !== progressingId)
      return await database.pool.query(config as never);
    done += 1;
    return { rows: [{ done }] };
  };
  return { database: { ...database, pool: Object.assign(Object.create(database.pool), { query }) } };
}
