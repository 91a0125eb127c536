import { newId } from '@app/contracts/ids';
import { countOverdueReminders } from '@app/contracts/reminders';
import { connectNats, type NatsClient } from '@app/messaging/connect';
import { createRequester } from '@app/messaging/requester';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { listen } from '@app/testing/points';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type CheckoutSteps, createCheckoutSteps } from '../src/checkouts/checkout-steps.ts';
import { databaseOptions } from '../src/db/migrate.ts';
import { overdueNotified } from '../src/points/points.ts';
import { notifyAllOverdue, type OverdueDeps } from '../src/reminders/overdue.ts';
import { plainCourse } from './checkout-harness.ts';
import { context } from './harness.ts';
import { dayMs, email, minuteMs } from './reminders-harness.ts';
import { harness, startReminders } from './reminders-set-up.ts';

startReminders();

const hourMs = 60 * minuteMs;
/** 26 hours, and the hour after which a checkout has stalled. */
const waitMs = 27 * hourMs;
let database: Database;
let link: NatsClient;
let steps: CheckoutSteps;
beforeAll(async () => {
  database = await openDatabase(databaseOptions(harness.base.database.url));
  link = await connectNats(harness.base.nats.login('checkout'));
  steps = createCheckoutSteps(database, createRequester(link));
});
beforeEach(() => void harness.shop.set('acc_2/course', plainCourse));
afterAll(async () => {
  await steps.close();
  await link.close();
  await database.close();
});

const later = (ms: number) => harness.base.clock.advance(ms);
const check = (given: Partial<OverdueDeps> = {}) => {
  const { clock } = harness.base;
  const settings = {
    bounds: { perDay: 500, perDayOfAll: 0 },
    closing: () => false,
    logger: silentLogger(),
    wakeRelay: () => undefined,
  };
  return notifyAllOverdue({ database, clock, steps, ...settings, ...given });
};
const reported = async () =>
  (await harness.events()).filter(({ subject }) => subject.includes('reminder.noticed')).map(({ data }) => data);

test('buyers who wait for a reminder for 26 hours without a run cause one notification for each lapse', async () => {
  const opened = await harness.open({ email });
  later(waitMs - minuteMs);
  expect([await check(), await reported()]).toEqual([0, []]);
  later(2 * minuteMs);
  expect([await check(), await check()]).toEqual([1, 1]);
  expect(await reported()).toEqual([
    {
      checkoutId: opened.id,
      summary: expect.stringMatching(/^The daily run is overdue: none ran in the last 90 days/),
      test: false,
    },
  ]);
  expect(await harness.run(null)).toMatchObject({ sent: 1 });
  expect(await check()).toBe(0);
  await harness.open({ email: 'eve@example.com' });
  later(waitMs + minuteMs);
  expect([await check(), await check()]).toEqual([1, 1]);
  expect((await reported()).slice(1)).toMatchObject([
    { summary: expect.stringMatching(/^The daily run is overdue: the last one began at .*`npm start`/) },
  ]);
});

test('where the platform runs it by itself the notice says when, and of no scheduler', async () => {
  await harness.open({ email });
  later(waitMs + minuteMs);
  await check({ nextDailyRunMs: () => Date.parse('2026-06-01T03:00:00.500Z') });
  const [notice] = await reported();
  expect(notice?.summary).toMatch(
    /wait for reminders\. The platform runs it by itself, next at 2026-06-01T03:00:00\.500Z/,
  );
  expect(notice?.summary).not.toMatch(/POST|npm/);
});

test('a run without a result is none; who bought, opted out, is forgotten or was rehearsed waits for nothing', async () => {
  await harness.open({ email: 'gone@example.com' }, { accountId: 'acc_2' });
  await harness.query(`insert into opt_outs (account_id, email, email_key, opted_out_at)
    values ('acc_2', 'gone@example.com', 'gone@example.com', now())`);
  await harness.open({ email: 'test@example.com' }, { accountId: 'acc_2', testMode: true });
  await harness.pay(await harness.open({ email: 'paid@example.com' }, { accountId: 'acc_2' }));
  await harness.open({ email });
  later(waitMs + minuteMs);
  const { clock } = harness.base;
  await database.pool.query(
    'insert into reminder_runs (id, account_id, started_at, finished_at) values ($1, $2, $3, $3)',
    [newId('dailyRun', clock.nowMs()), 'acc_1', clock.now()],
  );
  expect([await check(), (await reported()).length]).toEqual([1, 1]);
  later(7 * dayMs);
  expect([await check(), (await reported()).length]).toEqual([0, 1]);
});

