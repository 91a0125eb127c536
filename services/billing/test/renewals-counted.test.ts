import { newId } from '@app/contracts/ids';
import { isDeath } from '@app/testing/dying-process';
import { volume } from '@app/testing/long';
import { expect, test } from 'vitest';
import { previewDailyRun } from '../src/daily-run/preview-daily-run.ts';
import { runDailyForAccount, runDailyForAll } from '../src/daily-run/start-daily-run.ts';
import { dailySteps } from '../src/daily-run/steps.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { dailyDepsOf } from './daily-deps.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import type { Fault } from './processors/faulty-processor.ts';
import { openReplicas, replicas } from './set-up.ts';
import { beginPaidLife, readStory, subscribeMany as subscribeManyOf } from './subscriptions-of-tests.ts';

openReplicas('2026-02-01T12:00:00.000Z');

const dailyOf = ({ deps }: Replica) => dailyDepsOf(deps, dailySteps(deps));
const requested = () => ({
  ...{ runId: newId('dailyRun', replicas.clock.nowMs()), deadlineMs: Number.POSITIVE_INFINITY, force: true },
});
const run = (replica: Replica, account: string) => runDailyForAccount(dailyOf(replica), account, requested());
const preview = (account: string) =>
  previewDailyRun({ database: replicas.database, clock: replicas.clock }, account, {});

/** What a renewal is on its day is due a month later. */
async function subscribeMany(account: string, count: number, paymentMethod = 'sim_ok'): Promise<string[]> {
  return (await subscribeManyOf(replicas, account, count, { paymentMethod })).map(({ id }) => id);
}

/** So many renewals of a new account are due now, and none before. */
async function beginDue(count: number, paymentMethod?: string) {
  const account = newAccount();
  const ids = await subscribeMany(account, count, paymentMethod);
  replicas.clock.set('2026-03-01T12:00:00.000Z');
  return { account, ids, replica: replicas.start() };
}

const lost = (count: number): Fault[] => Array.from({ length: count }, () => 'throws_after');

test('renewals whose outcome is unknown at first are counted by the run whose look-ups find it', async () => {
  const { account, replica } = await beginDue(3);
  replica.fail(...lost(3));
  expect((await run(replica, account)).rebills).toEqual({ charged: 0, chargedCents: 0, retried: 0, canceled: 0 });
  replicas.clock.advance(dayMs);
  const found = await run(replica, account);
  expect(found.rebills).toEqual({ charged: 3, chargedCents: 5700, retried: 0, canceled: 0 });
  // The limit of charges compares with it, too.
  expect((await preview(account)).charge_limit.currencies).toEqual([]);
  const { rows } = await replicas.database.pool.query(
    `select result -> 'chargedByCurrency' as sums from daily_runs where account_id = $1 order by id desc limit 1`,
    [account],
  );
  expect(rows[0]?.sums).toEqual({ usd: 5700 });
  expect((await run(replica, account)).rebills.charged).toBe(0);
});

/** The payments loop ended so many renewals whose outcome a run did not learn. */
async function endBetweenRuns(count: number) {
  const due = await beginDue(count);
  due.replica.fail(...lost(count));
  await run(due.replica, due.account);
  replicas.clock.advance(10 * minuteMs);
  await due.replica.round();
  return due;
}

test('what the payments loop ended between two runs is counted by the later one, and by no other', async () => {
  const { account, replica } = await endBetweenRuns(2);
  expect((await run(replica, account)).rebills).toMatchObject({ charged: 2, chargedCents: 3800 });
  expect((await run(replica, account)).rebills).toMatchObject({ charged: 0, chargedCents: 0 });
});

test('what waits for an unknown outcome is counted as blocked, and after a day the run is not ok', async () => {
  const { account, replica } = await beginDue(3);
  replica.fail(...lost(2));
  expect(await run(replica, account)).toMatchObject({ ok: true, rebills: { charged: 1 }, blocked: 2, problems: [] });
  // Its look-ups fail, too.
  const unanswered = (): void => replica.fail(...lost(2));
  unanswered();
  replicas.clock.advance(dayMs - 1);
  expect(await run(replica, account)).toMatchObject({ ok: true, rebills: { charged: 0 }, blocked: 2 });
  unanswered();
  replicas.clock.advance(1);
  expect(await run(replica, account)).toMatchObject({ ok: false, blocked: 2, problems: [{ code: 'outcome_unknown' }] });
  expect(await run(replica, account)).toMatchObject({ ok: true, rebills: { charged: 2 }, blocked: 0 });
});

test('a renewal that a refund of its order keeps out is counted as blocked while the refund has no end, which ends the subscription', async () => {
  const { account, orderId, replica, caller } = await beginPaidLife(replicas);
  await subscribeMany(account, 1);
  replicas.clock.set('2026-03-01T12:00:00.000Z');
  replica.fail('answer_lost');
  expect(await refundCharges(replica.deps, caller, orderId)).toMatchObject({ status: 'processing' });
  expect(await run(replica, account)).toMatchObject({ ok: true, rebills: { charged: 1 }, blocked: 1 });
  replicas.clock.advance(2 * minuteMs);
  await replica.round();
  expect(await refundCharges(replica.deps, caller, orderId)).toMatchObject({ status: 'refunded' });
  expect(await run(replica, account)).toMatchObject({ ok: true, rebills: { charged: 0 }, blocked: 0 });
});

