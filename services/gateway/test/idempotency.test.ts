import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { DomainError, type ErrorCode } from '@app/contracts/errors';
import { freePort } from '@app/embedded/ports';
import { openDatabase } from '@app/service-kit/database';
import { liveLeaseOwners } from '@app/service-kit/lease-owner';
import { deleteExpired } from '@app/service-kit/retention';
import { spawnNode } from '@app/testing/child-service';
import { pollSystem } from '@app/testing/poll-system';
import { query } from '@app/testing/sql';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { retention } from '../src/db/retention.ts';
import { createSeller, type Harness, platformKey } from './harness.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
let key: string;
let session: string;
let accountId: string;
let takenOrder: Harness['orders']['place'];
beforeAll(async () => {
  ({ key, session, accountId } = await createSeller(url));
  takenOrder = harness.orders.place;
});
beforeEach(() => {
  harness.orders.place = takenOrder;
  harness.forget();
  harness.clock.reset();
});

const dayMs = 86_400_000;
const order = { productSlug: 'course', email: 'ada@example.com' };
const place = (
  idempotencyKey: string,
  body: unknown = order,
  more: { key?: string; requestId?: string; at?: string } = {},
) =>
  send(more.at ?? url, 'POST', '/api/v1/orders', {
    key: more.key ?? key,
    headers: { 'idempotency-key': idempotencyKey, ...(more.requestId ? { 'x-request-id': more.requestId } : {}) },
    body,
  });
const commandIds = () => new Set(harness.placed.map(({ commandId }) => commandId));
const recordsOf = (idempotencyKey: string) =>
  query<{ command_id: string; status: number | null }>(
    harness.database.url,
    'select * from idempotency_records where key = $1',
    [idempotencyKey],
  );

test('the same key and body get the first answer again, byte for byte, and the work is done once', async () => {
  const first = await place('replay');
  expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined]);
  const second = await place('replay', { email: 'ada@example.com', productSlug: 'course' });
  expect([second.status, second.text, second.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
  expect(harness.placed).toHaveLength(1);
});

test('without a key two equal orders are two orders', async () => {
  for (let i = 0; i < 2; i++) await send(url, 'POST', '/api/v1/orders', { key, body: order });
  expect(commandIds().size).toBe(2);
});

test('a key with another body or another path is refused, and does not run', async () => {
  await place('reused');
  const other = await place('reused', { ...order, email: 'eve@example.com' });
  expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
  const path = await send(url, 'POST', '/api/cron/daily', { key, headers: { 'idempotency-key': 'reused' } });
  expect(path.json.code).toBe('idempotency_key_reused');
  expect(harness.placed).toHaveLength(1);
});

test('keys belong to their account', async () => {
  const other = await createSeller(url);
  const first = await place('shared');
  const second = await place('shared', order, { key: other.key });
  expect(second.headers['idempotent-replayed']).toBeUndefined();
  expect(second.json.orderId).not.toBe(first.json.orderId);
});

test('a key in flight is refused, and then replays', async () => {
  const gate = Promise.withResolvers<void>();
  harness.orders.place = async (input, context) => {
    await gate.promise;
    return await takenOrder(input, context);
  };
  const begunMs = performance.now();
  const first = place('in-flight');
  await harness.untilPlaced(1);
  const meanwhile = await place('in-flight');
  expect([meanwhile.status, meanwhile.json.code]).toEqual([409, 'idempotency_key_in_use']);
  // As long again as the first one has taken, and a second at least.
  const retryAfter = Number(meanwhile.headers['retry-after']);
  expect(retryAfter).toBeGreaterThanOrEqual(1);
  expect(retryAfter).toBeLessThanOrEqual(Math.ceil((performance.now() - begunMs) / 1_000));
  gate.resolve();
  const { text } = await first;
  expect((await place('in-flight')).text).toBe(text);
  expect(harness.placed).toHaveLength(1);
});

test('fifty equal requests at once are one order, at every replica', async () => {
  const other = await harness.start();
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, i) =>
      send(i % 2 === 0 ? url : other.url, 'POST', '/api/v1/orders', {
        key,
        headers: { 'idempotency-key': 'fifty' },
        body: order,
      }),
    ),
  );
  expect(commandIds().size).toBe(1);
  expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  expect(new Set(answers.filter(({ status }) => status === 200).map(({ text }) => text)).size).toBe(1);
});

