import { createOrder } from '@app/contracts/orders';
import { connectNats } from '@app/messaging/connect';
import { createRequester } from '@app/messaging/requester';
import { openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { query as queryDatabase } from '@app/testing/sql';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { createOrderBatcher } from '../src/orders/order-batcher.ts';
import { account, context, course, createHarness, type Harness, orderBody } from './harness.ts';

guardLeaks();

let harness: Harness;

beforeEach(async () => {
  harness = await createHarness();
  harness.products.set('acc_1/course', course);
  await harness.start();
});

afterEach(() => harness.close());

const create = (change: Parameters<typeof orderBody>[0] = {}) =>
  harness.requester.request(createOrder, { body: orderBody(change), account }, context());
const query = <Row extends object>(sql: string) => queryDatabase<Row>(harness.database.url, sql);

test('without the affiliate service orders with an affiliate code are recorded, and their credit is left open', async () => {
  await Promise.all([create(), create(), create()]);
  expect(harness.creditRequests()).toBe(0);
  await harness.stopAffiliate();
  await Promise.all([create(), create({ affiliateCode: 'leaf' }), create()]);
  const named = await query<{ data: object }>(
    `select payload::json -> 'data' as data from outbox where payload::json -> 'data' ->> 'affiliateCode' = 'leaf'`,
  );
  expect(named).toMatchObject([{ data: { affiliateCode: 'leaf', creditedCode: null, creditPending: true } }]);
});

test('without the catalog an order is refused at once and not recorded', async () => {
  await harness.stopCatalog();
  await expect(create()).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await query('select 1 from orders')).toEqual([]);
});

test('an order whose caller gave up while the catalog did not answer is not recorded; repeated it is', async () => {
  const link = await connectNats(harness.nats.login('checkout'));
  const database = await openDatabase(databaseOptions(harness.database.url));
  const deps = { database, requester: createRequester(link), wakeRelay: () => undefined };
  const replica = createOrderBatcher(deps);
  const add = () => {
    const of = { ...ctx, deadlineMs: Date.now() + 10_000, traceparent: undefined };
    return replica.add({ body: orderBody(), account, context: of });
  };
  const ctx = context();
  const answer = harness.stallCatalog();
  const given = add();
  given.catch(() => undefined);
  await harness.catalogRequests(1);
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 11_000 });
  onTestFinished(() => void vi.useRealTimers());
  answer();
  await expect(given).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await query('select 1 from orders')).toEqual([]);
  expect(await add()).toMatchObject({ ok: true });
  await replica.close();
  await database.close();
  await link.close();
});
