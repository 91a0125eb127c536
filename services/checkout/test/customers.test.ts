import { type CustomersQuery, getCustomer, listCustomers } from '@app/contracts/customers';
import { newId } from '@app/contracts/ids';
import { createOrder } from '@app/contracts/orders';
import { plannedScans } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { customerIdOf } from '../src/customers/customer-id.ts';
import { withUpsell } from './checkout-harness.ts';
import { account, context, course, orderBody } from './harness.ts';
import { countStatements } from './named-statements.ts';
import { harness, startService } from './set-up.ts';

/** Guarantee: who bought is a customer, once for each mailbox, from the order that says so. */
startService();

const of = (accountId = 'acc_1') => ({ accountId, requestId: 'req-1' });
const list = (query: CustomersQuery = {}, accountId?: string) =>
  harness.base.requester.request(listCustomers, query, of(accountId));
const read = (customerId: string, accountId?: string) =>
  harness.base.requester.request(getCustomer, { customerId }, of(accountId));
const names = async (query?: CustomersQuery) => (await list(query)).data.map(({ name }) => name);

/** An order of the seller's own code. */
async function records(email: string, name = '', { accountId = 'acc_1', test: isTest = false } = {}): Promise<string> {
  harness.base.products.set(`${accountId}/course`, course);
  const body = orderBody({ email, name, test: isTest });
  return (await harness.base.requester.request(createOrder, { body, account }, context(accountId))).orderId;
}

test('two spellings of one mailbox are one customer, with what was paid for orders and renewals less what went back', async () => {
  const first = await records('Özlem@example.com', 'Özlem Kaya');
  const second = await records('ÖZLEM@Example.com');
  await harness.query(`update orders set refunded_cents = 900, given_back_cents = 1400 where id = '${first}'`);
  await harness.query(`update orders set currency = 'eur' where id = '${second}'`);
  harness.billing.buyerTotals = {
    renewals: [{ emailKey: 'özlem@example.com', currency: 'usd', amountCents: 2_500 }],
    active: [{ emailKey: 'özlem@example.com', subscriptions: 2 }],
  };
  const customer = {
    id: expect.stringMatching(/^cus_[0-7][0-9a-hjkmnp-tv-z]{25}$/),
    email: 'ÖZLEM@example.com',
    name: 'Özlem Kaya',
    orders: 2,
    spent: [
      { currency: 'usd', amount_cents: 9_900 - 1_400 + 2_500 },
      { currency: 'eur', amount_cents: 9_900 },
    ],
    active_subscriptions: 2,
    first_purchase_at: expect.any(String),
    last_purchase_at: expect.any(String),
  };
  const { data } = await list();
  expect(data).toEqual([customer]);
  expect(data[0]?.id).toBe(customerIdOf('acc_1', 'özlem@EXAMPLE.com'));
  expect(Date.parse(data[0]?.first_purchase_at ?? '')).toBeLessThanOrEqual(Date.parse(data[0]?.last_purchase_at ?? ''));
  expect(await read(data[0]?.id as string)).toEqual(data[0]);
});

test('an order that went back whole counts and has brought nothing, and a card that is held has not yet', async () => {
  harness.shop.set('acc_1/course', withUpsell);
  const held = await harness.pay(await harness.open({ email: 'held@example.com', name: 'Held' }), 'ok');
  const back = await records('back@example.com', 'Back');
  await harness.query(`update orders set status = 'refunded' where id = '${back}'`);
  const spent = Object.fromEntries((await list()).data.map(({ name, orders, spent: sums }) => [name, [orders, sums]]));
  const none = [{ currency: 'usd', amount_cents: 0 }];
  expect(spent).toEqual({ Held: [1, none], Back: [1, none] });
  await harness.release(held.orderId as string);
  expect(await names()).toEqual(['Back']);
  const id = customerIdOf('acc_1', 'held@example.com');
  await expect(read(id)).rejects.toMatchObject({
    code: 'customer_not_found',
    message: `No customer has the id "${id}".`,
  });
  await records('held@example.com', 'Held');
  expect(await read(id)).toMatchObject({ orders: 1 });
});

test('rehearsals make no customer, and another account’s customer is as unknown as one that never was', async () => {
  await records('ada@example.com', 'Ada', { test: true });
  await records('eve@example.com', 'Eve', { accountId: 'acc_2' });
  expect(await list()).toEqual({ data: [] });
  const never = customerIdOf('acc_1', 'eve@example.com');
  const foreign = customerIdOf('acc_2', 'eve@example.com');
  expect(never).not.toBe(foreign);
  for (const id of [never, foreign, customerIdOf('acc_1', 'ada@example.com')]) {
    await expect(read(id)).rejects.toMatchObject({ code: 'customer_not_found' });
    await expect(list({ before: id })).rejects.toMatchObject({ errors: [{ field: 'before', code: 'unknown_id' }] });
    expect(await list({ q: id })).toEqual({ data: [] });
  }
  expect((await list({}, 'acc_2')).data).toMatchObject([{ id: foreign, name: 'Eve' }]);
});

