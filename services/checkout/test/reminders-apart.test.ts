import { newId } from '@app/contracts/ids';
import { createArrivals } from '@app/testing/arrivals';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { remindAccount, remindAll } from '../src/reminders/run-reminders.ts';
import { openReminderProcesses, type ReminderProcesses } from './reminder-processes.ts';
import { createRemindersHarness, dayMs, email, minuteMs, type RemindersHarness } from './reminders-harness.ts';
import { shareDatabase } from './shared-database.ts';

guardLeaks();
shareDatabase();

let harness: RemindersHarness;
let processes: ReminderProcesses;
/** The mail server is silent after a message until the test says what it replies. */
let reply: (text: string) => void;
let silent: { wait(count: number): Promise<unknown> };
beforeEach(async () => {
  harness = await createRemindersHarness();
  await harness.base.start(harness.settings);
  await harness.setSettings('acc_1', {});
  processes = await openReminderProcesses(harness);
  const message = Promise.withResolvers<string>();
  const messages = createArrivals<string>();
  harness.smtp.behaviour.message = (to) => {
    messages.push(to);
    return message.promise;
  };
  reply = message.resolve;
  silent = messages;
});
afterEach(async () => {
  reply('250 taken');
  await processes.sent();
  await processes.close();
  await harness.close();
});

/** It waits for the mail server no longer than a run that is done at once would. */
const startHasty = () => processes.start({ sendWaitMs: 1 });
const request = () => ({ runId: newId('dailyRun', harness.base.clock.nowMs()), deadlineMs: Date.now() + 60_000 });
const nothing = { ok: true, sent: 0, recovered: 0, problem: null };
const apartEnded = async ({ apart }: { apart: ReadonlySet<Promise<void>> }) => void (await Promise.all(apart));
const statuses = async () => (await harness.reminders()).map(({ status }) => status);

test('a mail server that is silent after a message holds up no run: the reminders go out apart, and the next run counts them', async () => {
  for (const n of [1, 2]) await harness.open({ email: `${n}@example.com` });
  harness.base.clock.advance(61 * minuteMs);
  const deps = startHasty();
  expect(await remindAccount(deps, 'acc_1', request())).toEqual(nothing);
  await silent.wait(2);
  expect(await statuses()).toEqual(['sending', 'sending']);
  // Another run meanwhile sends them no second time, and counts what is known to have gone out: nothing yet.
  expect(await remindAccount(startHasty(), 'acc_1', request())).toEqual(nothing);
  reply('250 taken');
  await apartEnded(deps);
  expect(await statuses()).toEqual(['sent', 'sent']);
  // The platform's run finds the account although nothing has stalled any more.
  expect(await remindAll(processes.start(), request())).toEqual({ ...nothing, sent: 2 });
  expect(await remindAccount(processes.start(), 'acc_1', request())).toEqual(nothing);
  expect(harness.smtp.received).toHaveLength(2);
});

test('a reminder that is refused after its run is reported to the seller, sent by the next run, and counted once', async () => {
  await harness.open({ email });
  harness.base.clock.advance(61 * minuteMs);
  const deps = startHasty();
  expect(await remindAccount(deps, 'acc_1', request())).toEqual(nothing);
  await silent.wait(1);
  reply('451 later');
  await apartEnded(deps);
  expect(await statuses()).toEqual(['failed']);
  const notices = (await harness.events()).filter(({ subject }) => subject.includes('reminder.noticed'));
  expect(notices.map(({ data }) => data)).toMatchObject([{ summary: expect.stringContaining('451 later') }]);
  harness.smtp.behaviour.message = '250 taken';
  expect(await remindAccount(processes.start(), 'acc_1', request())).toEqual({ ...nothing, sent: 1 });
  harness.base.clock.advance(dayMs);
  expect(await remindAccount(processes.start(), 'acc_1', request())).toEqual(nothing);
});

test('a run over all accounts waits no longer for a silent mail server than for its first accounts', async () => {
  const accounts = Array.from({ length: 8 }, (_, n) => `acc_${n + 1}`);
  for (const accountId of accounts) {
    harness.shop.set(`${accountId}/course`, (harness.shop.get('acc_1/course') ?? null) as never);
    await harness.setSettings(accountId, {});
    await harness.open({ email }, { accountId });
  }
  harness.base.clock.advance(61 * minuteMs);
  const deps = startHasty();
  expect(await remindAll(deps, request())).toEqual(nothing);
  reply('250 taken');
  await apartEnded(deps);
  expect(await remindAll(processes.start(), request())).toEqual({ ...nothing, sent: accounts.length });
  expect(harness.smtp.received).toHaveLength(accounts.length);
});
