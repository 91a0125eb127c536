import type { ServiceName } from '@app/contracts/services';
import { eventually } from '@app/testing/eventually';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './support/cluster.ts';
import { addProduct, type Seller, signUp } from './support/seller.ts';

/**
 * Guarantee: whatever process dies with -9 while orders pour in, an order answered 200 is in the list, in the metrics
 * exactly once, and at the receiver at least once under one stable webhook-id; an order that was refused is nowhere.
 *
 * Orders are posted at 32 connections. Killed in turn, each once, while they are: checkout (the replica that answers),
 * the relay (the checkout replica that holds the outbox lock: its death ends only publishing, the other one answers),
 * metrics, webhook-dispatcher, nats-server. Each comes back while orders still flow.
 */
const ordersTotal = 1_000;
const connections = 32;

let cluster: Cluster;
let seller: Seller;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  // A delivery that was on its way when its process died is free again after the lease.
  cluster = await startCluster({ LEASE_SECONDS: '4', ATTEMPT_TIMEOUT_SECONDS: '2' });
  seller = await signUp(cluster.baseUrl);
});

afterAll(async () => {
  await cluster?.close();
  await receiver?.close();
});

interface Posted {
  readonly email: string;
  readonly status: number;
  readonly orderId: string | undefined;
}

/** Every thirteenth order is one that must be refused. */
async function post(slug: string, n: number): Promise<Posted> {
  const email = `buyer-${n}@example.com`;
  const productSlug = n % 13 === 0 ? 'no-such-product' : slug;
  const answer = await seller.call('POST', '/api/v1/orders', { body: { productSlug, email } });
  return { email, status: answer.status, orderId: answer.json?.orderId };
}

async function postAll(slug: string, progress: (done: number) => void): Promise<Posted[]> {
  const posted: Posted[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < ordersTotal) {
      posted.push(await post(slug, next++));
      progress(posted.length);
    }
  };
  await Promise.all(Array.from({ length: connections }, worker));
  return posted;
}

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

test('no order is lost, doubled or invented while checkout, relay, metrics, webhooks and nats-server are killed with -9', {
  timeout: 170_000,
}, async () => {
  const { productId, slug } = await addProduct(seller);
  expect((await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: `${receiver.url}/hook` } })).status).toBe(
    200,
  );
  const second = await cluster.spawn('checkout');
  const relays = (await relayHolder()) === 'first' ? cluster.process('checkout') : second;
  const answers = relays === second ? cluster.process('checkout') : second;

  const restart = (service: ServiceName) => () => cluster.process(service).restart();
  const killings = [
    () => answers.restart(),
    restart('metrics'),
    () => relays.restart(),
    restart('webhook-dispatcher'),
    async () => {
      await cluster.nats.kill();
      await cluster.nats.start();
    },
  ];
  let killed: Promise<unknown> = Promise.resolve();
  let next = 0;
  const posted = await postAll(slug, (done) => {
    const kill = killings[next];
    if (kill !== undefined && done >= ((next + 1) * ordersTotal) / 7) {
      next += 1;
      killed = killed.then(kill);
    }
  });
  await killed;
  expect(next).toBe(killings.length);

  const accepted = posted.filter((order) => order.status === 200);
  const refused = posted.filter((order) => order.status !== 200);
  expect(refused.filter((order) => ![422, 503].includes(order.status))).toEqual([]);
  expect(accepted.length).toBeGreaterThan(ordersTotal / 2);
  const acceptedIds = accepted.map((order) => order.orderId).sort();

  expect((await listedIds()).sort()).toEqual(acceptedIds);
  const metrics = await eventually(
    async () => {
      const { json } = await seller.call('GET', `/api/metrics/${productId}`);
      return json?.summary?.orders >= accepted.length && json;
    },
    { withinMs: 60_000, message: 'metrics have every order' },
  );
  expect(metrics.summary).toMatchObject({
    orders: accepted.length,
    revenueCents: accepted.length * 9_900,
    customers: accepted.length,
  });

  const received = await eventually(
    () => {
      const ids = webhookIds();
      return ids.size >= accepted.length && ids;
    },
    { withinMs: 60_000, message: 'the receiver has every order' },
  );
  expect([...received.keys()].sort()).toEqual(acceptedIds);
  for (const [orderId, ids] of received) expect([orderId, ids.size]).toEqual([orderId, 1]);
});

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
