import { dailyRunResource, getDailyRun, listDailyRuns, startDailyRun } from '@app/contracts/daily-runs';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { remindersFinished } from '@app/contracts/reminders';
import { takeEffect } from '@app/messaging/take-effect';
import { idOfPart } from '@app/runs/run-for-each-account';
import { openDatabase } from '@app/service-kit/database';
import { nothingDone } from '@app/testing/daily-result';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { storeReminderCounts } from '../src/daily-run/store-reminder-counts.ts';
import { databaseOptions } from '../src/db/migrate.ts';
import { orderEvent } from './samples.ts';
import { harness, startService } from './set-up.ts';

startService();

const command = (): string => newIdSuffix(harness.clock.nowMs());

/** `caller` is '' for the platform. */
const run = (caller: string, accountId: string | null, commandId = command()) =>
  harness.requester.request(
    startDailyRun,
    { accountId, force: false },
    { accountId: caller, requestId: 'r', commandId },
  );

async function runsOf(accountId: string, page: { limit?: number; before?: string } = {}) {
  const output = await harness.requester.request(listDailyRuns, page, { accountId, requestId: 'r' });
  return { ...output, data: output.data.map((entry) => dailyRunResource.strict().parse(entry)) };
}

async function sellerWithSubscription(): Promise<string> {
  const account = newId('account', 0);
  await harness.deliver(orderPaid, orderEvent(account, { paymentMethod: 'sim_ok' }));
  return account;
}

test('a seller’s run answers in the published shape and charges the renewal that is due', async () => {
  const account = await sellerWithSubscription();
  harness.clock.set('2026-03-15T12:00:00.000Z');
  const rebills = { charged: 1, chargedCents: 1900, retried: 0, canceled: 0 };
  const result = { ...nothingDone, rebills, chargedByCurrency: { usd: 1900 } };
  expect(startDailyRun.output.strict().parse(await run(account, account))).toEqual(result);
  const at = '2026-03-15T12:00:00.000Z';
  expect(await runsOf(account)).toEqual({
    data: [
      {
        id: expect.stringMatching(/^run_/),
        status: 'finished',
        started_at: at,
        finished_at: at,
        result,
        progress: expect.toSatisfy((progress) => progress === null || progress.done === 1),
        books: {
          compared_from: '2026-03-12T12:00:00.000Z',
          compared_until: at,
          ...{ charges: 1, refunds: 0, holds: 0, disputes: 0, orphans: [], orphan_count: 0 },
        },
      },
    ],
  });
});

test('a repeated command is one run', async () => {
  const account = newId('account', 0);
  const commandId = command();
  await Promise.all([run(account, account, commandId), run(account, account, commandId)]);
  await run(account, account, commandId);
  expect((await runsOf(account)).data.map((entry) => entry.id)).toEqual([`run_${commandId}`]);
});

test('the platform runs for every account with anything due, and each sees its own run alone', async () => {
  const [first, second] = [await sellerWithSubscription(), await sellerWithSubscription()];
  expect(await run('', null)).toMatchObject({ ok: true, problems: [] });
  const [a, b] = [await runsOf(first), await runsOf(second)];
  expect([a.data.length, b.data.length]).toEqual([1, 1]);
  expect(a.data[0]?.id).not.toBe(b.data[0]?.id);
  expect(await runsOf(newId('account', 0))).toEqual({ data: [] });
});

test('a run is read by its id, also under the id of a command that joined it, and by no other account', async () => {
  const account = newId('account', 0);
  const get = (caller: string, runId: string) =>
    harness.requester.request(getDailyRun, { runId }, { accountId: caller, requestId: 'r' });
  const commandId = command();
  await run(account, account, commandId);
  const found = await get(account, `run_${commandId}`);
  expect(dailyRunResource.strict().parse(found)).toEqual((await runsOf(account)).data[0]);
  const joined = newId('dailyRun', 0);
  await query(
    harness.databaseUrl,
    `insert into commands (id, result) values ('${joined}', jsonb_build_object('runId', 'run_${commandId}'))`,
  );
  expect(await get(account, joined)).toEqual(found);
  for (const [caller, id] of [
    [newId('account', 0), found.id],
    ['', found.id],
    [account, newId('dailyRun', 0)],
  ] as const)
    await expect(get(caller, id)).rejects.toMatchObject({ code: 'daily_run_not_found' });
});

