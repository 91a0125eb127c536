import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtInAutomations, createAutomation, listAutomations, updateAutomation } from '@app/contracts/automations';
import { listDeliveries } from '@app/contracts/webhook-deliveries';
import { createWebhookEndpoint } from '@app/contracts/webhooks';
import { createArrivals } from '@app/testing/arrivals';
import { spawnNode } from '@app/testing/child-service';
import { startReceiver } from '@app/testing/http-receiver';
import { guardLeaks } from '@app/testing/leak-guard';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { attempted, type Harness, judged, startHarness, stored } from './harness.ts';
import { headerOf, type MailServer, mailSeller, mailSettings } from './mail-seller.ts';
import { connectedAccount } from './orders.ts';

guardLeaks();
const main = join(import.meta.dirname, '../src/main.ts');

let server: MailServer;
let harness: Harness;
/** Each test has a process of the service with settings of its own, and a seller. */
const start = async (
  settings = mailSettings(server) as Record<string, string>,
  of: Parameters<typeof mailSeller>[1] = {},
) => {
  harness.running.service = await harness.start(settings);
  return await mailSeller(harness, of);
};
beforeAll(async () => {
  // Nothing of a former test is made again.
  harness = await startHarness({ CONSERVATION_SECONDS: '3600' });
  await harness.running.service.close();
});
beforeEach(async () => {
  server = await startSmtpServer();
});
afterEach(async () => {
  await server.close();
  await harness.running.service.close();
  await harness.query('delete from deliveries');
});
afterAll(() => harness.close());

test('a mail server and a URL that hang delay no webhook and repeat none, whatever waits for them', async () => {
  const seller = await start();
  const shop = await connectedAccount(harness);
  const hanging = await startReceiver({ respond: () => ({ status: 200, delayMs: 60_000 }) });
  const hung = createArrivals<string>();
  server.behaviour.message = (to) => {
    hung.push(to);
    return 'silent';
  };
  const action = { type: 'post', url: hanging.url } as const;
  await harness.request(createAutomation, shop.account, { body: { name: 'Hangs', event: 'order.paid', action } });
  for (let n = 0; n < 30; n += 1) await seller.sell();
  await hung.wait(4);
  for (let n = 0; n < 30; n += 1) await shop.publish();
  await attempted({ endpointId: shop.endpointId, delivered: true }, 30);
  expect(shop.received()).toHaveLength(30);
  expect(new Set(shop.received()).size).toBe(30);
  // One sale of the shop has an email of its own; none of them got past the server.
  expect(server.openMost()).toBeLessThanOrEqual(8);
  await hanging.received(1);
  expect(server.received).toEqual([]);
  await hanging.close();
});

test('while the mail server is away every recorded attempt was made, and the others wait without one', async () => {
  const seller = await start(mailSettings(server), { email: 'help@maya.example' });
  server.behaviour.greeting = '421 closed for today';
  const eventIds = await Promise.all(Array.from({ length: 15 }, () => seller.sell()));
  await Promise.all(eventIds.map((eventId) => stored(eventId)));
  await seller.tried(1);
  await harness.afterRound('deliveries');
  const { data } = await harness.request(listDeliveries, seller.account, { status: 'pending' });
  expect(data.filter(({ reason }) => reason.startsWith('Waits for the mail server')).length).toBeGreaterThan(0);
  // What is under way ends.
  await harness.running.service.close();
  const attempts = await harness.query('select from attempts where account_id = $1', [seller.account]);
  expect(attempts).toHaveLength(server.connections());
  expect((await seller.runs()).filter((run) => run.attempts === 0).length).toBeGreaterThanOrEqual(22);
  server.behaviour.greeting = '220 ready';
  harness.clock.advance(60_000);
  harness.running.service = await harness.start(mailSettings(server));
  await attempted({ accountId: seller.account, delivered: true }, 30);
  expect((await seller.runs()).map(({ status }) => status)).toEqual(Array(30).fill('delivered'));
});

test('a mail server that is away is retried later, and then every buyer gets one receipt', async () => {
  const seller = await start();
  server.behaviour.MAIL = '421 closing';
  await seller.sell();
  // The first finds that it is away; the other, if it did not begin beside it, waits without an attempt.
  await seller.tried(1);
  expect((await seller.runs()).map(({ status }) => status)).not.toContain('delivered');
  await harness.running.service.close();
  server.behaviour.MAIL = '250 ok';
  harness.clock.advance(60_000);
  harness.running.service = await harness.start(mailSettings(server));
  await attempted({ accountId: seller.account, delivered: true }, 2);
  expect((await seller.runs()).map(({ status }) => status)).toEqual(['delivered', 'delivered']);
  expect(server.received).toHaveLength(2);
});

