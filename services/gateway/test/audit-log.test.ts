import { auditEntryResource } from '@app/contracts/audit';
import { listOf } from '@app/contracts/common';
import { hourMs } from '@app/contracts/durations';
import { newIdSuffix } from '@app/contracts/ids';
import { operationLabels } from '@app/pages/dashboard/settings/audit-log.texts';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isForAnyPage } from '../src/api/operation.ts';
import { operations } from '../src/api/operations/all-operations.ts';
import { refusalsRecorded } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

/** Guarantee: whoever does something in an account that matters to its owner is in the account's log, and in no other's. */
startGateway();
// No hour, and no day, ends while a test counts by them.
beforeEach(() => harness.clock.moveTo(new Date(Math.ceil(Date.now() / hourMs) * hourMs + hourMs / 2)));
sellerForEachTest();
// What made the seller is no part of a test.
beforeEach(() => run('delete from audit_log where account_id = $1', [seller.accountId]));
afterEach(() => harness.clock.reset());

const password = 'a long password';
const list = async (filters = '', key = seller.key) => {
  const { json } = await send(url, 'GET', `/api/v1/audit-log${filters}`, { key });
  return listOf(auditEntryResource.strict()).strict().parse(json);
};
const called = async (filters = '') =>
  (await list(filters)).data.map(({ operation, outcome }) => `${operation} ${outcome}`);
const logIn = (given = password, headers: Record<string, string> = {}) =>
  send(url, 'POST', '/api/auth/login', { headers, body: { email: seller.email, password: given } });
const createKey = (name = 'A key') =>
  send(url, 'POST', '/api/v1/api-keys', { session: seller.session, body: { name, scopes: ['read'] } });
const refusalsStored = (times = 1) =>
  announced(refusalsRecorded, ({ accountIds }) => accountIds.includes(seller.accountId), times);
const run = (sql: string, values: unknown[] = []) => query<Record<string, unknown>>(harness.database.url, sql, values);

test('every operation that changes something or sends a file says whether it is audited', () => {
  const silent = operations.filter(
    (operation) =>
      (operation.method !== 'GET' || operation.mediaType !== undefined) &&
      !isForAnyPage(operation) &&
      operation.audit === undefined,
  );
  expect(silent.map(({ id }) => id)).toEqual([]);
  expect(operations.filter(({ audit }) => audit).length).toBeGreaterThan(30);
});

test('the dashboard has words for every audited operation', () => {
  const audited = operations.filter(({ audit }) => audit).map(({ id }) => id);
  expect(audited.filter((id) => operationLabels[id] === undefined)).toEqual([]);
});

test('an entry says who did what from where: a key by its name, a session by its user’s address', async () => {
  const made = (await createKey('Robot')).json;
  const headers = { 'user-agent': 'a robot' };
  await send(url, 'PATCH', '/api/v1/settings', { key: seller.key, headers, body: { businessName: 'Mine now' } });
  await send(url, 'DELETE', `/api/v1/api-keys/${made.id}`, { session: seller.session, headers });
  const { data } = await list('?limit=3');
  const by = { kind: 'session', id: expect.stringMatching(/^ses_/), name: seller.email };
  const common = { outcome: 'done', code: null, count: 1, address: '127.0.0.1' };
  expect(data).toMatchObject([
    { ...common, kind: 'api_key', operation: 'revokeApiKey', object_id: made.id, actor: by, user_agent: 'a robot' },
    { ...common, kind: 'settings', operation: 'updateSettings', object_id: null, user_agent: 'a robot' },
    { ...common, kind: 'api_key', operation: 'createApiKey', object_id: made.id, actor: by, user_agent: null },
  ]);
  expect(data[1]?.actor).toEqual({ kind: 'key', id: expect.stringMatching(/^key_/), name: expect.any(String) });
  expect(JSON.stringify(data)).not.toMatch(/Mine now|fnl_/);
});

test('log-ins, log-outs and changes of passwords are entries of the session that does them', async () => {
  const session = (await logIn()).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const body = { password, newPassword: 'an even longer password' };
  expect((await send(url, 'POST', '/api/auth/password', { session, body })).status).toBe(200);
  expect((await send(url, 'POST', '/api/auth/logout', { session })).status).toBe(200);
  const { data } = await list('?kind=log_in');
  expect(data.map(({ operation }) => operation)).toEqual(['logOut', 'changePassword', 'logIn']);
  expect(new Set(data.map(({ actor }) => actor.id)).size).toBe(1);
});

test('wrong passwords are counted together by the hour, however many addresses and programs try', async () => {
  for (const n of [1, 2, 3]) {
    expect((await logIn('not it', { 'user-agent': `program ${n}` })).status).toBe(401);
    await refusalsStored(n);
  }
  const [entry, ...others] = (await list('?kind=log_in')).data.filter(({ outcome }) => outcome === 'refused');
  expect(others).toEqual([]);
  expect(entry).toMatchObject({
    ...{ operation: 'logIn', code: 'invalid_credentials', count: 3, user_agent: 'program 3' },
    actor: { kind: 'anonymous', id: null, name: null },
  });
  harness.clock.advance(3_600_000);
  await logIn('not it');
  await refusalsStored(4);
  expect((await called('?kind=log_in')).filter((line) => line === 'logIn refused')).toHaveLength(2);
});