test('the platform reads its run over all accounts, which is as far as the accounts’ runs are', async () => {
  const account = await sellerWithSubscription();
  const commandId = command();
  const result = await run('', null, commandId);
  const part = idOfPart(`run_${commandId}`, account);
  expect((await runsOf(account)).data.map(({ id }) => id)).toContain(part);
  await query(harness.databaseUrl, `update daily_runs set done = 7, left_to_do = 2 where id = '${part}'`);
  const asPlatform = { accountId: '', requestId: 'r' };
  const found = await harness.requester.request(getDailyRun, { runId: `run_${commandId}` }, asPlatform);
  expect(found).toMatchObject({ result, progress: { done: expect.any(Number), left: 2 } });
  expect(found.progress?.done).toBeGreaterThanOrEqual(7);
});

test('checkout’s part is kept with the run: of one account, joined, within a run over all, and where nothing else was due', async () => {
  const [account, idle] = [await sellerWithSubscription(), newId('account', 0)];
  const [own, joined, platform] = [command(), newId('dailyRun', 0), command()];
  await run(account, account, own);
  await query(
    harness.databaseUrl,
    `insert into commands (id, result) values ('${joined}', jsonb_build_object('runId', 'run_${own}'))`,
  );
  await run('', null, platform);
  const finishedAt = harness.clock.now().toISOString();
  const report = (accountId: string, runId: string | null, platformRunId: string | null, sent: number) =>
    harness.deliver(remindersFinished, {
      id: newId('event', harness.clock.nowMs()),
      accountId,
      data: { runId, platformRunId, sent, recovered: 1, problem: null, finishedAt },
    });
  await report(account, joined, null, 3);
  await report(account, null, `run_${platform}`, 5);
  await report(idle, null, `run_${platform}`, 7);
  await report(idle, `run_${own}`, null, 9);
  const sentOf = async (accountId: string) =>
    new Map((await runsOf(accountId)).data.map(({ id, result }) => [id, result?.recovery.sent]));
  expect((await sentOf(account)).get(`run_${own}`)).toBe(3);
  expect((await sentOf(account)).get(idOfPart(`run_${platform}`, account))).toBe(5);
  expect((await runsOf(idle)).data).toMatchObject([
    { id: idOfPart(`run_${platform}`, idle), result: { ok: true, recovery: { sent: 7, recovered: 1 } } },
  ]);
});

test('reminders of a run that replaced a dead one are kept with it', async () => {
  const account = await sellerWithSubscription();
  const [dead, own] = [newId('dailyRun', 0), command()];
  await query(
    harness.databaseUrl,
    `insert into daily_runs (id, account_id, started_at, recovery)
     values ('${dead}', '${account}', now(), '{"sent":3,"recovered":0}')`,
  );
  await run(account, account, own);
  const reported = { runId: `run_${own}`, platformRunId: null, sent: 57, recovered: 0, problem: null };
  const data = { ...reported, finishedAt: '2026-03-15T12:00:00.000Z' };
  await harness.deliver(remindersFinished, { id: newId('event', 0), accountId: account, data });
  expect((await runsOf(account)).data.find(({ id }) => id === `run_${own}`)?.result?.recovery.sent).toBe(57);
  const { data: runs } = await runsOf(account);
  expect(runs.find(({ id }) => id === dead)).toMatchObject({ status: 'interrupted' });
});

