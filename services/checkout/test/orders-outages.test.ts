import { createOrder } from '@app/contracts/orders';
import { guardLeaks } from '@app/testing/leak-guard';
import { query as queryDatabase } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
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
const query = (sql: string) => queryDatabase(harness.database.url, sql);

test('without the affiliate service orders with an affiliate code wait, and no others', async () => {
  await Promise.all([create(), create(), create()]);
  expect(harness.creditRequests()).toBe(0);
  await harness.stopAffiliate();
  const outcomes = await Promise.allSettled([create(), create({ affiliateCode: 'leaf' }), create()]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'service_unavailable' } });
  expect(await query('select 1 from orders where affiliate_code is not null')).toEqual([]);
});

test('without the catalog an order is refused at once and not recorded', async () => {
  await harness.stopCatalog();
  await expect(create()).rejects.toMatchObject({ code: 'service_unavailable' });
  expect(await query('select 1 from orders')).toEqual([]);
});
