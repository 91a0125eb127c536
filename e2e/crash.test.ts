import { orderPaid } from '@app/contracts/orders';
import { type ServiceName, serviceNames } from '@app/contracts/services';
import { leadingBegan } from '@app/messaging/points';
import { volume } from '@app/testing/long';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cluster, receiver, seller, shortLeases, startOwnCluster } from './support/own-cluster.ts';
import { type OwnPostgres, startOwnPostgres } from './support/own-postgres.ts';
import { postOrders } from './support/pouring-orders.ts';
import { addProduct } from './support/seller.ts';
import { handledAll, receivedAll } from './support/waits.ts';

/**
 * Guarantee: whatever process dies with -9 while orders pour in, an order answered 200 is in the list once, in the
 * metrics once, at the receiver at least once under one stable webhook-id, and has its one subscription and its one
 * commission. A caller that got no answer and repeats it under its Idempotency-Key has one order. A refused order is
 * nowhere.
 *
 * Killed in turn, each once, each while orders flow: all seven services (checkout in two replicas: the one that only
 * answers, and the one that holds the outbox lock), PostgreSQL's postmaster, nats-server. The next is killed when orders
 * were answered again after the one before. In `npm run test:long` each service is a process of its own; else those that
 * get requests of others or consume events share one.
 */
const connections = 8;
/** A process takes seconds to start: without rests orders would take all of the processor meanwhile. */
const restMs = volume(200, 0);
/** Orders answered between one kill's recovery and the next kill. */
const betweenKills = volume(10, 30);
const apart: readonly ServiceName[] = volume(0, 1) === 1 ? serviceNames : ['checkout', 'gateway'];

let postgres: OwnPostgres;
beforeAll(async () => {
  postgres = await startOwnPostgres();
});
afterAll(() => postgres?.close());
startOwnCluster(() => ({ settings: shortLeases, postgres, apart }));

/** Kills by the name of what dies; each resolves when it is back. */
async function killings(): Promise<[string, () => Promise<void>][]> {
  // It leads before there is another.
  await announced(leadingBegan, ({ service }) => service === 'checkout');
  const publishes = cluster.process('checkout');
  const answers = await cluster.spawn('checkout');
  const process = (name: ServiceName): [string, () => Promise<void>] => [name, () => cluster.process(name).restart()];
  const kills = {
    answers: ['checkout that answers', () => answers.restart()],
    nats: ['nats-server', () => cluster.nats.kill().then(() => cluster.nats.start())],
    publishes: ['checkout that publishes', () => publishes.restart()],
    postgres: ['PostgreSQL', () => postgres.kill().then(() => postgres.start())],
  } satisfies Record<string, [string, () => Promise<void>]>;
  if (apart.length < serviceNames.length)
    return [kills.answers, process('metrics'), kills.nats, kills.publishes, process('gateway'), kills.postgres];
  return [
    ...[kills.answers, process('metrics'), process('catalog'), kills.nats, kills.publishes],
    ...[process('webhook-dispatcher'), process('gateway'), kills.postgres, process('billing'), process('affiliate')],
  ];
}

test('no order is lost, doubled or invented while every service, PostgreSQL and nats-server are killed with -9 in turn', {
  timeout: 480_000,
}, async () => {
  const once = await addProduct(seller, 'course');
  const monthly = await addSubscription();
  const affiliate = { code: 'PARTNER', name: 'Partner', email: 'partner@example.com', commissionCents: 500 };
  expect((await seller.call('POST', '/api/v1/affiliates', { body: affiliate })).status).toBe(200);
  const endpoint = { url: `${receiver.url}/hook`, events: ['order.paid'] };
  expect((await seller.call('PUT', '/api/v1/webhook-endpoint', { body: endpoint })).status).toBe(200);

  const kills = await killings();
  const orders = postOrders(seller, {
    connections,
    restMs,
    slugs: [once.slug, monthly.slug],
    affiliateCode: affiliate.code,
  });
  for (const [name, kill] of kills) {
    await orders.untilMoreAnswered(betweenKills, `orders before ${name} is killed`);
    await kill();
  }
  await orders.untilMoreAnswered(betweenKills, 'orders after the last kill');
  const { placed, refused } = await orders.stop();
  expect(refused.filter(({ status }) => status !== 422)).toEqual([]);
  // Otherwise nothing was seen of what a caller has to do.
  expect(placed.filter(({ attempts }) => attempts > 1).length).toBeGreaterThan(0);
  const ids = placed.map(({ orderId }) => orderId).toSorted();
  expect(new Set(ids).size).toBe(ids.length);

  expect((await listedIds()).toSorted()).toEqual(ids);
  for (const service of ['metrics', 'billing', 'affiliate'] as const)
    await handledAll(service, orderPaid, 'orderId', ids);
  for (const [product, slug] of [once, monthly].map((entry) => [entry.productId, entry.slug] as const)) {
    const count = placed.filter((order) => order.slug === slug).length;
    const { summary } = (await seller.call('GET', `/api/metrics/${product}`)).json;
    expect(summary).toMatchObject({ orders: count, revenueCents: count * 9_900, customers: count });
  }
  const subscribed = placed.filter(({ slug }) => slug === monthly.slug).map(({ orderId }) => orderId);
  expect(await orderIdsOf('billing', 'subscriptions')).toEqual(subscribed.toSorted());
  const credited = placed.filter(({ affiliate }) => affiliate).map(({ orderId }) => orderId);
  expect(await orderIdsOf('affiliate', 'commissions')).toEqual(credited.toSorted());

  await receivedAll(receiver, 'order.paid', 'orderId', ids);
  const received = webhookIds();
  expect([...received.keys()].toSorted()).toEqual(ids);
  for (const [orderId, webhooks] of received) expect([orderId, webhooks.size]).toEqual([orderId, 1]);
});

async function addSubscription(): Promise<{ productId: string; slug: string }> {
  const body = { name: 'Club', slug: 'club', priceCents: 9_900, currency: 'usd', status: 'live' };
  const answer = await seller.call('POST', '/api/v1/products', {
    body: { ...body, pricingType: 'subscription', billingInterval: 'month' },
  });
  if (answer.status !== 200) throw new Error(`product: ${answer.status} ${answer.text}`);
  return { productId: answer.json.id, slug: body.slug };
}

/** The orders that a consumer's rows are about; one twice would be seen. */
async function orderIdsOf(service: ServiceName, table: 'subscriptions' | 'commissions'): Promise<string[]> {
  const rows = await query<{ order_id: string }>(cluster.databaseUrl(service), `select order_id from ${table}`);
  return rows.map((row) => row.order_id).toSorted();
}

async function listedIds(): Promise<string[]> {
  const ids: string[] = [];
  for (let before = ''; ; ) {
    const { json } = await seller.call('GET', `/api/v1/orders?limit=100${before}`);
    ids.push(...json.data.map((order: { id: string }) => order.id));
    if (!json.has_more) return ids;
    before = `&before=${ids.at(-1)}`;
  }
}

/** By order: the webhook-ids it came under. */
function webhookIds(): Map<string, Set<string>> {
  const byOrder = new Map<string, Set<string>>();
  for (const request of receiver.requests) {
    const { orderId } = JSON.parse(request.body) as { orderId: string };
    const ids = byOrder.get(orderId) ?? new Set();
    byOrder.set(orderId, ids.add(String(request.headers['webhook-id'])));
  }
  return byOrder;
}
