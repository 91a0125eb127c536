import type { RequestInput } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import {
  getSubscription,
  listSubscriptions,
  pauseSubscription,
  subscriptionStarted,
} from '@app/contracts/subscriptions';
import { openDatabase } from '@app/service-kit/database';
import { expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { startSubscriptions } from '../src/subscriptions/start-subscriptions.ts';
import { nowMs, orderEvent } from './samples.ts';
import { harness, startService } from './set-up.ts';

startService();

const subscription = listSubscriptions.output.shape.data.element.strict();
const newAccount = (): string => newId('account', nowMs);

type Query = RequestInput<typeof listSubscriptions>;

async function list(accountId: string, page: Query = {}) {
  const output = await harness.requester.request(listSubscriptions, page, { accountId, requestId: 'r' });
  return { ...output, data: output.data.map((entry) => subscription.parse(entry)) };
}

const get = async (accountId: string, subscriptionId: string) =>
  getSubscription.output
    .strict()
    .parse(await harness.requester.request(getSubscription, { subscriptionId }, { accountId, requestId: 'r' }));

const listed = async (accountId: string) => (await list(accountId)).data;

test('an order of a subscription product starts a subscription at the product’s price and reports it once', async () => {
  const account = newAccount();
  const order = orderEvent(account, { paymentMethod: 'sim_ok' });
  await harness.deliver(orderPaid, order);
  await harness.deliver(orderPaid, order);
  // The same order under another event id: the inbox knows nothing of it, the order does.
  await harness.deliver(orderPaid, { ...order, id: newId('event', nowMs) });
  await harness.deliver(orderPaid, orderEvent(account, { pricingType: 'onetime', billingInterval: null }));
  await harness.deliver(orderPaid, orderEvent(account, { billingInterval: 'year', priceCents: 9900 }));
  const subscriptions = await listed(account);
  expect(subscriptions).toHaveLength(2);
  const monthly = subscriptions.find(({ order_id }) => order_id === order.data.orderId);
  const yearly = subscriptions.find((one) => one !== monthly);
  expect(monthly).toEqual({
    id: expect.stringMatching(/^sub_/),
    order_id: order.data.orderId,
    product_id: order.data.productId,
    product_name: 'Club',
    customer_email: 'buyer@example.com',
    amount_cents: 1900,
    currency: 'usd',
    billing_interval: 'month',
    status: 'active',
    collection: 'automatic',
    started_at: '2026-01-31T12:00:00.000Z',
    current_period_end: '2026-02-28T12:00:00.000Z',
    canceled_at: null,
    paused_at: null,
    paused_by: null,
    cancel_at: null,
    next_charge_at: '2026-02-28T12:00:00.000Z',
    failed_tries: 0,
    last_four: null,
    wallet: null,
    test: false,
  });
  expect(yearly).toMatchObject({
    collection: 'external',
    amount_cents: 9900,
    current_period_end: '2027-01-31T12:00:00.000Z',
  });
  // The watch may say meanwhile that no daily run has come for what is due.
  const events = (await harness.publishedOf(account)).filter(({ data }) => 'startedAt' in (data as object));
  expect(events.map((event) => subscriptionStarted.data.parse(event.data).subscriptionId)).toEqual([
    monthly?.id,
    yearly?.id,
  ]);
  expect(subscriptionStarted.data.parse(events[0]?.data)).toEqual({
    subscriptionId: monthly?.id,
    orderId: order.data.orderId,
    productId: order.data.productId,
    customerEmail: 'buyer@example.com',
    amountCents: 1900,
    currency: 'usd',
    billingInterval: 'month',
    startedAt: '2026-01-31T12:00:00.000Z',
    test: false,
  });
});

test('one that the checkout sold for nothing renews by itself, without a card; one recorded so is the seller’s', async () => {
  const account = newAccount();
  const free = { priceCents: 0, totalCents: 0, items: [{ kind: 'main' as const, label: 'Club', amountCents: 0 }] };
  await harness.deliver(orderPaid, orderEvent(account, { ...free, source: 'checkout' }));
  await harness.deliver(orderPaid, orderEvent(account, { ...free, source: 'api' }));
  await harness.deliver(orderPaid, orderEvent(account, { source: 'checkout' }));
  const found = (await listed(account)).map(({ amount_cents, collection, next_charge_at }) => [
    ...[amount_cents, collection, next_charge_at],
  ]);
  expect(found.toSorted()).toEqual([
    [0, 'automatic', '2026-02-28T12:00:00.000Z'],
    [0, 'external', null],
    [1_900, 'external', null],
  ]);
});

test('two events of one order in one batch start one subscription and report it once', async () => {
  const account = newAccount();
  const order = orderEvent(account);
  const received = (id: string) => ({
    ...order,
    id,
    occurredAt: order.data.paidAt,
    requestId: null,
    traceparent: undefined,
  });
  const batch = [received(order.id), received(newId('event', nowMs))];
  const database = await openDatabase(databaseOptions(harness.databaseUrl));
  await database.transaction((client) => startSubscriptions(client, batch));
  const { rows } = await database.pool.query(`select from outbox where payload::json ->> 'accountId' = $1`, [account]);
  await database.close();
  expect(rows).toHaveLength(1);
  expect((await list(account)).data).toHaveLength(1);
});

test('the payment method is kept for renewals and leaves the service nowhere', async () => {
  const account = newAccount();
  await harness.deliver(orderPaid, orderEvent(account, { paymentMethod: 'sim_secret_token' }));
  const [started] = await listed(account);
  const published = await harness.publishedOf(account);
  expect(published).toHaveLength(1);
  expect(JSON.stringify([started, await get(account, started?.id ?? ''), published])).not.toContain('sim_secret');
  const database = await openDatabase(databaseOptions(harness.databaseUrl));
  const { rows } = await database.pool.query('select payment_method from subscriptions where id = $1', [started?.id]);
  await database.close();
  expect(rows).toEqual([{ payment_method: 'sim_secret_token' }]);
});

test('a test order starts a subscription that is published and in no list', async () => {
  const account = newAccount();
  await harness.deliver(orderPaid, orderEvent(account, { test: true }));
  await harness.deliver(orderPaid, orderEvent(account));
  const events = await harness.publishedOf(account);
  expect(events.map((event) => subscriptionStarted.data.parse(event.data).test)).toEqual([true, false]);
  expect(await list(account)).toEqual({ data: [expect.objectContaining({ status: 'active' })] });
  const ofTestOrder = subscriptionStarted.data.parse(events[0]?.data).subscriptionId;
  expect((await get(account, ofTestOrder)).id).toBe(ofTestOrder);
});

test('lists are newest first and page back without gap or repetition', async () => {
  const account = newAccount();
  const orders = Array.from({ length: 5 }, () => orderEvent(account));
  for (const order of [...orders].reverse()) await harness.deliver(orderPaid, order);
  const all = await listed(account);
  expect(all.map((entry) => entry.order_id)).toEqual(orders.map((order) => order.data.orderId).reverse());
  const first = await list(account, { limit: 3 });
  const second = await list(account, { limit: 3, before: first.data.at(-1)?.id ?? '' });
  expect([first.has_more, second.has_more]).toEqual([true, false]);
  expect([...first.data, ...second.data]).toEqual(all);
});

test('a page goes on from an entry that has left the filter; not from an id that the account does not have', async () => {
  const account = newAccount();
  for (let n = 0; n < 4; n++) await harness.deliver(orderPaid, orderEvent(account, { paymentMethod: 'sim_ok' }));
  const all = (await listed(account)).map(({ id }) => id);
  const first = await list(account, { status: 'active', limit: 2 });
  const before = first.data[1]?.id as string;
  const context = { accountId: account, requestId: 'r', commandId: newIdSuffix(nowMs) };
  await harness.requester.request(pauseSubscription, { subscriptionId: before }, context);
  const second = await list(account, { status: 'active', limit: 2, before });
  expect(second).toMatchObject({ data: [{ id: all[2] }, { id: all[3] }], has_more: false });
  const unknown = { code: 'validation_failed', errors: [{ field: 'before', code: 'unknown_id' }] };
  await expect(list(newAccount(), { status: 'active', before })).rejects.toMatchObject(unknown);
  const nothing = newId('subscription', nowMs);
  await expect(list(account, { status: 'active', before: nothing })).rejects.toMatchObject(unknown);
});

test('an unknown subscription and another account’s are refused alike', async () => {
  const account = newAccount();
  await harness.deliver(orderPaid, orderEvent(account));
  const [own] = await listed(account);
  await expect(get(newAccount(), own?.id ?? '')).rejects.toMatchObject({ code: 'subscription_not_found' });
  await expect(get(account, newId('subscription', nowMs))).rejects.toMatchObject({ code: 'subscription_not_found' });
  expect(await list(newAccount())).toEqual({ data: [] });
});

test('a batch with an order that cannot be billed starts the other subscriptions', async () => {
  const account = newAccount();
  await Promise.all([
    harness.publish(orderPaid, orderEvent(account, { billingInterval: null })),
    harness.deliver(orderPaid, orderEvent(account)),
  ]);
  expect(await listed(account)).toHaveLength(1);
});