test('what a key is refused is an entry without the id that it named', async () => {
  const { json: reader } = await createKey('Reader');
  const refund = await send(url, 'POST', '/api/v1/orders/ord_01h00000000000000000000000/refund', { key: reader.key });
  expect(refund.status).toBe(403);
  await refusalsStored();
  const { data } = await list('?kind=refund');
  expect(data).toMatchObject([
    {
      operation: 'refundOrder',
      object_id: null,
      outcome: 'refused',
      code: 'insufficient_scope',
      actor: { id: reader.id, name: 'Reader' },
    },
  ]);
});

test('a call that is refused after its entry was begun leaves the refusal alone', async () => {
  const missing = 'key_01h00000000000000000000000';
  expect((await send(url, 'DELETE', `/api/v1/api-keys/${missing}`, { session: seller.session })).status).toBe(404);
  await refusalsStored();
  expect(await called('?kind=api_key')).toEqual(['revokeApiKey refused']);
});

test('a request that is repeated under its Idempotency-Key has one entry', async () => {
  const headers = { 'idempotency-key': 'once' };
  const body = { name: 'Once', scopes: ['read'] };
  for (const _ of [1, 2]) await send(url, 'POST', '/api/v1/api-keys', { session: seller.session, headers, body });
  expect(await called('?kind=api_key')).toEqual(['createApiKey done']);
});

test('a file that is sent and a service’s own thing are entries with their ids', async () => {
  await send(url, 'GET', '/api/v1/orders/export', { key: seller.key });
  await send(url, 'PUT', '/api/v1/webhook-endpoint', { key: seller.key, body: { url: 'https://a.example/hook' } });
  expect((await list()).data.slice(0, 2)).toMatchObject([
    { kind: 'webhook', operation: 'putWebhookEndpoint', object_id: 'whe_1', outcome: 'done' },
    { kind: 'export', operation: 'exportOrders', object_id: null, outcome: 'done' },
  ]);
});

test('a list pages back, by kind as well, and no other account’s entries are in it', async () => {
  const stranger = await createSeller(url);
  await createKey();
  await createKey();
  const first = await list('?kind=api_key&limit=1');
  const second = await list(`?kind=api_key&limit=1&before=${first.data[0]?.id}`);
  expect([first.has_more, second.has_more, second.data.length]).toEqual([true, false, 1]);
  const theirs = await list('', stranger.key);
  expect(theirs.data.map(({ actor }) => actor.name)).not.toContain(seller.email);
  const foreign = await send(url, 'GET', `/api/v1/audit-log?before=${first.data[0]?.id}`, { key: stranger.key });
  expect(foreign.status).toBe(422);
});

test('beyond 2,000 entries in a day calls are counted together by the hour', async () => {
  await run(
    `insert into audit_log (id, account_id, kind, operation, outcome, count, actor_kind, created_at, last_at)
     select 'aud_' || $2 || n, $1, 'settings', 'x', 'done', 1, 'key', $3::timestamptz, $3
     from generate_series(1, 2000) n`,
    [seller.accountId, newIdSuffix(harness.clock.nowMs()), harness.clock.now()],
  );
  const before = await run('select count(*)::int from audit_log where account_id = $1', [seller.accountId]);
  for (const _ of [1, 2, 3]) expect((await createKey()).status).toBe(200);
  const after = await run('select count(*)::int from audit_log where account_id = $1', [seller.accountId]);
  expect(Number(after[0]?.count) - Number(before[0]?.count)).toBe(1);
  const [entry] = await run(
    `select count, object_id, outcome from audit_log where operation = 'createApiKey' and count > 1`,
  );
  expect(entry).toEqual({ count: 3, object_id: null, outcome: 'unknown' });
});

/** The database refuses this of the account's log from here on, as if the process ended there. */
async function diesAt(what: 'insert' | 'update', accountId: string): Promise<() => Promise<unknown>> {
  const name = `dies_${accountId}`;
  await run(`create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$`);
  await run(
    `create trigger ${name} before ${what} on audit_log for each row when (new.account_id = '${accountId}') execute function ${name}()`,
  );
  return () => run(`drop function ${name} cascade`);
}

test('killed before the entry is written: nothing is done', async () => {
  const repaired = await diesAt('insert', seller.accountId);
  const keys = (await send(url, 'GET', '/api/v1/api-keys', { key: seller.key })).json.data.length;
  expect((await createKey()).status).toBe(500);
  expect((await logIn()).status).toBe(500);
  await repaired();
  expect((await send(url, 'GET', '/api/v1/api-keys', { key: seller.key })).json.data).toHaveLength(keys);
  expect(await called()).toEqual([]);
  expect((await send(url, 'GET', '/api/auth/sessions', { session: seller.session })).json.data).toHaveLength(1);
});

test('killed between the effect and the end of its entry: the entry is there, and says that the outcome is unknown', async () => {
  const repaired = await diesAt('update', seller.accountId);
  const made = await createKey();
  await repaired();
  expect(made.status).toBe(200);
  expect(await called('?kind=api_key')).toEqual(['createApiKey unknown']);
});
