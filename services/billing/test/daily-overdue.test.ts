import { newId } from '@app/contracts/ids';
import { announced } from '@app/testing/points';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { notifyOverdue, watchOverdue } from '../src/daily-run/overdue.ts';
import { overdueNotified } from '../src/points/points.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';
import { subscribe } from './subscriptions-of-tests.ts';

openReplicas('2026-02-01T12:00:00.000Z');

const hourMs = 3_600_000;
/** Older than what falls due in a test. */
const newAccount = (madeAt = '2026-01-15T12:00:00.000Z') => newId('account', Date.parse(madeAt));

const check = () => notifyOverdue(replicas.start().deps);
const runAt = (account: string, finishedAt: Date, result: object | null = {}) =>
  replicas.database.pool.query(
    'insert into daily_runs (id, account_id, started_at, finished_at, result) values ($1, $2, $3, $3, $4)',
    [newId('dailyRun', finishedAt.getTime()), account, finishedAt, result],
  );
async function reported(): Promise<string[]> {
  const { rows } = await replicas.database.pool.query(
    `select payload::json ->> 'accountId' as account from outbox
     where subject like '%daily-run.noticed%' and payload::json -> 'data' ->> 'code' = 'overdue' order by 1`,
  );
  return rows.map(({ account }) => account);
}

test('the seller is notified once for each lapse when something is due for 26 hours and no run came', async () => {
  const account = newAccount();
  await subscribe(replicas, account);
  replicas.clock.set('2026-03-01T12:00:00.000Z');
  replicas.clock.advance(26 * hourMs - 1);
  expect([await check(), await reported()]).toEqual([0, []]);
  replicas.clock.advance(1);
  expect([await check(), await check(), await reported()]).toEqual([1, 1, [account]]);
  await runAt(account, replicas.clock.now());
  expect(await check()).toBe(0);
  replicas.clock.advance(26 * hourMs);
  expect([await check(), await check(), await reported()]).toEqual([1, 1, [account, account]]);
});

test('the notice says what to do, and where the platform runs it by itself when that is', async () => {
  const summaryOf = async (nextMs: number | undefined) => {
    const account = newAccount();
    await subscribe(replicas, account);
    replicas.clock.advance(60 * 24 * hourMs);
    await notifyOverdue({ ...replicas.start().deps, nextDailyRunMs: () => nextMs });
    const notices = (await replicas.events(account)).filter(({ subject }) => subject.includes('daily-run.noticed'));
    return String(notices[0]?.data.summary);
  };
  const byItself = await summaryOf(Date.parse('2026-06-01T03:00:00.500Z'));
  expect(byItself).toContain(
    'none ran yet, and charges or holds wait for it. The platform runs it by itself, next at ',
  );
  expect(byItself).toContain('2026-06-01T03:00:00.500Z');
  expect(byItself).not.toMatch(/POST|npm/);
  const byOthers = await summaryOf(undefined);
  for (const told of ['“Daily job”', '`npm start`', 'DAILY_AT', 'POST /api/cron/daily'])
    expect(byOthers).toContain(told);
});

test('an interrupted run is none, and an account with nothing due gets no notification', async () => {
  const [waiting, later] = [newAccount(), newAccount()];
  await subscribe(replicas, waiting);
  replicas.clock.set('2026-02-20T12:00:00.000Z');
  await subscribe(replicas, later);
  replicas.clock.set('2026-03-03T12:00:00.000Z');
  await runAt(waiting, replicas.clock.now(), null);
  expect([await check(), await reported()]).toEqual([1, [waiting]]);
});

/** A hold that its buyer decided on, and that cannot be captured; undecided while `decides` is false. */
async function heldOrder(test: boolean, decides = true): Promise<string> {
  const account = newAccount();
  const [{ deps }, caller] = [replicas.start(), { accountId: account, requestId: 'r' }];
  const input = startInput({ hold: { upsell, decisionMinutes: 60 }, paymentMethod: 'sim_capture_fails', test });
  await startPayment(deps, caller, input);
  if (decides) expect(await settleHold(deps, caller, input.orderId, 'declined')).toMatchObject({ status: 'settling' });
  return account;
}

test('a hold waits from its decision, or from the end of its window; those of rehearsals are not waited for', async () => {
  const [undecided, decided] = [await heldOrder(false, false), await heldOrder(false)];
  await heldOrder(true);
  await heldOrder(true, false);
  replicas.clock.advance(26 * hourMs - 1);
  expect([await check(), await reported()]).toEqual([0, []]);
  replicas.clock.advance(1);
  expect([await check(), await reported()]).toEqual([1, [decided]]);
  replicas.clock.advance(hourMs - 1);
  expect(await check()).toBe(1);
  replicas.clock.advance(1);
  expect([await check(), await reported()]).toEqual([2, [undecided, decided].toSorted()]);
});

test('a service that starts checks at once: one that restarts every few minutes reports it all the same', async () => {
  const account = newAccount();
  await subscribe(replicas, account);
  replicas.clock.set('2026-03-02T15:00:00.000Z');
  const watch = watchOverdue(replicas.start().deps);
  await announced(overdueNotified, ({ accountIds }) => accountIds.includes(account));
  await watch.close();
  expect(watch.accounts()).toBe(1);
  expect(await reported()).toEqual([account]);
});

test('an account with records older than itself is not told of a run before one of it was due', async () => {
  const madeAt = '2026-03-15T12:00:00.000Z';
  const account = newAccount(madeAt);
  await subscribe(replicas, account);
  replicas.clock.set(madeAt);
  replicas.clock.advance(26 * hourMs - 1);
  expect([await check(), await reported()]).toEqual([0, []]);
  replicas.clock.advance(1);
  expect([await check(), await reported()]).toEqual([1, [account]]);
});