test('after kill -9 between the message and its record the email goes out again, under the same Message-ID', async () => {
  const seller = await start();
  await harness.running.service.close();
  // The child runs in real time: by it, a body of the test's clock is older than 30 days, and dropped.
  harness.clock.set(new Date());
  const child = await spawnNode(main, { ...harness.env, ...mailSettings(server) }, { readyLine: /ready$/ });
  const taken = createArrivals<string>();
  server.behaviour.message = (to) => {
    taken.push(to);
    return 'silent';
  };
  await seller.sell({ customerEmail: 'bob@example.com' });
  expect((await taken.wait(2)).sort()).toEqual(['bob@example.com', 'help@maya.example']);
  await child.kill('SIGKILL');
  const before = await seller.runs();
  expect(before).toMatchObject([{ status: 'sending' }, { status: 'sending' }]);
  server.behaviour.message = '250 taken';
  harness.clock.set(new Date());
  await harness.ageLeases();
  harness.running.service = await harness.start(mailSettings(server));
  await seller.tried(2);
  expect(server.received).toHaveLength(2);
  const ids = server.received.map(({ text }) => headerOf(text, 'Message-ID'));
  expect(ids.sort()).toEqual(before.map(({ id }) => `<${id}@platform.example>`).sort());
});

test('of many sales at once no more emails go out than an account may send in a day, and what was refused counts not', async () => {
  const seller = await start({ ...mailSettings(server), EMAILS_PER_DAY: '3' });
  server.behaviour.RCPT = '550 no such user';
  await seller.sell();
  await seller.tried(2);
  expect((await seller.runs()).map(({ status }) => status)).toEqual(['failed', 'failed']);
  for (const { diagnosis } of await seller.activity())
    expect(diagnosis).toMatchObject({
      code: 'email_refused',
      explanation: 'The mail server refused the email for good: “550 no such user”.',
    });
  server.behaviour.RCPT = '250 ok';
  await Promise.all(Array.from({ length: 12 }, () => seller.sell()));
  await seller.tried(26);
  const refused = (await seller.activity()).filter(({ error }) => error?.includes('3 emails a day'));
  expect(refused).toHaveLength(21);
  expect(server.received).toHaveLength(3);
});

/** What waits for the next day goes out within its first hour, and a test may run in that hour. */
const untilNextDayMs = 25 * 60 * 60 * 1_000;

test('all accounts together send no more emails than the deployment may in a day, and the others go out the next day', async () => {
  const seller = await start({ ...mailSettings(server), EMAILS_PER_DAY: '10', DEPLOYMENT_EMAILS_PER_DAY: '3' });
  // What other tests have sent today.
  await harness.query(`delete from emails_sent where account_id = ''`);
  await Promise.all([seller.sell(), seller.sell()]);
  await seller.tried(4);
  expect((await seller.runs()).map(({ status }) => status).sort()).toEqual([...Array(3).fill('delivered'), 'pending']);
  const waiting = (await seller.activity()).filter(({ error }) => error?.includes('this deployment sends 3 emails'));
  expect(waiting).toHaveLength(1);
  harness.clock.advance(untilNextDayMs);
  harness.wake();
  await seller.tried(5);
  expect((await seller.runs()).map(({ status }) => status)).toEqual(Array(4).fill('delivered'));
  expect(server.received).toHaveLength(4);
});

test('an account that has sent none that day sends its first one, whatever others have sent', async () => {
  const seller = await start({ ...mailSettings(server), EMAILS_PER_DAY: '10', DEPLOYMENT_EMAILS_PER_DAY: '1' });
  // The others have used up the day.
  await harness.query(`delete from emails_sent where account_id = ''`);
  const today = harness.clock.now().toISOString().slice(0, 10);
  await harness.query(`insert into emails_sent (account_id, day, count) values ('', '${today}', 1)`);
  await seller.sell();
  await seller.tried(2);
  expect((await seller.runs()).map(({ status }) => status).sort()).toEqual(['delivered', 'pending']);
  expect(server.received).toHaveLength(1);
});

