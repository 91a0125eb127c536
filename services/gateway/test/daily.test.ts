import type { DailyResult } from '@app/contracts/daily-runs';
import { DomainError } from '@app/contracts/errors';
import type { RequestContext } from '@app/messaging/request-headers';
import { nothingDone } from '@app/testing/daily-result';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { responseStored } from '../src/points/points.ts';
import { nothingPlanned } from './daily-stand-in.ts';
import { createSeller, type Harness, platformKey, sureHealth } from './harness.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
let seller: Awaited<ReturnType<typeof createSeller>>;
let usual: Harness['daily'];
beforeAll(async () => {
  seller = await createSeller(url);
  usual = { ...harness.daily };
});
beforeEach(() => void Object.assign(harness.daily, usual));
afterEach(() => void vi.useRealTimers());

const runDaily = (key: string, more: Parameters<typeof send>[3] = {}) =>
  send(url, 'POST', '/api/cron/daily', { key, ...more });
const charged = { ...nothingDone, rebills: { ...nothingDone.rebills, charged: 3, chargedCents: 5700 } };

test('billing and checkout run as one command, and their results are one', async () => {
  const commands: RequestContext[] = [];
  harness.daily.collect = async (_, context) => {
    commands.push(context);
    return charged;
  };
  harness.daily.remind = async (input, context) => {
    expect(input).toEqual({ accountId: seller.accountId });
    commands.push(context);
    return { ok: true, sent: 4, recovered: 1, problem: null };
  };
  const answer = await runDaily(seller.key);
  expect(answer.json).toEqual({ ...charged, recovery: { sent: 4, recovered: 1 } });
  expect(commands.map(({ accountId }) => accountId)).toEqual([seller.accountId, seller.accountId]);
  expect(commands[0]?.commandId).toBe(commands[1]?.commandId);
});

test('with the platform key both run for every account', async () => {
  harness.daily.remind = async ({ accountId }) => ({
    ok: true,
    sent: accountId === null ? 9 : 0,
    recovered: 0,
    problem: null,
  });
  expect((await runDaily(platformKey)).json.recovery.sent).toBe(9);
  expect(harness.requested.at(-1)).toEqual({ accountId: null, force: false });
});

test('a caller waits no longer for the result than it says, and the run goes on', async () => {
  const { promise, resolve } = Promise.withResolvers<DailyResult>();
  harness.daily.collect = () => promise;
  const answer = await runDaily(seller.key, { body: { waitSeconds: 1 } });
  expect([answer.status, answer.json.code]).toEqual([503, 'outcome_unknown']);
  expect(answer.json.detail).toMatch(/the run goes on: GET \/api\/v1\/daily-runs\/run_/);
  resolve(nothingDone);
});

test.each([
  ['fails', () => Promise.reject(new DomainError('internal', 'no'))],
  ['cannot do all', async () => ({ ok: false, sent: 2, recovered: 0, problem: 'The mail server refused the login.' })],
])('when checkout %s, billing’s result is answered and says so', async (_, remind) => {
  harness.daily.collect = async () => ({
    ...charged,
    ok: false,
    problems: Array.from({ length: 10 }, (_each, n) => ({ code: 'account_failed' as const, detail: `${n}` })),
  });
  harness.daily.remind = remind;
  const { status, json } = await runDaily(seller.key);
  expect([status, json.ok, json.rebills.charged, json.problems.length]).toEqual([200, false, 3, 10]);
  expect(json.problems.at(-1).code).toBe('reminders_failed');
});

test('no body, an empty one and an empty object run the job; what the seller wishes is passed on', async () => {
  const key = seller.key;
  const json = { 'content-type': 'application/json' };
  for (const more of [{}, { raw: '' }, { raw: '', headers: json }, { body: {} }, { body: { force: false } }]) {
    expect([more, (await runDaily(key, more)).status]).toEqual([more, 200]);
    expect(harness.requested.at(-1)).toEqual({ accountId: seller.accountId, force: false });
  }
  const wishes = { force: true, confirmUnmatchedPayments: true };
  expect((await runDaily(key, { body: wishes })).status).toBe(200);
  expect(harness.requested.at(-1)).toEqual({ accountId: seller.accountId, ...wishes });
});

