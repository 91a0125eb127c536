import { createHmac } from 'node:crypto';
import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import { listOf } from '@app/contracts/common';
import { funnelEmailSynced } from '@app/contracts/funnels';
import { metricsResource } from '@app/contracts/metrics';
import { orderPaid, orderResource } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { orderPaidPayload } from '@app/contracts/webhook-payloads';
import { nothingDone } from '@app/testing/daily-result';
import { type ReceivedRequest, type Receiver, startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { platformKey } from './support/cluster.ts';
import { addProduct, call, signUp } from './support/seller.ts';
import { platform, seller, signUpSeller } from './support/set-up.ts';
import { attempted, handled } from './support/waits.ts';

/** Guarantee: an order that goes in over HTTP comes out as a signed webhook, a line in the list and a number in the metrics. */
signUpSeller();

let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
});

afterAll(() => receiver?.close());

const isAbout =
  (orderId: string) =>
  ({ body }: ReceivedRequest): boolean =>
    body.includes(orderId);

const signature = (secret: string, id: string, timestamp: string, body: string): string => {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
};

test('an order goes through all services', async () => {
  const { productId, slug, bumpId } = await addProduct(seller);
  const endpoint = await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: `${receiver.url}/hook` } });
  expect(endpoint.json.secret).toMatch(/^whsec_/);

  const body = {
    productSlug: slug,
    email: 'Ada@EXAMPLE.com',
    name: 'Ada Lovelace',
    bumpIds: [bumpId],
    country: 'GB',
    utm_source: 'letter',
    affiliateCode: 'unknown',
  };
  const placed = await seller.call('POST', '/api/v1/orders', { body });
  expect(placed).toMatchObject({ status: 200, json: { ok: true, totalCents: 11_800 } });

  const listed = listOf(orderResource).parse((await seller.call('GET', '/api/v1/orders')).json);
  expect(listed.data).toMatchObject([
    { id: placed.json.orderId, customer_email: 'Ada@example.com', utm_source: 'letter', status: 'paid' },
  ]);

  const { orderId } = placed.json;
  const [delivered] = (await receiver.received(1)) as [ReceivedRequest];
  expect(delivered.headers['x-service-event']).toBe('order.paid');
  const {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signed,
  } = delivered.headers as Record<string, string>;
  expect(signed).toBe(signature(endpoint.json.secret, id as string, timestamp as string, delivered.body));
  expect(orderPaidPayload.parse(JSON.parse(delivered.body))).toMatchObject({
    orderId: placed.json.orderId,
    product: 'Course',
    firstName: 'Ada',
    country: 'United Kingdom',
    countryCode: 'GB',
    totalCents: 11_800,
    total: '$118.00',
    affiliate: '',
    accessUrl: 'https://example.com/a',
  });

  await handled('metrics', orderPaid, (data) => data.orderId === orderId);
  const metrics = metricsResource.parse((await seller.call('GET', `/api/metrics/${productId}`)).json);
  expect(metrics.summary).toMatchObject({
    orders: 1,
    revenueCents: 11_800,
    aovCents: 11_800,
    bumpTakeRate: 1,
    customers: 1,
  });

  await attempted(seller.accountId, 1);
  await handled('webhook-dispatcher', affiliateCodeUnmatched, (data) => data.orderId === orderId);
  const activity = (await seller.call('GET', '/api/v1/activity')).json.data;
  expect(activity.map((entry: { kind: string }) => entry.kind).sort()).toEqual(['notice', 'webhook_attempt']);
  expect(activity.find((entry: { kind: string }) => entry.kind === 'webhook_attempt')).toMatchObject({
    event: 'order.paid',
    status: 'delivered',
    status_code: 200,
  });
});

test('order.paid names the affiliate who is credited, as the affiliate’s code is written; the order keeps what was typed', async () => {
  const { slug } = await addProduct(seller, 'credited');
  await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: `${receiver.url}/credited` } });
  const affiliate = { code: 'Leaf-1', name: 'Lea', email: 'lea@example.com', commissionPercent: 10 };
  expect(await seller.call('POST', '/api/v1/affiliates', { body: affiliate })).toMatchObject({ status: 200 });
  const place = async (email: string, affiliateCode: string) => {
    const { json } = await seller.call('POST', '/api/v1/orders', { body: { productSlug: slug, email, affiliateCode } });
    const [sent] = await receiver.received(1, isAbout(json.orderId));
    const { affiliate } = JSON.parse(sent?.body ?? '');
    const order = await seller.call('GET', `/api/v1/orders/${json.orderId}`);
    return [affiliate, order.json.affiliate_code, json.orderId];
  };
  const credited = await place('buyer@example.com', 'LEAF-1');
  expect(credited.slice(0, 2)).toEqual(['Leaf-1', 'LEAF-1']);
  const own = await place('LEA@example.com', 'leaf-1');
  expect(own.slice(0, 2)).toEqual(['', 'leaf-1']);
  for (const order of [credited, own]) await handled('affiliate', orderPaid, ({ orderId }) => orderId === order[2]);
  const commissions = (await seller.call('GET', '/api/v1/affiliates/leaf-1/commissions')).json.data;
  expect(commissions).toMatchObject([{ order_id: credited[2], amount_cents: 990 }]);
});