test('the list pages back from the latest first purchase, and what comes meanwhile moves nothing', async () => {
  for (const name of ['Ada', 'Bo', 'Cy', 'Di']) await records(`${name}@example.com`, name);
  await records('ada@example.com', 'Ada again');
  const first = await list({ limit: 2 });
  expect(first).toMatchObject({ data: [{ name: 'Di' }, { name: 'Cy' }], has_more: true });
  await records('eli@example.com', 'Eli');
  const rest = await list({ limit: 2, before: first.data[1]?.id as string });
  expect(rest).toMatchObject({ data: [{ name: 'Bo' }, { name: 'Ada again', orders: 2 }], has_more: false });
  expect(await names()).toEqual(['Eli', 'Di', 'Cy', 'Bo', 'Ada again']);
});

test('a search finds by the whole address in any spelling, by the id, and by how a name on an order began', async () => {
  await records('ada@example.com', 'Élodie');
  await records('ada@example.com', 'Ada');
  await records('bo@example.com', 'Bo');
  expect(await names({ q: 'ADA@example.com' })).toEqual(['Ada']);
  expect(await names({ q: 'ada@example.co' })).toEqual([]);
  expect(await names({ q: 'éL' })).toEqual(['Ada']);
  expect(await names({ q: 'b%' })).toEqual([]);
  expect(await names({ q: customerIdOf('acc_1', 'bo@example.com').toUpperCase() })).toEqual(['Bo']);
});

test('checkouts of one buyer that end at once make one customer', async () => {
  const opened = await Promise.all(Array.from({ length: 6 }, () => harness.open({ email: 'ada@example.com' })));
  await Promise.all(
    opened.map((each, n) => harness.pay(each, 'ok', { from: [`browser-${n}`], body: { confirmRepeat: true } })),
  );
  const orders = Array.from({ length: 6 }, (_, n) => records(n % 2 === 0 ? 'ada@example.com' : 'bo@example.com'));
  await Promise.all(orders);
  expect((await list()).data.map(({ orders: count }) => count).toSorted()).toEqual([3, 9]);
});

test('an order of the release before is its buyer’s once a service has started, the oldest first', async () => {
  const old = await records('ada@example.com', 'Ada');
  await records('bo@example.com', 'Bo');
  await harness.query('update orders set email_key = null');
  await harness.query('delete from customers');
  await harness.base.start();
  expect(await names()).toEqual(['Bo', 'Ada']);
  const kept = `select min(first_order_id) as first_order_id from customers where id = '${customerIdOf('acc_1', 'ada@example.com')}'`;
  expect(await harness.query(kept)).toEqual([{ first_order_id: old }]);
});

test('each page is found along an index, among the customers of many accounts', async () => {
  await harness.query(`
    insert into customers values ('${customerIdOf('acc_1', 'first')}', 'acc_1', 'first', 'ord_9');
    insert into customers select 'cus_' || n, 'acc_' || n % 40, 'b' || n || '@x.io', 'ord_' || n from generate_series(1, 4000) as n;
    insert into orders (id, account_id, product_id, customer_email, email_key, customer_name, total_cents, currency, status, source, test, items, created_at)
    select 'ord_' || n, 'acc_' || n % 40, 'prd_1', 'b' || n || '@x.io', 'b' || n || '@x.io', 'B' || n, 0, 'usd', 'paid', 'api', false, '[]', now()
    from generate_series(1, 4000) as n;
    analyze customers; analyze orders`);
  const texts = new Map<string, string>();
  await countStatements(harness.base.database.url, texts);
  const indexesOf = async (query: CustomersQuery) => {
    texts.clear();
    await list(query);
    const used: [string, (string | undefined | false)[]][] = [];
    for (const [name, text] of [...texts].filter(([each]) => each.startsWith('customers-')))
      used.push([
        name,
        (await plannedScans(harness.base.database.url, text)).map((scan) => !!scan.lookUp && scan.index),
      ]);
    return Object.fromEntries(used);
  };
  expect(await indexesOf({ limit: 20 })).toEqual({
    'customers-page': ['customers_listed', 'customers_pkey', 'orders_of_email_key'],
    'customers-totals': ['orders_of_email_key'],
  });
  expect(await indexesOf({ q: 'B1', before: customerIdOf('acc_1', 'first') })).toEqual({
    'customers-position': ['customers_pkey'],
    'customers-named': ['orders_of_name'],
    'customers-page-among': ['customers_pkey', 'customers_pkey', 'orders_of_email_key'],
  });
});

test('an id says nothing of the address, and is another one at another seller', () => {
  const [one, other] = [newId('account', Date.now()), newId('account', Date.now())];
  expect(customerIdOf(one, 'Ada@example.com')).toBe(customerIdOf(one, ' ada@EXAMPLE.com'));
  expect(customerIdOf(one, 'ada@example.com')).not.toBe(customerIdOf(other, 'ada@example.com'));
});