/** What checkout refuses with, this once. */
function refuseOnce(code: ErrorCode): void {
  harness.orders.place = async () => {
    harness.orders.place = takenOrder;
    throw new DomainError(code, 'No.');
  };
}

test.each([
  ['unknown_product', 422],
  ['product_not_live', 422],
  ['slug_taken', 409],
  ['service_unavailable', 503],
] as const)('after %s the key is free, for the same request and for another one', async (code, status) => {
  refuseOnce(code);
  const refused = await place(`same-${code}`);
  expect([refused.status, refused.headers['idempotent-replayed']]).toEqual([status, undefined]);
  const mended = await place(`same-${code}`);
  expect([mended.status, mended.headers['idempotent-replayed']]).toEqual([200, undefined]);
  refuseOnce(code);
  await place(`other-${code}`);
  const other = { ...order, email: 'eve@example.com' };
  const taken = await place(`other-${code}`, other);
  expect(taken.status).toBe(200);
  expect((await place(`other-${code}`, other)).text).toBe(taken.text);
  expect((await place(`other-${code}`)).json.code).toBe('idempotency_key_reused');
});

test('what comes under a freed key is a new command', async () => {
  const ids: string[] = [];
  harness.orders.place = async (_, { commandId }) => {
    ids.push(commandId);
    throw new DomainError('product_not_live', 'No.');
  };
  await place('freed');
  await place('freed');
  expect(new Set(ids).size).toBe(2);
  expect(await recordsOf('freed')).toEqual([]);
});

test('fifty requests at once under a key that was refused are one order', async () => {
  refuseOnce('product_not_live');
  await place('rush');
  harness.forget();
  await Promise.all(Array.from({ length: 50 }, (_, i) => place('rush', i % 2 ? order : { ...order, name: 'Ada' })));
  expect(harness.placed).toHaveLength(1);
});