test.each([
  ['force', { force: 'yes' }],
  ['force', { force: null }],
  ['accountId', { accountId: null }],
  ['', []],
])('a wrong body is refused and names %s', async (field, body) => {
  const before = harness.requested.length;
  const { status, json } = await runDaily(seller.key, { body });
  expect([status, json.errors[0].field]).toEqual([422, field]);
  expect(harness.requested.length).toBe(before);
});

test('a run that has no result in time is answered with 503 that names the run, and a repeat gets the same run', async () => {
  const runs: string[] = [];
  const headers = { 'idempotency-key': 'long-run' };
  // The wait itself is too long for a test: the gateway that closes ends it early, with the same answer.
  const second = await harness.start({}, { finishWithinMs: 300 });
  harness.daily.collect = async (_, { commandId }) => {
    runs.push(commandId);
    if (runs.length < 2) void second.close();
    throw new DomainError('outcome_unknown', 'still under way');
  };
  const answer = await send(second.url, 'POST', '/api/cron/daily', { key: seller.key, headers });
  expect([answer.status, answer.json.code]).toEqual([503, 'outcome_unknown']);
  expect(answer.json.detail).toContain(`GET /api/v1/daily-runs/run_${runs[0]} says`);
  harness.daily.collect = async (_, { commandId }) => {
    runs.push(commandId);
    return charged;
  };
  expect((await runDaily(seller.key, { headers })).json.rebills.charged).toBe(3);
  expect(new Set(runs).size).toBe(1);
});

test('a caller that hangs up stops no run: a repeat under its key gets the result of that one', async () => {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const runs: string[] = [];
  harness.daily.collect = async (_, { commandId }) => {
    runs.push(commandId);
    begun.resolve();
    await ended.promise;
    return charged;
  };
  const headers = { 'idempotency-key': 'hung-up', authorization: `Bearer ${seller.key}` };
  const gone = new AbortController();
  const first = fetch(`${url}/api/cron/daily`, { method: 'POST', headers, signal: gone.signal });
  await begun.promise;
  gone.abort();
  await expect(first).rejects.toThrow('aborted');
  ended.resolve();
  await announced(responseStored, ({ key }) => key === 'hung-up');
  const again = await send(url, 'POST', '/api/cron/daily', { headers });
  expect([again.status, again.headers['idempotent-replayed'], again.json.rebills.charged]).toEqual([200, 'true', 3]);
  expect(runs).toHaveLength(1);
});

test('a run that takes longer than other requests may is waited for', async () => {
  // Other requests have an answer within 20 s. That clock alone is moved: the pauses between attempts are real.
  vi.useFakeTimers({ toFake: ['performance'] });
  let requested = 0;
  harness.daily.collect = async () => {
    requested += 1;
    vi.advanceTimersByTime(7_000);
    if (requested < 5) throw new DomainError('outcome_unknown', 'still under way');
    return charged;
  };
  expect((await runDaily(seller.key)).json.rebills.charged).toBe(3);
  expect(requested).toBe(5);
});

test('one run is read by its id, with the platform key one over all accounts', async () => {
  const get = (key: string, id: string) => send(url, 'GET', `/api/v1/daily-runs/${id}`, { key });
  const id = 'run_01m7xft13ne0wattr3dpc56bw9';
  expect((await get(seller.key, id)).json).toMatchObject({ id, progress: { done: 3 } });
  expect((await get(platformKey, id)).json).toMatchObject({ id, progress: { done: 7 } });
  const unknown = await get(seller.key, 'nonsense');
  expect([unknown.status, unknown.json.code]).toEqual([404, 'daily_run_not_found']);
  expect((await send(url, 'GET', '/api/v1/daily-runs/preview', { key: platformKey })).status).toBe(403);
});

