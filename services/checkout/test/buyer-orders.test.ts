import { createOrder } from '@app/contracts/orders';
import { findBuyer, getBuyerOrder, listBuyerOrders } from '@app/contracts/portal';
import { guardLeaks } from '@app/testing/leak-guard';
import { query as queryDatabase } from '@app/testing/sql';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { account, context, course, createHarness, type Harness, orderBody } from './harness.ts';

guardLeaks();

let harness: Harness;

beforeAll(async () => {
  harness = await createHarness();
  await harness.start();
});
beforeEach(() => {
  for (const accountId of ['acc_1', 'acc_2']) harness.products.set(`${accountId}/course`, course);
});
afterEach(() => harness.reset());
afterAll(() => harness.close());

const query = <Row extends object>(sql: string, values: unknown[] = []) =>
  queryDatabase<Row>(harness.database.url, sql, values);

async function buys(email: string, { accountId = 'acc_1', test = false } = {}): Promise<string> {
  const ctx = { ...context(), accountId };
  const body = orderBody({ email, test });
  return (await harness.requester.request(createOrder, { body, account }, ctx)).orderId;
}
const of = (accountId = 'acc_1') => ({ accountId, requestId: 'req-1' });
const list = (email: string, page: { limit?: number; before?: string; test?: boolean } = {}, accountId?: string) =>
  harness.requester.request(listBuyerOrders, { email, test: false, ...page }, of(accountId));
const read = (email: string, orderId: string, test = false, accountId?: string) =>
  harness.requester.request(getBuyerOrder, { email, orderId, test }, of(accountId));

test('a buyer’s orders are those of the whole address, in any case, at this seller; rehearsals where they are wanted', async () => {
  const first = await buys('Ada@Example.com');
  const rehearsed = await buys('ada@example.com', { test: true });
  const second = await buys('ADA@example.com');
  await buys('ada@example.com.au');
  await buys('xada@example.com');
  await buys('ada@example.com', { accountId: 'acc_2' });
  const expired = await buys('ada@example.com');
  await query(`update orders set status = 'expired' where id = $1`, [expired]);
  const ids = async (page = {}) => (await list('aDa@example.com', page)).data.map(({ id }) => id);
  expect(await ids()).toEqual([second, first]);
  expect(await ids({ test: true })).toEqual([second, rehearsed, first]);
  expect(await list('ada@example.com', { limit: 1 })).toMatchObject({ data: [{ id: second }], has_more: true });
  expect(await list('ada@example.com', { before: second })).toEqual({
    data: [
      {
        id: first,
        product_name: 'Course',
        total_cents: 9_900,
        refunded_cents: 0,
        currency: 'usd',
        status: 'paid',
        created_at: expect.any(String),
        test: false,
      },
    ],
    has_more: false,
  });
});

test('another buyer’s order, another account’s, a lost one and a rehearsal are as unknown as an id that never was', async () => {
  const others = await buys('bob@example.com');
  const foreign = await buys('ada@example.com', { accountId: 'acc_2' });
  const rehearsed = await buys('ada@example.com', { test: true });
  const never = `${others.slice(0, -4)}zzzz`;
  for (const id of [others, foreign, rehearsed, never]) {
    await expect(read('ada@example.com', id)).rejects.toMatchObject({
      code: 'order_not_found',
      message: `No order has the id "${id}".`,
    });
    await expect(list('ada@example.com', { before: id })).rejects.toMatchObject({
      errors: [{ field: 'before', code: 'unknown_id' }],
    });
  }
  expect(await read('ada@example.com', rehearsed, true)).toMatchObject({ id: rehearsed, test: true });
  expect(await read('ADA@example.com', foreign, false, 'acc_2')).toMatchObject({ id: foreign });
});

test('an order shows what went back of it and of its renewals, without refunds that failed', async () => {
  const id = await buys('ada@example.com');
  const refund = (refundId: string, cents: number, subscription: string | null, failed: boolean) =>
    query(
      `insert into payment_refunds (account_id, order_id, refund_id, payment_id, amount_cents, subscription_id, failed, refunded_at)
       values ('acc_1', $1, $2, 'pmt_' || $2, $3::int, $4, $5, '2026-11-01T10:00:00Z'::timestamptz + $3::int * interval '1 minute')`,
      [id, refundId, cents, subscription, failed],
    );
  await refund('late', 20, null, false);
  await refund('early', 10, null, false);
  await refund('failed', 15, null, true);
  await refund('renewal', 30, 'sub_1', false);
  expect(await read('ada@example.com', id)).toMatchObject({
    customer_email: 'ada@example.com',
    items: [{ kind: 'main', label: 'Course', amount_cents: 9_900 }],
    refunds: [
      { payment_id: 'pmt_early', renewal: false, amount_cents: 10, refunded_at: '2026-11-01T10:10:00.000Z' },
      { payment_id: 'pmt_late', renewal: false, amount_cents: 20, refunded_at: '2026-11-01T10:20:00.000Z' },
      { payment_id: 'pmt_renewal', renewal: true, amount_cents: 30, refunded_at: '2026-11-01T10:30:00.000Z' },
    ],
  });
});

test('an address is known by its orders, those of rehearsals apart', async () => {
  await buys('ada@example.com');
  await buys('bob@example.com', { test: true });
  await buys('eve@example.com', { accountId: 'acc_2' });
  const find = (email: string) => harness.requester.request(findBuyer, { email }, of());
  expect(await find('ADA@example.com')).toEqual({ bought: true, rehearsed: false });
  expect(await find('bob@example.com')).toEqual({ bought: false, rehearsed: true });
  expect(await find('eve@example.com')).toEqual({ bought: false, rehearsed: false });
});