test('what was refused before it ran leaves the key free', async () => {
  const refused = [
    await place('free', { productSlug: 'course', email: 'no address' }),
    await send(url, 'POST', '/api/v1/orders', { key, headers: { 'idempotency-key': 'free' }, raw: '{"broken' }),
    await place('free', order, { key: 'fnl_unknown' }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([422, 400, 401]);
  expect(await recordsOf('free')).toEqual([]);
  expect((await place('free')).status).toBe(200);
});

test('a request that failed may be repeated at once and goes on with the same command id', async () => {
  harness.orders.place = async () => {
    throw new Error('a bug');
  };
  expect((await place('failed')).status).toBe(500);
  // Where the first one's outcome is not known, "later" leaves it so: no other request may have the key.
  refuseOnce('service_unavailable');
  expect((await place('failed')).status).toBe(503);
  expect((await place('failed', { ...order, name: 'Eve' })).json.code).toBe('idempotency_key_reused');
  expect((await place('failed')).status).toBe(200);
  expect([harness.placed.length, commandIds().size]).toEqual([3, 1]);
});

/** Orders wait until they are let go. */
function holdOrders(): () => void {
  const gate = Promise.withResolvers<void>();
  harness.orders.place = async (input, context) => {
    await gate.promise;
    return await takenOrder(input, context);
  };
  return gate.resolve;
}

async function isLeaseOwnerAlive(idempotencyKey: string): Promise<boolean> {
  const found = await query(
    harness.database.url,
    `select from idempotency_records where key = $1 and lease_owner in (${liveLeaseOwners})`,
    [idempotencyKey],
  );
  return found.length > 0;
}

test('a request whose process was killed is taken over at once, with the same command id', async () => {
  const port = await freePort();
  const main = join(import.meta.dirname, '../src/main.ts');
  const child = await spawnNode(main, { ...harness.env, PORT: String(port) }, { readyLine: /ready$/ });
  const letGo = holdOrders();
  const lost = place('died', order, { at: `http://127.0.0.1:${port}` }).catch(() => 'no answer');
  await harness.untilPlaced(1);
  // No request takes it from a process that lives, in another process either.
  expect((await place('died')).json.code).toBe('idempotency_key_in_use');
  await child.kill('SIGKILL');
  expect(await lost).toBe('no answer');
  letGo();
  const other = await place('died', { ...order, email: 'eve@example.com' });
  expect(other.json.code).toBe('idempotency_key_reused');
  // Long before its lease ends: as soon as PostgreSQL has ended the dead process's session.
  await pollSystem('the end of the session of a dead process', async () => !(await isLeaseOwnerAlive('died')));
  expect((await place('died')).status).toBe(200);
  expect([harness.placed.length, commandIds().size]).toEqual([2, 1]);
});

test('a dead request that is refused when it is repeated frees the key', async () => {
  const letGo = holdOrders();
  const first = place('dead').catch(() => undefined);
  await harness.untilPlaced(1);
  await query(harness.database.url, `update idempotency_records set lease_until = now() where key = 'dead'`);
  refuseOnce('product_not_live');
  expect((await place('dead')).status).toBe(422);
  const mended = await place('dead', { ...order, name: 'Mended' });
  expect([mended.status, commandIds().size]).toEqual([200, 2]);
  letGo();
  expect((await first)?.json.code).toBe('outcome_unknown');
});

test('a request that outlives its lease is taken over, and only the one that took it over is answered', async () => {
  const letGo = holdOrders();
  const first = place('slow');
  await harness.untilPlaced(1);
  await query(harness.database.url, `update idempotency_records set lease_until = now() where key = 'slow'`);
  const second = place('slow');
  await harness.untilPlaced(2);
  letGo();
  const [{ status, json }, answered] = await Promise.all([first, second]);
  expect([status, json.code, answered.status, commandIds().size]).toEqual([503, 'outcome_unknown', 200, 1]);
  expect((await place('slow')).text).toBe(answered.text);
});

/** Storing the answer under this key fails, so many times. */
async function breakStoring(idempotencyKey: string, times: number): Promise<void> {
  await query(
    harness.database.url,
    `create sequence broken_${times};
     create function break_${times}() returns trigger language plpgsql as $$ begin
       if new.key = '${idempotencyKey}' and nextval('broken_${times}') <= ${times} then raise 'broken'; end if;
       return new;
     end $$;
     create trigger break_${times} before update on idempotency_records
       for each row when (new.status is not null) execute function break_${times}()`,
  );
}

test('an answer that could not be stored at first is given once it is', async () => {
  await breakStoring('stored-late', 2);
  const first = await place('stored-late');
  expect(first.status).toBe(200);
  expect((await place('stored-late')).text).toBe(first.text);
  expect(harness.placed).toHaveLength(1);
});

test('an answer that cannot be stored is not given: the key in it is the one of the repetition', async () => {
  const create = () =>
    send(url, 'POST', '/api/v1/api-keys', {
      ...{ session, headers: { 'idempotency-key': 'unkept' } },
      body: { name: 'unkept' },
    });
  await breakStoring('unkept', 3);
  const first = await create();
  expect([first.status, first.json.code, first.headers['retry-after']]).toEqual([503, 'outcome_unknown', '1']);
  const second = await create();
  const third = await create();
  expect([second.status, third.json.id, third.json.key]).toEqual([200, second.json.id, undefined]);
  expect((await send(url, 'GET', '/api/v1/orders', { key: second.json.key })).status).toBe(200);
  expect(
    await query(harness.database.url, `select id from api_keys where account_id = $1 and name = 'unkept'`, [accountId]),
  ).toHaveLength(1);
});

const makeKey = (idempotencyKey: string, body: object, caller: { key?: string; session?: string } = { session }) =>
  send(url, 'POST', '/api/v1/api-keys', { ...caller, headers: { 'idempotency-key': idempotencyKey }, body });

test('a new key is shown once: repeated, the answer says so, and it is stored nowhere', async () => {
  const first = await makeKey('new-key', { name: 'x' });
  const again = await makeKey('new-key', { name: 'x' });
  const { key: secret, ...resource } = first.json;
  expect(secret).toMatch(/^fnl_/);
  expect(again.json).toEqual({ ...resource, secret_notice: expect.stringContaining('shown once') });
  expect(again.headers['idempotent-replayed']).toBe('true');
  const rotate = () =>
    send(url, 'POST', `/api/v1/api-keys/${first.json.id}/rotate`, {
      session,
      headers: { 'idempotency-key': 'rotate' },
    });
  const [rotated, repeated] = [await rotate(), await rotate()];
  expect(rotated.json.key).toMatch(/^fnl_/);
  expect([repeated.json.id, repeated.json.key]).toEqual([rotated.json.id, undefined]);
  // Its process died between the commit and the answer: no caller has that first key.
  await query(
    harness.database.url,
    `update idempotency_records set status = null, response = null, lease_until = now() where key = 'new-key'`,
  );
  const second = await makeKey('new-key', { name: 'x' });
  expect(second.json).toMatchObject({ id: first.json.id, name: 'x' });
  expect(
    await query(harness.database.url, `select id from api_keys where account_id = $1 and name = 'x'`, [accountId]),
  ).toHaveLength(2);
  expect((await send(url, 'GET', '/api/v1/orders', { key: second.json.key })).status).toBe(200);
});

test('an answer belongs to the credential that got it: another key of the account gets nothing of it', async () => {
  const { session, email, key: full, keyId } = await createSeller(url);
  const writer = (await makeKey('writer', { name: 'w', scopes: ['write'] }, { session })).json.key;
  const rotate = (caller: { key?: string; session?: string }) =>
    send(url, 'POST', `/api/v1/api-keys/${keyId}/rotate`, { ...caller, headers: { 'idempotency-key': 'full' } });
  const made = await rotate({ key: full });
  expect(made.json.scopes).toEqual(['read', 'write', 'money']);
  for (const caller of [{ key: writer }, { session }]) {
    const refused = await rotate(caller);
    expect([refused.status, refused.json.code, refused.text.includes(made.json.key)]).toEqual([
      422,
      'idempotency_key_reused',
      false,
    ]);
  }
  // A user is the same one in another session.
  const first = await makeKey('by-user', { name: 'u' }, { session });
  const login = await send(url, 'POST', '/api/auth/login', { body: { email, password: 'a long password' } });
  const other = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  expect((await makeKey('by-user', { name: 'u' }, { session: other })).json.id).toBe(first.json.id);
});

test('nothing of a password can be tried on what is stored of a request', async () => {
  const body = { email: 'digest@example.com', name: 'D', password: 'a long password' };
  await send(url, 'POST', '/api/auth/signup', { headers: { 'idempotency-key': 'digest' }, body });
  const [record] = await query<{ fingerprint: Buffer }>(
    harness.database.url,
    `select fingerprint from idempotency_records where key = 'digest'`,
  );
  const parts = ['unknown ', 'POST', '/api/auth/signup', {}, body];
  const plain = createHash('sha256').update(JSON.stringify(parts)).digest();
  expect(record?.fingerprint).toHaveLength(32);
  expect(record?.fingerprint.equals(plain)).toBe(false);
});

test.each(['', ' ', 'a b', 'x'.repeat(256), '\u00e9'])('the key %j is refused', async (idempotencyKey) => {
  const refused = await place(idempotencyKey);
  expect([refused.status, refused.json.code]).toEqual([400, 'invalid_idempotency_key']);
  expect(harness.placed).toHaveLength(0);
});

test('the platform key’s daily job has keys of its own', async () => {
  const run = (caller: string) =>
    send(url, 'POST', '/api/cron/daily', { key: caller, headers: { 'idempotency-key': 'day' } });
  harness.forget();
  expect([await run(platformKey), await run(platformKey), await run(key)].map(({ status }) => status)).toEqual([
    200, 200, 200,
  ]);
  expect(harness.requested).toEqual([
    { accountId: null, force: false },
    { accountId, force: false },
  ]);
});

test('a key is the same key for 30 days, and a new one after them', async () => {
  const first = await place('month');
  harness.clock.advance(30 * dayMs - 60_000);
  expect((await place('month')).text).toBe(first.text);
  harness.clock.advance(120_000);
  const other = { ...order, email: 'eve@example.com' };
  const second = await place('month', other);
  expect([second.status, second.headers['idempotent-replayed']]).toEqual([200, undefined]);
  expect([harness.placed.length, commandIds().size]).toEqual([2, 2]);
  expect((await place('month', other)).text).toBe(second.text);
  expect((await place('month')).json.code).toBe('idempotency_key_reused');
});

test('a record is stored for 30 days', async () => {
  const database = await openDatabase(databaseOptions(harness.database.url));
  await place('kept');
  harness.clock.advance(29 * dayMs);
  await deleteExpired(database, retention(harness.clock));
  expect(await recordsOf('kept')).toHaveLength(1);
  harness.clock.advance(2 * dayMs);
  await deleteExpired(database, retention(harness.clock));
  expect(await recordsOf('kept')).toHaveLength(0);
  await database.close();
});