test('whom no run would remind waits for none: the product is gone, or no reminders are to be sent at all', async () => {
  const gone = { ...plainCourse, productId: 'prd_2', slug: 'gone' };
  harness.shop.set('acc_1/gone', gone);
  await harness.open({ email, slug: 'gone' });
  harness.shop.set('acc_1/gone', { ...gone, status: 'archived' });
  later(waitMs + minuteMs);
  expect([await check(), await reported()]).toEqual([0, []]);
  const live = await harness.open({ email });
  later(waitMs + minuteMs);
  expect([await check({ bounds: { perDay: 0, perDayOfAll: 0 } }), await reported()]).toEqual([0, []]);
  expect([await check(), await reported()]).toMatchObject([1, [{ checkoutId: live.id }]]);
});

test('whom an unverified account may not remind waits for no run, and no preview names them', async () => {
  await harness.setSettings('acc_1', { email: 'ada@example.com', emailVerified: false });
  await harness.open({ email });
  later(waitMs + minuteMs);
  expect([await check(), await reported(), (await harness.preview()).count]).toEqual([0, [], 0]);
  await harness.open({ email: 'Ada@example.com' });
  later(waitMs + minuteMs);
  expect([await check(), await reported(), (await harness.preview()).count]).toEqual([0, [], 0]);
});

test('a shop with thousands of products is checked a few at a time: buyers who pay wait in the same line', async () => {
  const live = await harness.open({ email });
  await harness.query(
    `insert into checkouts select copy.* from checkouts as c, generate_series(1, 2100) as n, jsonb_populate_record(c,
       jsonb_build_object('id', 'cko_0' || lpad(n::text, 25, '0'), 'product_id', 'prd_0' || n)) as copy`,
  );
  await harness.open({ email }, { accountId: 'acc_2' });
  later(waitMs + minuteMs);
  let waiting = 0;
  let most = 0;
  const product: CheckoutSteps['product'] = async (question) => {
    waiting += 1;
    most = Math.max(most, waiting);
    return await steps.product(question).finally(() => {
      waiting -= 1;
    });
  };
  expect(await check({ steps: { ...steps, product } })).toBe(2);
  expect(most).toBeLessThanOrEqual(50);
  expect(await reported()).toMatchObject([{ checkoutId: live.id }, {}]);
  expect(await check({ closing: () => true })).toBe(0);
});

test('a buyer whose quiet days have ended waits since then', async () => {
  await harness.open({ email });
  later(61 * minuteMs);
  expect(await harness.run()).toMatchObject({ sent: 1 });
  later(28 * dayMs);
  await harness.open({ email });
  later(2 * dayMs + hourMs);
  expect(await check()).toBe(0);
  expect((await harness.preview()).count).toBe(1);
  later(25 * hourMs);
  expect(await check()).toBe(1);
});

test('the account’s delay counts, and a run that the mail server took nothing from was one', async () => {
  await harness.setSettings('acc_1', { nudgeAfterMinutes: 24 * 60 });
  await harness.open({ email });
  later(waitMs + minuteMs);
  expect(await check()).toBe(0);
  later(23 * hourMs);
  expect(await check()).toBe(1);
  harness.smtp.behaviour.RCPT = '450 later';
  expect(await harness.run()).toMatchObject({ ok: false, sent: 0 });
  expect(await check()).toBe(0);
  later(26 * hourMs + minuteMs);
  expect(await check()).toBe(1);
});

test('a service that starts checks at once, reports how many accounts wait, and is ready all the same', async () => {
  await harness.open({ email });
  await harness.open({ email }, { accountId: 'acc_2' });
  later(waitMs + minuteMs);
  await harness.base.stopServices();
  const { announced } = listen();
  const service = await harness.base.start(harness.settings);
  await announced(overdueNotified, ({ accountIds }) => accountIds.length === 2);
  const counted = await harness.base.requester.request(countOverdueReminders, {}, context(''));
  expect(counted).toEqual({ accounts: 2 });
  const warnings = service.checks.map((check) => check.warning?.()).filter((text) => text !== undefined);
  expect(warnings).toEqual([expect.stringMatching(/^daily run overdue: 2 accounts/)]);
  await expect(service.checks.find(({ name }) => name === 'daily run')?.check()).resolves.toBeUndefined();
});