test('the list of runs says since when one is due each day: with the platform key since the first account was made', async () => {
  const second = await createSeller(url);
  const list = async (key: string) => (await send(url, 'GET', '/api/v1/daily-runs', { key })).json;
  const madeAt = async (accountId: string): Promise<string> => {
    const [row] = await query<{ at: Date }>(
      harness.database.url,
      'select created_at as at from accounts where id = $1',
      [accountId],
    );
    return row?.at.toISOString() ?? '';
  };
  const [first, own] = [await madeAt(seller.accountId), await madeAt(second.accountId)];
  expect(first < own).toBe(true);
  expect(await list(platformKey)).toEqual({ data: [], due_since: first, next_start_at: null });
  expect(await list(second.key)).toEqual({ data: [], due_since: own, next_start_at: null });
});

const step = (id: string) => ({
  ...{
    kind: 'renewal' as const,
    id,
    customer_email: 'a@x.io',
    product_name: 'Club',
    amount_cents: 1900,
    currency: 'usd',
  },
  ...{ due_at: '2026-03-15T12:00:00.000Z', attempt: 1 },
});
const reminder = (checkoutId: string) => ({
  ...{ checkoutId, customerEmail: 'b@x.io', productName: 'Course', totalCents: 4900, currency: 'usd' },
  dueAt: '2026-03-15T12:00:00.000Z',
});

test('the preview pages through billing’s steps and then checkout’s reminders, each once', async () => {
  const [steps, reminders] = [['s1', 's2', 's3', 's4', 's5'].map(step), ['r1', 'r2', 'r3', 'r4'].map(reminder)];
  const page = <T>(all: T[], after: string | undefined, limit: number) => {
    const from = after === undefined ? 0 : Number(after);
    return { data: all.slice(from, from + limit), next: from + limit < all.length ? String(from + limit) : null };
  };
  harness.daily.preview = async ({ after, limit = 50 }) => ({
    ...nothingPlanned,
    ...(after === 'end' ? { data: [], next: null } : page(steps, after, limit)),
  });
  harness.daily.previewReminders = async ({ after, limit = 50 }) => ({
    ...page(reminders, after, limit),
    count: reminders.length,
  });
  for (const limit of [1, 2, 3, 4, 5, 9, 50]) {
    const seen: string[] = [];
    let after = '';
    for (let pages = 0; pages < 20; pages++) {
      const path = `/api/v1/daily-runs/preview?limit=${limit}${after && `&after=${encodeURIComponent(after)}`}`;
      const { status, json } = await send(url, 'GET', path, { key: seller.key });
      expect(status).toBe(200);
      expect(json.totals.reminders).toBe(4);
      seen.push(...json.data.map(({ id }: { id: string }) => id));
      if (json.next === null) break;
      after = json.next;
    }
    expect([limit, seen]).toEqual([limit, ['s1', 's2', 's3', 's4', 's5', 'r1', 'r2', 'r3', 'r4']]);
  }
});

test('the list of runs says when the deployment runs the next one by itself', async () => {
  const nextDailyRunMs = () => Date.parse('2026-12-01T03:00:00.500Z');
  const gateway = await harness.start({}, { nextDailyRunMs });
  const { json } = await send(gateway.url, 'GET', '/api/v1/daily-runs', { key: platformKey });
  expect(json.next_start_at).toBe('2026-12-01T03:00:00.500Z');
});

test('a deployment whose daily run is overdue is ready, and says so in its health', async () => {
  const gateway = await harness.start({}, { healthTimes: sureHealth });
  const ready = async () => await send(gateway.url, 'GET', '/readyz');
  expect((await ready()).json.warnings).toBeUndefined();
  harness.daily.overdue = 2;
  const overdue = await ready();
  expect(overdue).toMatchObject({ status: 200, json: { status: 'degraded' } });
  // How many accounts it concerns is in the services' own health.
  expect(overdue.json.warnings).toEqual(['daily run overdue']);
  harness.daily.overdue = 0;
  harness.daily.overdueReminders = 3;
  const { json, text } = await ready();
  expect([json.warnings, text.includes('3'), text.includes('accounts')]).toEqual([['daily run overdue'], false, false]);
});

test('a preview without checkout is refused, not shown in part', async () => {
  harness.daily.previewReminders = () => Promise.reject(new DomainError('service_unavailable', 'gone'));
  const { status, json } = await send(url, 'GET', '/api/v1/daily-runs/preview', { key: seller.key });
  expect([status, json.code]).toEqual([503, 'service_unavailable']);
});
