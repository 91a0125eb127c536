import { newId } from '@app/contracts/ids';
import { countOverdueReminders } from '@app/contracts/reminders';
import { type Database, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { tellOverdue } from '../src/reminders/overdue.ts';
import { plainCourse } from './checkout-harness.ts';
import { context } from './harness.ts';
import { createRemindersHarness, dayMs, email, minuteMs, type RemindersHarness } from './reminders-harness.ts';

guardLeaks();

const hourMs = 60 * minuteMs;
/** 26 hours, and the hour after which a checkout has stalled. */
const waitMs = 27 * hourMs;
let harness: RemindersHarness;
let database: Database;
beforeEach(async () => {
  harness = await createRemindersHarness();
  harness.shop.set('acc_2/course', plainCourse);
  await harness.base.start(harness.settings);
  await harness.setSettings('acc_1', {});
  database = await openDatabase(databaseOptions(harness.base.database.url));
});
afterEach(async () => {
  await database.close();
  await harness.close();
});

const later = (ms: number) => harness.base.clock.advance(ms);
const look = () => {
  const { clock } = harness.base;
  return tellOverdue({ database, clock, logger: silentLogger(), wakeRelay: () => undefined });
};
const told = async () =>
  (await harness.events()).filter(({ subject }) => subject.includes('reminder.noticed')).map(({ data }) => data);

test('buyers who wait for a reminder for 26 hours without a run are told once for each lapse', async () => {
  const opened = await harness.open({ email });
  later(waitMs - minuteMs);
  expect([await look(), await told()]).toEqual([0, []]);
  later(2 * minuteMs);
  expect([await look(), await look()]).toEqual([1, 1]);
  expect(await told()).toEqual([
    { checkoutId: opened.id, summary: expect.stringMatching(/^The daily run is overdue: none ran yet/), test: false },
  ]);
  expect(await harness.run(null)).toMatchObject({ sent: 1 });
  expect(await look()).toBe(0);
  await harness.open({ email: 'eve@example.com' });
  later(waitMs + minuteMs);
  expect([await look(), await look()]).toEqual([1, 1]);
  expect((await told()).slice(1)).toMatchObject([
    { summary: expect.stringMatching(/^The daily run is overdue: the last one began at /) },
  ]);
});

test('a run without a result is none; who bought, opted out, is forgotten or was rehearsed waits for nothing', async () => {
  await harness.open({ email: 'gone@example.com' }, { accountId: 'acc_2' });
  await harness.query(`insert into opt_outs values ('acc_2', 'gone@example.com', now())`);
  await harness.open({ email: 'test@example.com' }, { accountId: 'acc_2', testMode: true });
  await harness.pay(await harness.open({ email: 'paid@example.com' }, { accountId: 'acc_2' }));
  await harness.open({ email });
  later(waitMs + minuteMs);
  const { clock } = harness.base;
  await database.pool.query(
    'insert into reminder_runs (id, account_id, started_at, finished_at) values ($1, $2, $3, $3)',
    [newId('dailyRun', clock.nowMs()), 'acc_1', clock.now()],
  );
  expect([await look(), (await told()).length]).toEqual([1, 1]);
  later(7 * dayMs);
  expect([await look(), (await told()).length]).toEqual([0, 1]);
});

test('the account’s delay counts, and a run that the mail server took nothing from was one', async () => {
  await harness.setSettings('acc_1', { nudgeAfterMinutes: 24 * 60 });
  await harness.open({ email });
  later(waitMs + minuteMs);
  expect(await look()).toBe(0);
  later(23 * hourMs);
  expect(await look()).toBe(1);
  harness.smtp.behaviour.RCPT = '450 later';
  expect(await harness.run()).toMatchObject({ ok: false, sent: 0 });
  expect(await look()).toBe(0);
  later(26 * hourMs + minuteMs);
  expect(await look()).toBe(1);
});

test('a service that starts looks at once, tells how many accounts wait, and is ready all the same', async () => {
  await harness.open({ email });
  await harness.open({ email }, { accountId: 'acc_2' });
  later(waitMs + minuteMs);
  const service = await harness.base.start(harness.settings);
  const warnings = () => service.checks.map((check) => check.warning?.()).filter((text) => text !== undefined);
  await eventually(() => expect(warnings()).toEqual([expect.stringMatching(/^daily run overdue: 2 accounts/)]));
  await expect(service.checks.find(({ name }) => name === 'daily run')?.check()).resolves.toBeUndefined();
  const counted = async () => (await harness.base.requester.request(countOverdueReminders, {}, context(''))).accounts;
  // The other replica looked before anybody waited: one of the two answers.
  await eventually(async () => expect(await counted()).toBe(2));
});
