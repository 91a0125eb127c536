import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runReminders } from '@app/contracts/reminders';
import { connectNats } from '@app/messaging/connect';
import { createRequester } from '@app/messaging/requester';
import { openDatabase } from '@app/service-kit/database';
import { spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { listen } from '@app/testing/points';
import { holdTransaction } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { reminderRecorded, remindersClaimed } from '../src/points/points.ts';
import { plainCourse } from './checkout-harness.ts';
import { context } from './harness.ts';
import { countRowsRead } from './named-statements.ts';
import { createRemindersHarness, dayMs, email, minuteMs, type RemindersHarness } from './reminders-harness.ts';
import { shareDatabase } from './shared-database.ts';

guardLeaks();
shareDatabase();

const main = join(import.meta.dirname, '../src/main.ts');
let harness: RemindersHarness;
beforeEach(async () => {
  harness = await createRemindersHarness();
  await harness.setSettings('acc_1', {});
});
afterEach(() => harness.close());

const later = (ms: number) => harness.base.clock.advance(ms);
const nothing = { ok: true, sent: 0, recovered: 0, problem: null };
const statuses = async () => (await harness.reminders()).map(({ status }) => status);
const notices = async () =>
  (await harness.events()).filter(({ subject }) => subject.includes('reminder.noticed')).map(({ data }) => data);

const reported = async () =>
  (await harness.events()).filter(({ subject }) => subject.includes('reminders.finished')).map(({ data }) => data);
const refuse = (to: string) => (to === email ? '250 ok' : '550 no such user');

test('a refused address is reported once, makes no run not ok, and is given up after one attempt on each of three days', async () => {
  await harness.base.start(harness.settings);
  await harness.open({ email: 'gone@example.com' });
  await harness.open({ email });
  later(61 * minuteMs);
  harness.smtp.behaviour.RCPT = refuse;
  expect(await harness.run()).toEqual({ ...nothing, sent: 1 });
  expect(await statuses()).toEqual(['sent', 'failed']);
  expect(await notices()).toMatchObject([
    { summary: expect.stringMatching(/^1 reminder was refused \(.*550 no such user/) },
  ]);
  const attempts = () => harness.smtp.connections();
  const first = attempts();
  expect(await harness.run()).toEqual(nothing);
  expect(attempts()).toBe(first);
  for (const [day, tried] of [1, 2, 2, 2].entries()) {
    later(dayMs);
    expect([day, await harness.run()]).toEqual([day, nothing]);
    expect(attempts() - first).toBe(tried);
  }
  expect(await notices()).toHaveLength(1);
});

test('an address that is taken on a later day is reminded', async () => {
  await harness.base.start(harness.settings);
  await harness.open({ email: 'full@example.com' });
  later(61 * minuteMs);
  harness.smtp.behaviour.RCPT = refuse;
  expect(await harness.run()).toEqual(nothing);
  delete harness.smtp.behaviour.RCPT;
  later(dayMs);
  expect(await harness.run()).toEqual({ ...nothing, sent: 1 });
});

test('a server that refuses everybody, or takes a message later, makes the run not ok, and the event says why', async () => {
  await harness.base.start(harness.settings);
  for (const n of [1, 2, 3]) await harness.open({ email: `${n}@example.com` });
  later(61 * minuteMs);
  harness.smtp.behaviour.RCPT = refuse;
  const result = await harness.run();
  expect(result).toMatchObject({ ok: false, sent: 0 });
  expect(result.problem).toMatch(
    /^3 reminders did not go out \(.*550 no such user.*\)\. The next daily run tries again\.$/,
  );
  expect(await reported()).toMatchObject([{ sent: 0, recovered: 0, problem: result.problem }]);
  later(dayMs);
  harness.smtp.behaviour.RCPT = (to) => (to === '1@example.com' ? '450 later' : '250 ok');
  const second = await harness.run();
  expect(second).toMatchObject({ ok: false, sent: 2, problem: expect.stringContaining('450 later') });
  expect((await reported()).at(-1)).toMatchObject({ sent: 2, problem: second.problem });
  delete harness.smtp.behaviour.RCPT;
  expect(await harness.run()).toEqual({ ...nothing, sent: 1 });
  expect((await reported()).at(-1)).toMatchObject({ sent: 1, problem: null });
});

test('what was not taken leaves no secret behind, however often it is tried', async () => {
  await harness.base.start(harness.settings);
  await harness.open({ email });
  later(61 * minuteMs);
  harness.smtp.behaviour.RCPT = () => '450 later';
  for (let n = 0; n < 5; n += 1) expect(await harness.run()).toMatchObject({ ok: false });
  const kept = `select (select count(*)::int from reminders where sent_at is not null) as links, (select count(*)::int from opt_out_tokens) as tokens`;
  expect(await harness.query(kept)).toEqual([{ links: 0, tokens: 0 }]);
  delete harness.smtp.behaviour.RCPT;
  expect(await harness.run()).toEqual({ ...nothing, sent: 1 });
  expect(await harness.query(kept)).toEqual([{ links: 1, tokens: 1 }]);
});

test('while the mail server is down a run tries once, for all accounts, and the buyers are reminded by the next run', async () => {
  harness.shop.set('acc_2/course', plainCourse);
  const service = await harness.base.start(harness.settings);
  const openOne = (n: number) => harness.open({ email: `${n}@example.com` }, { accountId: `acc_${(n % 2) + 1}` });
  await Promise.all(Array.from({ length: 30 }, (_, n) => openOne(n)));
  later(61 * minuteMs);
  harness.smtp.behaviour.greeting = '421 closed for today';
  const result = await harness.run(null);
  expect(result).toMatchObject({ ok: false, sent: 0 });
  expect(result.problem).toContain('421 closed for today');
  // Eight were under way before the first one failed.
  expect(harness.smtp.connections()).toBeLessThanOrEqual(8);
  expect(await notices()).toHaveLength(2);
  expect(await statuses()).not.toContain('claimed');
  delete harness.smtp.behaviour.greeting;
  // Another process does not wait for the server to come back.
  await service.close();
  await harness.base.start(harness.settings);
  expect(await harness.run(null)).toEqual({ ...nothing, sent: 30 });
});

test('an email whose server hangs up after the message counts as sent, and is not sent again', async () => {
  await harness.base.start(harness.settings);
  await harness.open({ email });
  later(61 * minuteMs);
  harness.smtp.behaviour.message = 'hang up';
  expect(await harness.run()).toEqual({ ...nothing, sent: 1 });
  delete harness.smtp.behaviour.message;
  expect(await harness.run()).toEqual(nothing);
  expect(harness.smtp.received).toHaveLength(1);
  expect(await harness.reminders()).toMatchObject([{ status: 'sent', detail: expect.stringContaining('closed') }]);
});

test('an account may not run for another one, and the platform runs for all', async () => {
  harness.shop.set('acc_2/course', plainCourse);
  await harness.base.start(harness.settings);
  await harness.open({ email });
  await harness.open({ email }, { accountId: 'acc_2' });
  later(61 * minuteMs);
  const { requester } = harness.base;
  await expect(requester.request(runReminders, { accountId: 'acc_2' }, context('acc_1'))).rejects.toMatchObject({
    code: 'insufficient_scope',
  });
  await expect(requester.request(runReminders, { accountId: null }, context('acc_1'))).rejects.toMatchObject({
    code: 'insufficient_scope',
  });
  expect(await harness.preview({}, 'acc_3')).toEqual({ count: 0, data: [], next: null });
  expect(await harness.run('acc_1')).toEqual({ ...nothing, sent: 1 });
  expect(await harness.query('select account_id from reminders')).toEqual([{ account_id: 'acc_1' }]);
  expect(await harness.run(null)).toEqual({ ...nothing, sent: 1 });
  expect((await reported()).map(({ platformRunId }) => platformRunId === null)).toEqual([true, false]);
});

/** A process of its own, which a test kills, and what holds it up meanwhile. */
async function startChild() {
  const { nats, database } = harness.base;
  const env = { ...harness.settings, ...nats.settings('checkout'), DATABASE_URL: database.url, HEALTH_PORT: '0' };
  return await spawnNode(main, env, { readyLine: /ready$/ });
}

/** Stalls as it would by the clock of the child, which is the real one. */
async function stalledCheckout() {
  const service = await harness.base.start(harness.settings);
  const opened = await harness.open({ email });
  await harness.query(`update checkouts set created_at = now() - interval '2 hours'`);
  await service.close();
  return opened;
}

/** Statements that would change the table wait. They end with their process, as they would with its machine. */
async function holdTable(table: string): Promise<() => Promise<void>> {
  const database = await openDatabase(databaseOptions(harness.base.database.url));
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = holdTransaction(database, async (client) => {
    await client.query(`lock table ${table} in share row exclusive mode`);
    held.resolve();
    await released.promise;
    await client.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
  });
  await held.promise;
  return async () => {
    released.resolve();
    await holding;
    await database.close();
  };
}

/** A run in a process of its own, which is killed when `reached` resolves. Its caller gives up then, and repeats nothing. */
async function killRun(reached: () => Promise<unknown>, { commandId } = context()): Promise<void> {
  const child = await startChild();
  const link = await connectNats(harness.base.nats.login('gateway'));
  const caller = createRequester(link);
  const running = caller.request(runReminders, { accountId: 'acc_1' }, context('acc_1', commandId));
  const failed = expect(running).rejects.toMatchObject({ code: 'outcome_unknown' });
  await reached();
  await child.kill('SIGKILL');
  caller.finishWithin(0);
  await failed;
  await link.close();
}

test('killed between the claim and the sending: no buyer was reminded, the preview says so, and the next run does it', async () => {
  await stalledCheckout();
  const release = await holdTable('opt_out_tokens');
  const { announced } = listen();
  await killRun(() => announced(remindersClaimed));
  expect(await statuses()).toEqual(['claimed']);
  await release();
  expect(harness.smtp.received).toEqual([]);
  await harness.base.start(harness.settings);
  expect(await harness.preview()).toMatchObject({ count: 1, data: [{ customerEmail: email }] });
  expect(await harness.run()).toEqual({ ...nothing, sent: 1 });
});

test('killed while the server has the message and has not replied: it counts as sent for 30 days', async () => {
  await stalledCheckout();
  const reached = Promise.withResolvers<void>();
  harness.smtp.behaviour.message = () => {
    reached.resolve();
    return 'silent';
  };
  await killRun(() => reached.promise);
  expect(await statuses()).toEqual(['sending']);
  delete harness.smtp.behaviour.message;
  await harness.base.start(harness.settings);
  later(60 * minuteMs);
  expect(await harness.run()).toEqual(nothing);
  later(29 * dayMs);
  await harness.open({ email });
  later(61 * minuteMs);
  expect(await harness.run()).toEqual(nothing);
  later(dayMs);
  expect(await harness.run()).toEqual({ ...nothing, sent: 1 });
});

test('killed between the submission and the record: the buyer has one email and gets no other', async () => {
  await stalledCheckout();
  const reached = Promise.withResolvers<void>();
  const reply = Promise.withResolvers<string>();
  harness.smtp.behaviour.message = () => {
    reached.resolve();
    return reply.promise;
  };
  let release = async () => {};
  await killRun(async () => {
    await reached.promise;
    release = await holdTable('reminders');
    reply.resolve('250 taken');
    await harness.smtp.receivedEmails(1);
  });
  await release();
  expect(await statuses()).toEqual(['sending']);
  await harness.base.start(harness.settings);
  expect(await harness.run()).toEqual(nothing);
  expect(harness.smtp.received).toHaveLength(1);
});

test('killed after the record and before the result: nothing is sent twice, and the repeated command ends', async () => {
  await stalledCheckout();
  const { commandId } = context();
  const release = await holdTable('outbox');
  const { announced } = listen();
  await killRun(() => announced(reminderRecorded), context('acc_1', commandId));
  expect(await statuses()).toEqual(['sent']);
  await release();
  await harness.base.start(harness.settings);
  const again = await harness.run('acc_1', commandId);
  expect(again).toEqual(nothing);
  expect(harness.smtp.received).toHaveLength(1);
});

/** In bytes, after garbage was collected. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

test('many stalled checkouts are read in pages, sent as files once each, and the memory stays bounded', async () => {
  // More than one scan of 500, and ten pages of 50; a run waits for 30 s, and the rest would go out apart from it.
  const stalled = volume(520, 1_600);
  // Each file is synced; that of memory costs nothing.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'reminders-'));
  const service = await harness.base.start({ EMAIL_DIR: folder, REMINDERS_PER_DAY: String(stalled) });
  await harness.open({ email });
  await harness.query(
    `insert into checkouts (id, account_id, secret_hashes, status, product_id, product_slug, seller_name, support_email,
       decision_minutes, test, email, email_key, bump_ids, shown_cents, shown_quote, settings_revision, created_at)
     select 'cko_' || lpad(n::text, 26, '0'), account_id, secret_hashes, status, product_id, product_slug, seller_name,
       support_email, decision_minutes, test, n || '@example.com', n || '@example.com', bump_ids, shown_cents, shown_quote,
       settings_revision, created_at
     from checkouts cross join generate_series(1, ${stalled - 1}) as n`,
  );
  later(61 * minuteMs);
  const before = usedMemory();
  let most = 0;
  harness.catalog.beforeAnswer = async () => {
    if (harness.catalog.requested.length % volume(4, 20) === 0) most = Math.max(most, usedMemory());
  };
  const { commandId } = context();
  const rowsAtOnce = await countRowsRead(harness.base.database.url);
  expect(await harness.run('acc_1', commandId, 400_000)).toEqual({ ...nothing, sent: stalled });
  expect(readdirSync(folder).filter((name) => name.endsWith('.eml'))).toHaveLength(stalled);
  for (const requested of harness.catalog.requested) expect(requested.length).toBeLessThanOrEqual(50);
  expect([rowsAtOnce.get('reminders-scan'), rowsAtOnce.get('reminders-rows')]).toEqual([500, 50]);
  expect(Math.max(...rowsAtOnce.values())).toBe(500);
  expect(most - before).toBeLessThan(16 * 1024 ** 2);
  await service.close();
  rmSync(folder, { recursive: true });
});