test('a run over all accounts visits an account for what ended since its last run', async () => {
  const { replica } = await endBetweenRuns(1);
  // So long after that nothing else of it is due.
  await replicas.database.pool.query('update subscriptions set next_charge_at = null');
  replicas.clock.advance(60 * dayMs);
  expect((await runDailyForAll(dailyOf(replica), requested())).rebills).toMatchObject({
    charged: 1,
    chargedCents: 1900,
  });
});

test('retries and a cancellation whose outcome was unknown are counted once, when it is known', async () => {
  const { account, replica, ids } = await beginDue(1, 'sim_renewal_declined');
  await run(replica, account);
  const sum = { charged: 0, chargedCents: 0, retried: 0, canceled: 0 };
  for (let time = 0; time < 18; time += 1) {
    replicas.clock.advance(dayMs);
    // The renewal's own call, not the look-up of the day after.
    if ((await preview(account)).data.some(({ kind }) => kind === 'retry')) replica.fail('throws_after');
    const { rebills } = await run(replica, account);
    for (const key of ['charged', 'chargedCents', 'retried', 'canceled'] as const) sum[key] += rebills[key];
  }
  expect(sum).toEqual({ charged: 0, chargedCents: 0, retried: 3, canceled: 1 });
  expect(
    (await readStory(replicas, account, ids[0] ?? '')).filter(({ event }) => event === 'payment-failed'),
  ).toHaveLength(4);
});

test('the run does what the preview named, with renewals among it whose outcome is unknown', async () => {
  const { account, replica } = await beginDue(3);
  replica.fail(...lost(2));
  expect((await run(replica, account)).rebills.charged).toBe(1);
  replicas.clock.set('2026-02-03T12:00:00.000Z');
  await subscribeMany(account, 2);
  replicas.clock.set('2026-03-03T12:00:00.000Z');
  const planned = await preview(account);
  expect(planned.data.map(({ kind }) => kind)).toEqual(['look_up', 'look_up', 'renewal', 'renewal']);
  expect(planned.totals).toMatchObject({ look_ups: 2, renewals: { count: 2, amounts: [{ cents: 3800 }] } });
  expect(planned.charge_limit.currencies).toMatchObject([{ due_cents: 3800 }]);
  const before = replica.processor.calls.length;
  // Two were found paid, and two were charged.
  expect((await run(replica, account)).rebills).toMatchObject({ charged: 4, chargedCents: 7600 });
  expect(replica.processor.calls.slice(before).filter(({ method }) => method === 'chargeSaved')).toHaveLength(2);
  expect(await preview(account)).toMatchObject({ data: [] });
});

test.each([
  ['sent again under its own key', '2026-03-01T13:00:00.000Z'],
  ['charged anew in the same run', '2026-03-03T12:00:00.000Z'],
])('what the processor never got, and what is %s, has its amount as a look-up of the preview', async (_, at) => {
  const { account, replica } = await beginDue(2);
  replica.fail('throws_before', 'throws_before');
  expect((await run(replica, account)).rebills.charged).toBe(0);
  replicas.clock.set(at);
  const planned = await preview(account);
  const lookUp = { kind: 'look_up', amount_cents: 1900, currency: 'usd' };
  expect(planned.data).toMatchObject([lookUp, lookUp]);
  expect(planned.totals).toMatchObject({ look_ups: 2, look_up_amounts: [{ currency: 'usd', cents: 3800 }] });
  expect(planned.totals.renewals).toEqual({ count: 0, amounts: [] });
  expect((await run(replica, account)).rebills).toMatchObject({ charged: 2, chargedCents: 3800 });
  expect((await preview(account)).totals).toMatchObject({ look_ups: 0, look_up_amounts: [] });
});

test('killed at any of its seams, each success is in the result of one run', async () => {
  let seam = 1;
  // An odd step kills before statements and after them.
  for (let died = true; died; seam += volume(9, 1)) {
    const account = newAccount();
    replicas.clock.set('2026-02-01T12:00:00.000Z');
    await subscribeMany(account, 2);
    replicas.clock.set('2026-03-01T12:00:00.000Z');
    const dying = dyingAt(seam);
    const victim = replicas.start(dying);
    const results: { charged: number; chargedCents: number }[] = [];
    const attempt = async (replica: Replica): Promise<void> => {
      try {
        results.push((await run(replica, account)).rebills);
      } catch (err) {
        if (!isDeath(err) || replica !== victim) throw err;
      }
    };
    await attempt(victim);
    died = dying.dead;
    replicas.clock.advance(10 * minuteMs);
    const healthy = replicas.start();
    await healthy.round();
    for (let time = 0; time < 3; time += 1) {
      await attempt(healthy);
      replicas.clock.advance(dayMs);
    }
    const total = (key: 'charged' | 'chargedCents'): number => results.reduce((sum, each) => sum + each[key], 0);
    // A result that was stored while its process died is read from the list.
    const { rows } = await replicas.database.pool.query(
      `select sum((result -> 'rebills' ->> 'charged')::int)::int as charged from daily_runs where account_id = $1`,
      [account],
    );
    expect([seam, rows[0]?.charged]).toEqual([seam, 2]);
    if (!died) expect([total('charged'), total('chargedCents')]).toEqual([2, 3800]);
  }
  expect(seam).toBeGreaterThan(20);
});