test('reminders of callers who joined a run are added to it, each once, and its first problem stays', async () => {
  const account = await sellerWithSubscription();
  const [own, first, second] = [command(), newId('dailyRun', 0), newId('dailyRun', 0)];
  await run(account, account, own);
  const reportedBy = (runId: string, sent: number, problem: string | null) => ({
    ...{ id: newId('event', 0), accountId: account, occurredAt: '', requestId: null, traceparent: undefined },
    data: { runId, platformRunId: null, sent, recovered: 1, problem, finishedAt: '2026-03-15T12:00:00.000Z' } as never,
  });
  const [one, two, three] = [
    reportedBy(`run_${own}`, 5, 'It failed.'),
    reportedBy(first, 2, null),
    reportedBy(second, 4, 'It failed again.'),
  ];
  const database = await openDatabase(databaseOptions(harness.databaseUrl));
  const take = (...events: (typeof one)[]) =>
    takeEffect({ service: 'billing', database }, storeReminderCounts, events).then(async () => {
      const { recovery, problems } = (await runsOf(account)).data[0]?.result ?? {};
      return [recovery, problems?.map(({ detail }) => detail)];
    });
  try {
    for (const id of [first, second])
      await database.pool.query(
        `insert into commands (id, result) values ($1, jsonb_build_object('runId', $2::text))`,
        [id, `run_${own}`],
      );
    expect(await take(one)).toEqual([{ sent: 5, recovered: 1 }, ['It failed.']]);
    // No other account's run is touched, nor does who names it keep out what belongs there.
    const stranger = { ...reportedBy(`run_${own}`, 9, null), accountId: 'acc_0' };
    expect(await take(stranger, two, three, one)).toEqual([{ sent: 11, recovered: 3 }, ['It failed.']]);
    expect(await take(three, two)).toEqual([{ sent: 11, recovered: 3 }, ['It failed.']]);
  } finally {
    await database.close();
  }
});

test('a run that begins after its reminders were reported keeps them', async () => {
  const account = await sellerWithSubscription();
  const own = command();
  const data = {
    runId: `run_${own}`,
    platformRunId: null,
    sent: 2,
    recovered: 0,
    problem: null,
    finishedAt: '2026-03-15T12:00:00.000Z',
  };
  await harness.deliver(remindersFinished, { id: newId('event', 0), accountId: account, data });
  expect((await runsOf(account)).data).toHaveLength(1);
  await run(account, account, own);
  expect((await runsOf(account)).data).toMatchObject([{ id: `run_${own}`, result: { recovery: { sent: 2 } } }]);
});

test('what did not go out of a run’s reminders stays with the run: it is not ok, and says why', async () => {
  const account = await sellerWithSubscription();
  const own = command();
  await run(account, account, own);
  const problem = '1 reminder did not go out (450 later). The next daily run tries again.';
  const reported = { runId: `run_${own}`, platformRunId: null, sent: 2, recovered: 0, problem };
  const data = { ...reported, finishedAt: '2026-03-15T12:00:00.000Z' };
  await harness.deliver(remindersFinished, { id: newId('event', 0), accountId: account, data });
  const failed = { ok: false, recovery: { sent: 2, recovered: 0 } };
  const { result } = await harness.requester.request(
    getDailyRun,
    { runId: `run_${own}` },
    { accountId: account, requestId: 'r' },
  );
  expect(result).toMatchObject({ ...failed, problems: [{ code: 'reminders_failed', detail: problem }] });
  expect(result?.recovery).toEqual(failed.recovery);
  expect((await runsOf(account)).data).toMatchObject([{ result: { ok: false } }]);
});

test('an account can run the job for itself only', async () => {
  const account = newId('account', 0);
  await expect(run(account, newId('account', 0))).rejects.toMatchObject({ code: 'insufficient_scope' });
  await expect(run(account, null)).rejects.toMatchObject({ code: 'insufficient_scope' });
  // Nor does the platform confirm for all.
  const confirming = { accountId: null, force: false, confirmUnmatchedPayments: true };
  const platform = { accountId: '', requestId: 'r', commandId: command() };
  const confirmed = harness.requester.request(startDailyRun, confirming, platform);
  await expect(confirmed).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await runsOf(account)).toEqual({ data: [] });
});

test('past runs page back newest first', async () => {
  const account = newId('account', 0);
  const commands = [command(), command(), command()];
  for (const commandId of commands) await run(account, account, commandId);
  const newest = await runsOf(account, { limit: 2 });
  const older = await runsOf(account, { limit: 2, before: newest.data.at(-1)?.id ?? '' });
  expect([newest.has_more, older.has_more]).toEqual([true, false]);
  expect([...newest.data, ...older.data].map((entry) => entry.id)).toEqual(commands.map((id) => `run_${id}`).reverse());
});
