import { accountSettingsChanged, type Settings } from '@app/contracts/accounts';
import type { EventEnvelope } from '@app/contracts/define';
import { freePort } from '@app/embedded/ports';
import { eventsPublished } from '@app/messaging/points';
import { spawnNode } from '@app/testing/child-service';
import { createNatsServer } from '@app/testing/nats';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { readStream } from '@app/testing/stream';
import { expect, test } from 'vitest';
import { LogosInEmails } from '../src/db/migrations/0012-logos-in-emails.ts';
import { createHarness, createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

startGateway();
sellerForEachTest();

type Published = Settings & { readonly revision: number; readonly changedAt: string };

/** The account's settings in the stream, oldest first. */
async function published(accountId = seller.accountId, nats = harness.nats): Promise<Published[]> {
  const events = (await readStream(nats, 'EVT_GATEWAY')) as { subject: string; body: EventEnvelope<Published> }[];
  const own = events.filter(({ body }) => body.accountId === accountId);
  expect(own.map(({ subject }) => subject).filter((subject) => subject !== accountSettingsChanged.subject)).toEqual([]);
  return own.map(({ body }) => accountSettingsChanged.data.parse(body.data));
}

/** Resolves when the stream has every event of the account that is committed. */
async function untilPublished(accountId: string, databaseUrl: string): Promise<void> {
  const committed = await query<{ id: string }>(
    databaseUrl,
    `select payload::jsonb ->> 'id' as id from outbox where payload like $1`,
    [`%${accountId}%`],
  );
  for (const { id } of committed)
    await announced(eventsPublished, ({ events }) => events.some((event) => event.id === id));
}

/** The stream's events of this test's seller once it has all that is committed. */
async function whenPublished(): Promise<Published[]> {
  await untilPublished(seller.accountId, harness.database.url);
  return await published();
}
const read = async () => (await send(url, 'GET', '/api/v1/settings', { key: seller.key })).json;
const change = (body: object) => send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body });

test('an update names the version that it was made from, and changes nothing when there is a newer one', async () => {
  const path = '/api/v1/settings';
  const patch = (ifMatch: string | undefined, body: object) =>
    send(url, 'PATCH', path, { key: seller.key, body, ...(ifMatch && { headers: { 'if-match': ifMatch } }) });
  const first = await send(url, 'GET', path, { key: seller.key });
  const tag = String(first.headers.etag);
  expect(tag).toBe(`"${first.json.version}"`);
  const both = await Promise.all([1, 2].map((n) => patch(tag, { commissionHoldDays: n })));
  expect(both.map(({ status }) => status).toSorted()).toEqual([200, 412]);
  const won = both.find(({ status }) => status === 200);
  expect(won?.headers.etag).toBe(`"${first.json.version + 1}"`);
  expect(both.find(({ status }) => status === 412)?.json).toMatchObject({
    code: 'version_changed',
    detail: expect.stringContaining(`names version ${first.json.version}`),
  });
  expect((await read()).commissionHoldDays).toBe(won?.json.commissionHoldDays);
  expect((await patch('W/"1"', { commissionHoldDays: 9 })).json).toMatchObject({
    status: 400,
    code: 'malformed_request',
  });
  for (const ifMatch of [undefined, '*']) expect((await patch(ifMatch, { commissionHoldDays: 9 })).status).toBe(200);
});

test('a logo and its removal are published with the settings, because emails have it; the same again is no change', async () => {
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const put = async () => {
    const { json } = await send(url, 'PUT', '/api/v1/settings/logo', { key: seller.key, body: { data } });
    return String(json.url).split('/').at(-1);
  };
  const name = await put();
  expect(await put()).toBe(name);
  expect((await whenPublished()).at(-1)).toMatchObject({ logoName: name });
  const { version } = await read();
  expect(await read()).not.toHaveProperty('logoName');
  await send(url, 'DELETE', '/api/v1/settings/logo', { key: seller.key });
  const events = await whenPublished();
  expect(events.at(-1)).toMatchObject({ logoName: null, revision: version + 1 });
  expect(events.filter(({ logoName }) => logoName === name)).toHaveLength(1);
});

test('a logo of before emails had it is published once, with a number of its own', async () => {
  const { url: databaseUrl } = harness.database;
  await query(databaseUrl, `update accounts set logo_name = 'it’s ''a'' logo.png' where id = $1`, [seller.accountId]);
  const before = await read();
  const client = { query: async (text: string) => ({ rows: await query(databaseUrl, text) }) };
  await new LogosInEmails(client as never).run();
  const events = await whenPublished();
  expect(events.at(-1)).toMatchObject({
    ...{ logoName: "it’s 'a' logo.png", revision: before.version + 1 },
    ...{ handle: before.handle, businessName: before.businessName, supportEmail: before.supportEmail },
  });
  expect((await read()).version).toBe(before.version + 1);
  await query(databaseUrl, 'update accounts set logo_name = null where id = $1', [seller.accountId]);
  await new LogosInEmails(client as never).run();
  expect(await whenPublished()).toHaveLength(events.length);
});