test('an order sees a catalog change that was acknowledged before it', async () => {
  const { productId, slug } = await addProduct(seller, 'changing');
  for (let priceCents = 100; priceCents < 120; priceCents++) {
    await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { priceCents } });
    const placed = await seller.call('POST', '/api/v1/orders', { body: { productSlug: slug, email: 'a@example.com' } });
    expect(placed.json.totalCents).toBe(priceCents);
  }
  await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { status: 'archived' } });
  const refused = await seller.call('POST', '/api/v1/orders', { body: { productSlug: slug, email: 'a@example.com' } });
  expect(refused).toMatchObject({
    status: 422,
    json: { code: 'product_not_live', errors: [{ field: 'productSlug' }] },
  });
});

test('a subscription product’s order becomes a subscription and a monthly number', async () => {
  const product = await seller.call('POST', '/api/v1/products', {
    body: {
      name: 'Club',
      slug: 'club',
      priceCents: 12_000,
      currency: 'usd',
      pricingType: 'subscription',
      billingInterval: 'year',
      status: 'live',
    },
  });
  const placed = await seller.call('POST', '/api/v1/orders', { body: { productSlug: 'club', email: 'a@example.com' } });
  expect(placed.status).toBe(200);
  await handled('metrics', subscriptionStarted, ({ orderId }) => orderId === placed.json.orderId);
  const { json: metrics } = await seller.call('GET', `/api/metrics/${product.json.id}`);
  expect(metrics).toMatchObject({
    summary: { activeSubscriptions: 1, mrrCents: 1_000 },
    mrrByMonth: [{ value: 1_000 }],
  });
});

test('fifty equal requests with one Idempotency-Key are one order, one event, one delivery', async () => {
  const { slug } = await addProduct(seller, 'once-only');
  const options = { body: { productSlug: slug, email: 'once@example.com' }, headers: { 'idempotency-key': 'order-1' } };
  const answers = await Promise.all(Array.from({ length: 50 }, () => seller.call('POST', '/api/v1/orders', options)));
  expect(answers.filter((answer) => ![200, 409].includes(answer.status))).toEqual([]);
  const bodies = new Set(answers.filter((answer) => answer.status === 200).map((answer) => answer.text));
  expect(bodies.size).toBe(1);
  const again = await seller.call('POST', '/api/v1/orders', options);
  expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([[...bodies][0], 'true']);
  const { orderId } = again.json;
  await receiver.received(1, isAbout(orderId));
  expect(receiver.requests.filter(isAbout(orderId))).toHaveLength(1);
  const { json } = await seller.call('GET', '/api/v1/orders');
  expect(
    json.data.filter((order: { customer_email: string }) => order.customer_email === 'once@example.com'),
  ).toHaveLength(1);
});

test('the daily job answers in the published shape for a seller’s key and for the platform key, which opens nothing else', async () => {
  expect((await seller.call('POST', '/api/cron/daily')).json).toEqual(nothingDone);
  const headers = { authorization: `Bearer ${platformKey}` };
  expect((await call(platform.baseUrl, 'POST', '/api/cron/daily', { headers })).json).toEqual(nothingDone);
  expect((await call(platform.baseUrl, 'GET', '/api/v1/orders', { headers })).status).toBe(403);
});

test('an email push counts what has somewhere to go: nothing is connected, it is off, it is on, it takes other events', async () => {
  const other = await signUp(platform.baseUrl);
  const { productId } = await addProduct(other);
  for (const position of [1, 2]) {
    const body = { position, sendDay: 0, subject: 'Hello', body: '<p>Hello</p>' };
    expect((await other.call('POST', `/api/v1/products/${productId}/emails`, { body })).status).toBe(200);
  }
  const push = async () => (await other.call('POST', `/api/v1/products/${productId}/emails/push`)).json;
  const connect = (change: object) =>
    other.call('PUT', '/api/v1/webhook-endpoint', { body: { url: `${receiver.url}/push`, ...change } });
  expect(await push()).toEqual({ ok: true, sent: 0 });
  // What is stored after the URL was connected is on its way there.
  const deliveries = async () => (await other.call('GET', '/api/v1/webhook-deliveries')).json.data;
  for (const position of [1, 2])
    await handled(
      'webhook-dispatcher',
      funnelEmailSynced,
      (data) => data.productId === productId && data.position === position,
    );
  expect(await deliveries()).toMatchObject([{ status: 'filtered' }, { status: 'filtered' }]);
  await connect({ active: false });
  expect(await push()).toEqual({ ok: true, sent: 2 });
  await connect({ active: true });
  expect(await push()).toEqual({ ok: true, sent: 2 });
  // Those of the second push were held, and switching on sends what is held; those of the first went nowhere, as it said.
  const toPush = ({ path }: ReceivedRequest): boolean => path === '/push';
  await receiver.received(4, toPush);
  expect(receiver.requests.filter(toPush)).toHaveLength(4);
  await connect({ events: ['order.paid'] });
  expect(await push()).toEqual({ ok: true, sent: 0 });
});
