import { DomainError } from '@app/contracts/errors';
import { openDatabase } from '@app/service-kit/database';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sweep } from '../src/db/housekeeping.ts';
import { databaseOptions } from '../src/db/migrate.ts';
import { createHarness, createSeller, type Harness, platformKey } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let harness: Harness;
let url: string;
let key: string;
let accountId: string;
let takenOrder: Harness['orderDesk']['place'];

beforeAll(async () => {
  harness = await createHarness();
  ({ url } = await harness.start());
  ({ key, accountId } = await createSeller(url));
  takenOrder = harness.orderDesk.place;
});
afterAll(() => harness.close());
beforeEach(() => {
  harness.orderDesk.place = takenOrder;
  harness.placed.length = 0;
});

const order = { productSlug: 'course', email: 'ada@example.com' };
const place = (idempotencyKey: string, body: unknown = order, more: { key?: string; requestId?: string } = {}) =>
  send(url, 'POST', '/api/v1/orders', {
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
  harness.orderDesk.place = async (input, context) => {
    await gate.promise;
    return await takenOrder(input, context);
  };
  const first = place('in-flight');
  await eventually(() => harness.placed.length === 1);
  const meanwhile = await place('in-flight');
  expect([meanwhile.status, meanwhile.json.code, meanwhile.headers['retry-after']]).toEqual([
    409,
    'idempotency_key_in_use',
    '1',
  ]);
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

test('a refusal of the operation is an outcome: it is replayed byte for byte, its first request id included', async () => {
  harness.orderDesk.place = async () => {
    throw new DomainError('unknown_product', 'No product has this slug.', [
      { field: 'productSlug', code: 'product_not_found', message: 'is unknown' },
    ]);
  };
  const first = await place('refused', order, { requestId: 'the-first' });
  expect([first.status, first.json.code, first.json.requestId]).toEqual([422, 'product_not_found', 'the-first']);
  harness.orderDesk.place = takenOrder;
  const second = await place('refused');
  expect([second.status, second.text, second.headers['idempotent-replayed']]).toEqual([422, first.text, 'true']);
  expect(second.headers['content-type']).toBe('application/problem+json');
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
  harness.orderDesk.place = async () => {
    throw new Error('a bug');
  };
  expect((await place('failed')).status).toBe(500);
  harness.orderDesk.place = async () => {
    throw new DomainError('service_unavailable', 'later');
  };
  expect((await place('failed')).status).toBe(503);
  harness.orderDesk.place = takenOrder;
  expect((await place('failed')).status).toBe(200);
  expect([harness.placed.length, commandIds().size]).toEqual([3, 1]);
});

test('a request whose process died is taken over with the same command id, once its lease is over', async () => {
  await place('died');
  const leaseUntil = (at: string) =>
    query(
      harness.database.url,
      `update idempotency_records set status = null, response = null, lease_until = ${at} where key = 'died'`,
    );
  await leaseUntil(`now() + interval '20 seconds'`);
  expect((await place('died')).json.code).toBe('idempotency_key_in_use');
  await leaseUntil(`now() - interval '1 millisecond'`);
  const other = await place('died', { ...order, email: 'eve@example.com' });
  expect(other.json.code).toBe('idempotency_key_reused');
  const answers = await Promise.all(Array.from({ length: 10 }, () => place('died')));
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect([harness.placed.length, commandIds().size]).toEqual([2, 1]);
});

test('an answer that holds a new key is stored unreadably; a repeated creation makes one key', async () => {
  const create = () =>
    send(url, 'POST', '/api/v1/api-keys', { key, headers: { 'idempotency-key': 'new-key' }, body: { name: 'x' } });
  const first = await create();
  expect((await create()).text).toBe(first.text);
  const stored = await query<{ response: Buffer }>(
    harness.database.url,
    `select response from idempotency_records where key = 'new-key'`,
  );
  expect(stored[0]?.response.includes(first.json.key)).toBe(false);
  // Its process died between the commit and the answer: nobody has that first key.
  await query(
    harness.database.url,
    `update idempotency_records set status = null, response = null, lease_until = now() where key = 'new-key'`,
  );
  const second = await create();
  expect(second.json).toMatchObject({ id: first.json.id, name: 'x' });
  expect(
    await query(harness.database.url, `select id from api_keys where account_id = $1 and name = 'x'`, [accountId]),
  ).toHaveLength(1);
  expect((await send(url, 'GET', '/api/v1/orders', { key: second.json.key })).status).toBe(200);
});

test.each(['', ' ', 'a b', 'x'.repeat(256), '\u00e9'])('the key %j is refused', async (idempotencyKey) => {
  const refused = await place(idempotencyKey);
  expect([refused.status, refused.json.code]).toEqual([400, 'invalid_idempotency_key']);
  expect(harness.placed).toHaveLength(0);
});

test('the platform key’s daily job has keys of its own', async () => {
  const run = (caller: string) =>
    send(url, 'POST', '/api/cron/daily', { key: caller, headers: { 'idempotency-key': 'day' } });
  harness.asked.length = 0;
  expect([await run(platformKey), await run(platformKey), await run(key)].map(({ status }) => status)).toEqual([
    200, 200, 200,
  ]);
  expect(harness.asked).toEqual([{ accountId: null }, { accountId }]);
});

test('a record is kept 30 days', async () => {
  const database = await openDatabase(databaseOptions(harness.database.url));
  await place('kept');
  await sweep(database, new Date(Date.now() + 29 * 86_400_000));
  expect(await recordsOf('kept')).toHaveLength(1);
  await sweep(database, new Date(Date.now() + 31 * 86_400_000));
  expect(await recordsOf('kept')).toHaveLength(0);
  await database.close();
});
