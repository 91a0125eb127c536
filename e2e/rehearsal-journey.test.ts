import { dayMs } from '@app/contracts/durations';
import { orderPaid } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Seller, signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';
import { changeSettings, handled } from './support/waits.ts';

/** Guarantee: a seller sees a year of renewals, declines, retries and cancellations reach the webhook URL, and nothing else moves. */
let receiver: Receiver;
let seller: Seller;

beforeAll(async () => {
  receiver = await startReceiver();
  seller = await signUp((await sharedPlatform()).baseUrl);
});

afterAll(() => receiver?.close());

async function ok(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
  const answer = await seller.call(method, path, { headers, ...(body && { body }) });
  expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
  return answer.json;
}

const club = {
  name: 'Club',
  slug: 'club',
  priceCents: 1_900,
  currency: 'usd',
  pricingType: 'subscription',
  billingInterval: 'month',
  status: 'live',
};

/** Everything that is not a rehearsal. */
async function liveThings(productId: string) {
  const paths = ['/api/v1/orders', '/api/v1/subscriptions', '/api/v1/payments', `/api/metrics/${productId}`];
  return await Promise.all(paths.map((path) => ok('GET', path)));
}

test('a year of a rehearsal reaches the webhook URL, while live lists and metrics do not move', async () => {
  const { id: productId } = await ok('POST', '/api/v1/products', club);
  await ok('PUT', '/api/v1/webhook-endpoint', { url: `${receiver.url}/hook` });
  await changeSettings(seller, { cancellationNotices: true }, 'billing');
  const order = (email: string, paymentMethod: string, test: boolean) =>
    ok('POST', '/api/v1/orders', { productSlug: 'club', email, paymentMethod, test });
  const orders = [
    await order('live@example.com', 'sim_ok', false),
    await order('ok@example.com', 'sim_ok', true),
    await order('declined@example.com', 'sim_renewal_declined', true),
  ];
  const rehearsed = async () => (await ok('GET', '/api/v1/subscriptions?test=true')).data;
  const read = (id: string) => ok('GET', `/api/v1/subscriptions/${id}`);
  for (const { orderId } of orders) {
    await handled('billing', orderPaid, (data) => data.orderId === orderId);
    // The order and its subscription reach the metrics on streams of their own.
    await handled('metrics', orderPaid, (data) => data.orderId === orderId);
    await handled('metrics', subscriptionStarted, (data) => data.orderId === orderId);
  }
  expect(await rehearsed()).toHaveLength(2);
  await receiver.received(3);
  expect(receiver.requests).toHaveLength(3);
  const before = await liveThings(productId);
  const [, subscriptions, , metrics] = before;
  expect(subscriptions.data).toHaveLength(1);
  expect(metrics.summary).toMatchObject({ orders: 1, activeSubscriptions: 1 });

  const key = { 'idempotency-key': 'half-a-year' };
  const half = await ok('POST', '/api/v1/rehearsal/advance', { days: 190 }, key);
  expect(half).toMatchObject({ ok: true, days: 190, rebills: { charged: 6, retried: 3, canceled: 1 } });
  expect(await ok('POST', '/api/v1/rehearsal/advance', { days: 190 }, key)).toEqual(half);
  const paying = (await rehearsed()).find(({ status }: { status: string }) => status === 'active');
  await ok('POST', `/api/v1/subscriptions/${paying.id}/cancel`);
  expect(await ok('POST', '/api/v1/rehearsal/advance', { days: 176 })).toMatchObject({
    rebills: { charged: 0, retried: 0, canceled: 0 },
  });
  expect(await ok('GET', '/api/v1/rehearsal')).toMatchObject({ days_ahead: 366 });

  const rehearsedEvents = () => receiver.requests.filter(({ headers }) => headers['x-service-test'] === '1');
  const count = (name: string) => rehearsedEvents().filter(({ headers }) => headers['x-service-event'] === name).length;
  await receiver.received(14, ({ headers }) => headers['x-service-test'] === '1');
  expect(count('subscription.canceled')).toBe(2);
  expect(count('subscription.rebilled')).toBe(6);
  expect(count('subscription.payment_failed')).toBe(4);
  expect(count('order.paid')).toBe(2);
  expect(rehearsedEvents()).toHaveLength(14);
  const failed = rehearsedEvents().filter(
    ({ headers }) => headers['x-service-event'] === 'subscription.payment_failed',
  );
  const bodies = failed.map(({ body }) => JSON.parse(body));
  expect(bodies.map(({ attempt, nextTryDays }) => [attempt, nextTryDays]).toSorted()).toEqual([
    [1, 3],
    [2, 3],
    [3, 3],
    [4, 0],
  ]);
  const sent = rehearsedEvents().map(({ body }) => JSON.parse(body));
  // Each is of its day of the rehearsal, though all came within seconds.
  for (const { sentAt, periodStart } of sent.filter(({ event }) => event === 'subscription.rebilled'))
    expect(Math.abs(Date.parse(sentAt) - Date.parse(periodStart))).toBeLessThan(2 * dayMs);
  const ends = sent.filter(({ event }) => event === 'subscription.canceled').map(({ sentAt }) => Date.parse(sentAt));
  const lastFailedMs = Math.max(...bodies.map(({ sentAt }) => Date.parse(sentAt)));
  expect(Math.min(...ends)).toBe(lastFailedMs + 1);
  expect(Math.max(...ends)).toBe(Date.parse((await read(paying.id)).canceled_at));
  for (const { created_at, finished_at } of (await read(paying.id)).payments)
    expect(Date.parse(finished_at)).toBeGreaterThanOrEqual(Date.parse(created_at));
  expect((await rehearsed()).map(({ status }: { status: string }) => status)).toEqual(['canceled', 'canceled']);
  // The one live event is the live order's.
  expect(receiver.requests).toHaveLength(15);
  expect(await liveThings(productId)).toEqual(before);
});