test('an account sends no more emails than it may in a day, and the others go out the next day', async () => {
  const seller = await start({ ...mailSettings(server), EMAILS_PER_DAY: '2' });
  const statuses = async () => (await seller.runs()).map(({ status }) => status);
  await seller.sell();
  await seller.tried(2);
  expect(await statuses()).toEqual(['delivered', 'delivered']);
  await seller.sell();
  await seller.tried(4);
  expect((await statuses()).sort()).toEqual(['delivered', 'delivered', 'pending', 'pending']);
  expect((await seller.activity())[0]).toMatchObject({ error: expect.stringMatching(/2 emails a day/) });
  // They wait for the next day, and no attempt counts.
  const day = harness.clock.now().toISOString().slice(0, 10);
  expect(
    await harness.query(
      `select attempts, next_attempt_at at time zone 'utc' > $2::date + 1 as later from deliveries where account_id = $1 and status = 'pending'`,
      [seller.account, day],
    ),
  ).toEqual(Array(2).fill({ attempts: 0, later: true }));
  harness.clock.advance(untilNextDayMs);
  harness.wake();
  await seller.tried(6);
  expect(await statuses()).toEqual(Array(4).fill('delivered'));
  expect(server.received).toHaveLength(4);
});

test('that an endpoint is off is notified at once, also on a day on which no more emails of automations go out', async () => {
  const seller = await start({ ...mailSettings(server), EMAILS_PER_DAY: '0' });
  const gone = await startReceiver({ respond: () => ({ status: 410 }) });
  const endpoint = await harness.request(createWebhookEndpoint, seller.account, { body: { url: gone.url } });
  await seller.sell();
  await judged(endpoint.id);
  harness.wake();
  // The POST, two receipts that wait, and the notice.
  await seller.tried(4);
  expect((await seller.runs()).map(({ status }) => status).sort()).toEqual(['delivered', 'pending', 'pending']);
  expect(server.received.map(({ text }) => headerOf(text, 'To'))).toEqual([
    expect.stringContaining('help@maya.example'),
  ]);
  expect(server.received[0]?.text).toContain('answered 410');
  await gone.close();
});

test('a notice that waits for the next day, too, names the number that was set', async () => {
  const seller = await start({ ...mailSettings(server), EMAILS_PER_DAY: '2' });
  const text = 'insert into emails_sent (account_id, day, count) values ($1, $2::date, 52)';
  await harness.query(text, [seller.account, harness.clock.now().toISOString().slice(0, 10)]);
  const gone = await startReceiver({ respond: () => ({ status: 410 }) });
  const endpoint = await harness.request(createWebhookEndpoint, seller.account, { body: { url: gone.url } });
  await seller.sell();
  const detail = 'the automations of an account send 2 emails a day at most; the others go out later';
  const postponed = async () =>
    (await seller.activity()).flatMap(({ error }) => (error?.includes('emails a day') ? [error] : []));
  await judged(endpoint.id);
  harness.wake();
  await seller.tried(4);
  expect(await postponed()).toEqual(Array(3).fill(detail));
  await gone.close();
});

test('an event without an address of a buyer is given up at once, and the notice to the seller goes out', async () => {
  const seller = await start();
  await seller.sell({ customerEmail: '' });
  await seller.tried(2);
  expect((await seller.runs()).map(({ status, reason }) => [status, reason]).sort()).toEqual([
    ['delivered', null],
    ['failed', 'no_address'],
  ]);
  expect(server.received).toHaveLength(1);
});

test('a POST that a 410 switched off is on again with another URL, and stays off where the seller says so', async () => {
  const seller = await start({});
  const receiver = await startReceiver({ respond: ({ path }) => ({ status: path === '/new' ? 200 : 410 }) });
  const action = { type: 'post', url: `${receiver.url}/old` } as const;
  const body = { name: 'Own', event: 'order.paid', action } as const;
  const { id: automationId } = await harness.request(createAutomation, seller.account, { body });
  const own = async () =>
    (await harness.request(listAutomations, seller.account, {})).data.find(({ id }) => id === automationId);
  const update = (change: object) =>
    harness.request(updateAutomation, seller.account, { automationId, body: change as never });
  await seller.sell();
  const off = { active: false, switched_off: { reason: 'gone', at: expect.any(String) } };
  await judged(automationId);
  expect(await own()).toMatchObject(off);
  expect(await update({ name: 'The same URL' })).toMatchObject({ active: false });
  expect(await update({ action: { ...action, url: `${receiver.url}/new` }, active: false })).toMatchObject({
    active: false,
  });
  await harness.query(`update endpoints set switched_off_reason = 'gone' where id = $1`, [automationId]);
  expect(await update({ action: { ...action, url: `${receiver.url}/new?2` } })).toMatchObject({
    ...{ active: true, switched_off: null },
  });
});

