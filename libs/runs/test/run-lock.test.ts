import { newId } from '@app/contracts/ids';
import type { Database } from '@app/service-kit/database';
import { defineDatabase } from '@app/service-kit/define-database';
import { silentLogger } from '@app/service-kit/logger';
import { Migration } from '@app/service-kit/migrations';
import { createSemaphore } from '@app/service-kit/semaphore';
import { fakeClock } from '@app/testing/fake-clock';
import { guardLeaks } from '@app/testing/leak-guard';
import { openForReplicas } from '@app/testing/opened-database';
import { announced } from '@app/testing/points';
import { beforeEach, expect, test } from 'vitest';
import { progressWritten, runJoined } from '../src/points.ts';
import { progressTable, startProgress } from '../src/progress.ts';
import { idOfPart, runForEachAccount } from '../src/run-for-each-account.ts';
import { createRunLock, type RunLock, runStatements } from '../src/run-lock.ts';

guardLeaks();

const table = 'test_runs';
const statements = runStatements({ table });
const progressOfRuns = progressTable(table);
class Runs extends Migration {
  override up(): void {
    this.addSql('create table commands (id text primary key, result jsonb)');
    this.addSql(
      `create table ${table} (id text primary key, account_id text not null, platform_run_id text,
         started_at timestamptz not null, finished_at timestamptz, result jsonb, done integer, left_to_do integer)`,
    );
  }
}

interface Counted {
  readonly count: number;
}

const { databaseOptions, migrate } = defineDatabase('runs', { migrations: [{ name: '0001-runs', class: Runs }] });
const clock = fakeClock();
const databases = openForReplicas('runs', migrate, databaseOptions);
const db = () => (databases[0] as Database).pool;
beforeEach(() => db().query(`truncate ${table}, commands`));

const replica = (index: number): RunLock<Counted> =>
  createRunLock<Counted>(
    { database: databases[index] as Database, clock, semaphore: createSemaphore(3), isClosing: () => false },
    statements,
  );
const request = (accountId = 'acc_a') => ({
  accountId,
  runId: newId('dailyRun', clock.nowMs()),
  platformRunId: null,
  deadlineMs: Number.POSITIVE_INFINITY,
});
const storedResult = async (runId: string) =>
  (await db().query<{ result: Counted | null }>(`select result from ${table} where id = $1`, [runId])).rows[0]?.result;

test('a request that comes to another replica while a run is under way gets its result, and works no second time', async () => {
  const [began, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const [own, later] = [request(), request()];
  const first = replica(0).run(own, async () => {
    began.resolve();
    await gate.promise;
    return { count: 1 };
  });
  await began.promise;
  const joined = announced(runJoined, ({ runId }) => runId === later.runId);
  const second = replica(1).run(later, async () => ({ count: 2 }));
  await joined;
  gate.resolve();
  expect(await Promise.all([first, second])).toEqual([{ count: 1 }, { count: 1 }]);
  expect(await replica(1).run(later, async () => ({ count: 3 }))).toEqual({ count: 1 });
  expect([await storedResult(own.runId), await storedResult(later.runId)]).toEqual([{ count: 1 }, undefined]);
});

test('a run whose process died is closed without a result by the next one, which works', async () => {
  const dead = request();
  await db().query(`insert into ${table} (id, account_id, started_at) values ($1, $2, now())`, [dead.runId, 'acc_a']);
  const next = request();
  expect(await replica(0).run(next, async () => ({ count: 1 }))).toEqual({ count: 1 });
  expect([await storedResult(dead.runId), await storedResult(next.runId)]).toEqual([null, { count: 1 }]);
  // The command of the dead run comes again: its run begins anew.
  expect(await replica(1).run(dead, async () => ({ count: 2 }))).toEqual({ count: 2 });
});

test('a run over all accounts adds up theirs; one that fails counts as failed and keeps no other from running', async () => {
  async function* accounts() {
    yield* ['acc_a', 'acc_b', 'acc_c'];
  }
  const platform = request('');
  const sum = await runForEachAccount<Counted>(
    { runLock: replica(0), logger: silentLogger(), isClosing: () => false },
    {
      partsAtOnce: 1,
      partLimitMs: 60_000,
      accounts: accounts(),
      part: async ({ accountId }) => {
        if (accountId === 'acc_b') throw new Error('no');
        return { count: 1 };
      },
      none: { count: 0 },
      add: (all, part) => ({ count: all.count + part.count }),
      failed: () => ({ count: 100 }),
    },
    platform,
  );
  expect(sum).toEqual({ count: 102 });
  expect(await storedResult(platform.runId)).toEqual({ count: 102 });
  const parts = ['acc_a', 'acc_b', 'acc_c'].map((accountId) => storedResult(idOfPart(platform.runId, accountId)));
  expect(await Promise.all(parts)).toEqual([{ count: 1 }, null, { count: 1 }]);
});

test('how far a run is stands in its row while it works, and what is written late changes no finished row', async () => {
  const own = request();
  const deps = { database: databases[0] as Database, logger: silentLogger(), progressEveryMs: 1 };
  const progressOf = async () =>
    (await db().query(`select done, left_to_do from ${table} where id = $1`, [own.runId])).rows[0];
  const progress = await replica(0)
    .run(own, async () => {
      const written = startProgress(deps, progressOfRuns, own);
      const first = announced(progressWritten, ({ runId, done }) => runId === own.runId && done === 2);
      written.expect(5);
      written.done(2);
      await first;
      expect(await progressOf()).toEqual({ done: 2, left_to_do: 3 });
      await written.close();
      return { count: 2 };
    })
    .then(() => startProgress(deps, progressOfRuns, own));
  progress.done(5);
  await progress.close();
  expect(await progressOf()).toEqual({ done: 2, left_to_do: 3 });
});