test('a new account, and each change of its settings, publishes all of them with the number of the change', async () => {
  // What is no other service's matter is in no event: an address that its reader has not confirmed.
  const { logoUrl, version, supportEmailPending, ...made } = await read();
  expect([logoUrl, version, supportEmailPending]).toEqual([null, 1, null]);
  const ofGateway = { logoUrl, supportEmailPending };
  const [first] = await whenPublished();
  expect(first).toEqual({ ...made, logoName: null, revision: 1, changedAt: expect.any(String) });
  const pages = {
    accentColor: '#0b5f4f',
    termsUrl: 'https://ada.example/terms',
    refundPolicyUrl: 'https://ada.example/r',
    statementSuffix: 'KILN CLUB',
  };
  const body = { dailyChargeLimit: 0, checkoutUrl: 'https://shop.example.com/pay', commissionHoldDays: 0, ...pages };
  expect((await change(body)).json).toEqual({ ...made, ...body, ...ofGateway, version: 2 });
  expect((await change({ checkoutUrl: null })).json).toEqual({
    ...made,
    ...body,
    checkoutUrl: null,
    ...ofGateway,
    version: 3,
  });
  const [, second, third] = await whenPublished();
  expect(second).toMatchObject({ ...made, ...body, revision: 2 });
  expect(third).toMatchObject({ ...made, ...body, checkoutUrl: null, revision: 3 });
});

test('what changes nothing, and what is refused, publishes nothing', async () => {
  const { handle } = await read();
  const other = await createSeller(url);
  const taken = (await send(url, 'GET', '/api/v1/settings', { key: other.key })).json.handle;
  for (const body of [
    { handle, testMode: false },
    { dailyChargeLimit: 3, checkoutUrl: null },
  ]) {
    expect((await change(body)).status).toBe(200);
  }
  expect((await change({ handle: taken, commissionHoldDays: 7 })).status).toBe(409);
  expect((await change({ dailyChargeLimit: -1 })).status).toBe(422);
  await change({ testMode: true });
  expect((await whenPublished()).map(({ revision, commissionHoldDays }) => [revision, commissionHoldDays])).toEqual([
    [1, 30],
    [2, 30],
  ]);
});

test.each([
  ['dailyChargeLimit', [-1, 1_001, 1.5, '3', null]],
  [
    'checkoutUrl',
    ['shop', 'javascript:alert(1)', 'ftp://example.com/', '', 7, `https://example.com/${'a'.repeat(3_000)}`],
  ],
  ['accentColor', ['#ffcc00', '#fff', 'green', '', 7]],
  ['termsUrl', ['http://ada.example/terms', 'terms', 'javascript:alert(1)']],
  ['refundPolicyUrl', ['http://ada.example/refunds', '']],
  ['statementSuffix', ['', '2026', 'KILN*CLUB', 'KILN <3', 'ÖFEN', 'KILN CLUB 27', 7]],
])('%s: a value that makes no sense is refused with the name of the field', async (field, values) => {
  const before = await read();
  for (const value of values) {
    const { status, json } = await change({ [field]: value });
    expect([value, status, json.errors?.[0]?.field]).toEqual([value, 422, field]);
  }
  expect(await read()).toEqual(before);
});

test('of many changes at once each has a number of its own, and the highest says what holds', async () => {
  const days = Array.from({ length: 12 }, (_, index) => index + 40);
  await Promise.all(days.map((commissionHoldDays) => change({ commissionHoldDays })));
  const events = await whenPublished();
  const revisions = events.map(({ revision }) => revision).toSorted((a, b) => a - b);
  expect(revisions).toEqual(Array.from({ length: 13 }, (_, index) => index + 1));
  const { commissionHoldDays } = events.find(({ revision }) => revision === 13) ?? {};
  expect((await read()).commissionHoldDays).toBe(commissionHoldDays);
});

test('a gateway that is killed between the change and its publication loses nothing: the next one publishes it', async () => {
  const nats = await createNatsServer();
  const own = await createHarness(nats);
  const port = await freePort();
  const env = { ...own.env, PORT: String(port), LOG_LEVEL: 'warn' };
  const killed = await spawnNode('services/gateway/src/main.ts', env, { readyLine: /^gateway ready/ });
  try {
    const at = `http://127.0.0.1:${port}`;
    const { key, accountId } = await createSeller(at);
    // Without NATS nothing is published: the change is committed, its event is in the outbox alone.
    await nats.kill();
    const changed = await send(at, 'PATCH', '/api/v1/settings', { key, body: { nudgeAfterMinutes: 90 } });
    expect(changed.status).toBe(200);
    await killed.kill();
    const sql = 'select stream_seq from outbox where payload like $1 order by id';
    const outbox = () => query<{ stream_seq: number | null }>(own.database.url, sql, [`%${accountId}%`]);
    expect((await outbox()).at(-1)).toEqual({ stream_seq: null });
    await nats.start();
    await own.start();
    await untilPublished(accountId, own.database.url);
    const events = await published(accountId, nats);
    expect(events).toHaveLength(2);
    expect(events.at(-1)).toMatchObject({ revision: 2, nudgeAfterMinutes: 90 });
  } finally {
    await killed.kill();
    await own.close();
  }
});