test.each([
  ['no mail server', () => ({})],
  ['emails of automations switched off', () => ({ ...mailSettings(server), AUTOMATION_EMAILS: 'disabled' })],
])('with %s a sale starts no email and leaves nothing that waits for one; a POST runs', async (_, settings) => {
  const seller = await start(settings());
  const receiver = await startReceiver();
  const action = { type: 'post', url: receiver.url } as const;
  await harness.request(createAutomation, seller.account, { body: { name: 'Own', event: 'order.paid', action } });
  await seller.sell();
  await seller.tried(1);
  expect(receiver.requests).toHaveLength(1);
  const { data } = await harness.request(listAutomations, seller.account, {});
  expect(data.filter(({ built_in }) => built_in !== null).map(({ available }) => available)).toEqual(
    builtInAutomations.map(() => false),
  );
  expect(data.at(-1)).toMatchObject({ name: 'Own', available: true });
  expect(await seller.runs()).toHaveLength(1);
  expect(server.connections()).toBe(0);
});

test('without a mail server a receipt is one file for its buyer, where a folder is set', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'automations-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const seller = await start({ EMAIL_DIR: folder });
  await seller.sell();
  // The seller's notice of the sale is the other one.
  await seller.tried(2);
  const emails = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const toBuyer = emails.filter((text) => headerOf(text, 'To') === 'ada@example.com');
  expect([emails.length, toBuyer]).toEqual([2, [expect.stringContaining('https://maya.example/a')]]);
  expect(await seller.runs()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }]);
  const { data } = await harness.request(listAutomations, seller.account, {});
  expect(data.every(({ available }) => available)).toBe(true);
  expect(server.connections()).toBe(0);
});

test('a POST that is in flight when its automation is switched off, and fails, is tried no more', async () => {
  const seller = await start({});
  const gate = Promise.withResolvers<void>();
  const receiver = await startReceiver({
    respond: async () => {
      await gate.promise;
      return { status: 500 };
    },
  });
  const action = { type: 'post', url: receiver.url } as const;
  const body = { name: 'Own', event: 'order.paid', action } as const;
  const { id: automationId } = await harness.request(createAutomation, seller.account, { body });
  await seller.sell();
  await receiver.received(1);
  await harness.request(updateAutomation, seller.account, { automationId, body: { active: false } });
  gate.resolve();
  await seller.tried(1);
  expect(await seller.runs()).toMatchObject([{ status: 'canceled', reason: 'discarded', attempts: 1 }]);
  expect(await seller.activity()).toMatchObject([{ summary: expect.stringMatching(/automation switched off/) }]);
});

test('a run whose process died before its automation was switched off is dropped when its lease ends', async () => {
  const seller = await start({});
  const receiver = await startReceiver({ respond: () => ({ status: 500 }) });
  const action = { type: 'post', url: receiver.url } as const;
  const body = { name: 'Own', event: 'order.paid', action } as const;
  const { id: automationId } = await harness.request(createAutomation, seller.account, { body });
  await seller.sell();
  await seller.tried(1);
  expect(await seller.runs()).toMatchObject([{ status: 'pending', attempts: 1 }]);
  // The lease is freed after the change of the endpoint was applied.
  await harness.query(`update endpoints set active = false where id = $1`, [automationId]);
  harness.clock.advance(60_000);
  await harness.afterRound('deliveries');
  expect(await seller.runs()).toMatchObject([{ status: 'canceled', reason: 'discarded' }]);
  expect(receiver.requests).toHaveLength(1);
});

test('switching an automation off drops what waits to be sent', async () => {
  const seller = await start();
  server.behaviour.RCPT = '451 later';
  await seller.sell();
  await seller.tried(2);
  expect((await seller.runs()).map(({ status }) => status)).toEqual(['pending', 'pending']);
  const { data } = await harness.request(listAutomations, seller.account, {});
  for (const { id } of data)
    await harness.request(updateAutomation, seller.account, { automationId: id, body: { active: false } });
  await harness.afterRound('endpoint-changes');
  expect((await seller.runs()).map(({ status }) => status)).toEqual(['canceled', 'canceled']);
});
