import type { ServiceName } from '@app/contracts/services';
import { eventually } from '@app/testing/eventually';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './support/cluster.ts';
import { type OwnPostgres, startOwnPostgres } from './support/own-postgres.ts';
import { postOrders } from './support/pouring-orders.ts';
import { addProduct, type Seller, signUp } from './support/seller.ts';

/**
 * Guarantee: whatever process dies with -9 while orders pour in, an order answered 200 is in the list once, in the
 * metrics once, at the receiver at least once under one stable webhook-id, and has its one subscription and its one
 * commission. A caller that got no answer and asks again under its Idempotency-Key has one order. A refused order is
 * nowhere.
 *
 * Killed in turn, each once, each while orders flow: all seven services (checkout in two replicas: the one that only
 * answers, and the one that holds the outbox lock), PostgreSQL's postmaster, nats-server. The next is killed when orders
 * were answered again after the one before.
 */
const connections = 8;
/** Orders answered between one kill's recovery and the next kill. */
const betweenKills = 30;

let postgres: OwnPostgres;
let cluster: Cluster;
let seller: Seller;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  postgres = await startOwnPostgres();
  // A delivery that was on its way when its process died is free again after the lease.
  cluster = await startCluster({ LEASE_SECONDS: '4', ATTEMPT_TIMEOUT_SECONDS: '2' }, postgres);
  seller = await signUp(cluster.baseUrl);
});

afterAll(async () => {
  await cluster?.close();
  await postgres?.close();
  await receiver?.close();
});

/** The process that relays checkout's outbox, found by who holds the lock. */
async function relayHolder(): Promise<'first' | 'second'> {
  const held = await eventually(async () => {
    const rows = await query<{ port: number }>(
      cluster.databaseUrl('checkout'),
      `select a.client_port as port from pg_locks l join pg_stat_activity a using (pid)
       where l.locktype = 'advisory' and l.granted and a.application_name = 'checkout-relay' and a.datname = current_database()`,
    );
    return rows[0];
  });
  return (await ownsPort(cluster.process('checkout').pid, held.port)) ? 'first' : 'second';
}

async function ownsPort(pid: number, port: number): Promise<boolean> {
  const { readdir, readFile, readlink } = await import('node:fs/promises');
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const lines = [...(await readFile('/proc/net/tcp', 'utf8')).split('\n')];
  const inode = lines.map((line) => line.trim().split(/\s+/)).find((fields) => fields[1]?.endsWith(`:${hex}`))?.[9];
  for (const descriptor of await readdir(`/proc/${pid}/fd`)) {
    const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '');
    if (target === `socket:[${inode}]`) return true;
  }
  return false;
}

/** Kills by the name of what dies; each resolves when it is back. */
async function killings(): Promise<[string, () => Promise<void>][]> {
  const second = await cluster.spawn('checkout');
  const relays = (await relayHolder()) === 'first' ? cluster.process('checkout') : second;
  const answers = relays === second ? cluster.process('checkout') : second;
  const service = (name: ServiceName): [string, () => Promise<void>] => [name, () => cluster.process(name).restart()];
  return [
    ['checkout that answers', () => answers.restart()],
    service('metrics'),
    service('catalog'),
    ['nats-server', () => cluster.nats.kill().then(() => cluster.nats.start())],
    ['checkout that publishes', () => relays.restart()],
    service('webhook-dispatcher'),
    service('gateway'),
    ['PostgreSQL', () => postgres.kill().then(() => postgres.start())],
    service('billing'),
    service('affiliate'),
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
  const orders = postOrders(seller, { connections, slugs: [once.slug, monthly.slug], affiliateCode: affiliate.code });
  for (const [name, kill] of kills) {
    await orders.untilMoreAnswered(betweenKills, `orders before ${name} is killed`);
    await kill();
  }
  await orders.untilMoreAnswered(betweenKills, 'orders after the last kill');
  const { placed, refused } = await orders.stop();
  expect(refused.filter(({ status }) => status !== 422)).toEqual([]);
  // Otherwise nothing was seen of what a caller has to do.
  expect(placed.filter(({ tries }) => tries > 1).length).toBeGreaterThan(0);
  const ids = placed.map(({ orderId }) => orderId).toSorted();
  expect(new Set(ids).size).toBe(ids.length);

  expect((await listedIds()).toSorted()).toEqual(ids);
  for (const [product, slug] of [once, monthly].map((entry) => [entry.productId, entry.slug] as const)) {
    const count = placed.filter((order) => order.slug === slug).length;
    const summary = await eventually(
      async () => {
        const { json } = await seller.call('GET', `/api/metrics/${product}`);
        return json?.summary?.orders >= count && json.summary;
      },
      { withinMs: 60_000, message: `metrics have every order of ${slug}` },
    );
    expect(summary).toMatchObject({ orders: count, revenueCents: count * 9_900, customers: count });
  }
  const subscribed = placed.filter(({ slug }) => slug === monthly.slug).map(({ orderId }) => orderId);
  expect(await orderIdsOf('billing', 'subscriptions', subscribed.length)).toEqual(subscribed.toSorted());
  const credited = placed.filter(({ affiliate }) => affiliate).map(({ orderId }) => orderId);
  expect(await orderIdsOf('affiliate', 'commissions', credited.length)).toEqual(credited.toSorted());

  const received = await eventually(
    () => {
      const byOrder = webhookIds();
      return byOrder.size >= ids.length && byOrder;
    },
    { withinMs: 60_000, message: 'the receiver has every order' },
  );
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

/** The orders that a consumer's rows are about, once there are as many as wanted; one twice would be seen. */
async function orderIdsOf(service: ServiceName, table: 'subscriptions' | 'commissions', wanted: number) {
  const read = () => query<{ order_id: string }>(cluster.databaseUrl(service), `select order_id from ${table}`);
  const options = { withinMs: 60_000, message: `${wanted} ${table}` };
  const rows = await eventually(async () => {
    const found = await read();
    return found.length >= wanted && found;
  }, options);
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
