import { createOrder, listOrders, orderPaid } from '@app/contracts/orders';
import type { ServiceName } from '@app/contracts/services';
import { requestLate } from '@app/messaging/points';
import { listen } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './support/cluster.ts';
import { type Answer, addProduct, type Seller, signUp } from './support/seller.ts';
import { handled } from './support/waits.ts';

/**
 * Guarantee: a service that is down is a 503 at once, and one that hangs without a goodbye (SIGSTOP: its connections stay open,
 * nothing answers) after the time-out of the request; both are named by /readyz, and are there again by themselves. An order whose
 * caller gave up while a service hung is not made, unless it is repeated: then once. Of several replicas one that hangs loses nothing and doubles nothing.
 */
let cluster: Cluster;
let seller: Seller;
let productId: string;
let slug: string;

beforeAll(async () => {
  cluster = await startCluster({ apart: ['catalog', 'checkout', 'metrics'] });
  seller = await signUp(cluster.baseUrl);
  ({ productId, slug } = await addProduct(seller));
});

afterAll(() => cluster?.close());

const order = (idempotencyKey?: string) =>
  seller.call('POST', '/api/v1/orders', {
    body: { productSlug: slug, email: 'ada@example.com' },
    ...(idempotencyKey !== undefined && { headers: { 'idempotency-key': idempotencyKey } }),
  });
const ordersMade = async (): Promise<number> => (await seller.call('GET', '/api/v1/orders')).json.data.length;
const metrics = () => seller.call('GET', `/api/metrics/${productId}`);

/** Stopped together: what each is requested to do, by reads alone and then by a command that needs it. */
const stops: readonly { stopped: readonly ServiceName[]; reads: (() => Promise<Answer>)[] }[] = [
  { stopped: ['catalog', 'metrics'], reads: [() => seller.call('GET', '/api/v1/products'), metrics] },
  { stopped: ['checkout'], reads: [() => seller.call('GET', '/api/v1/orders')] },
];

async function missing(): Promise<string[]> {
  const answer = await fetch(`${cluster.baseUrl}/readyz`);
  return answer.status === 200 ? ((await answer.json()) as { missing: string[] }).missing : ['the gateway itself'];
}

/** A machine that does other work answers later than a time-out says. With it a read ends before nats-server drops a silent client, after 10 s. */
const slackMs = 6_000;

/** How long the work took, in milliseconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

const statusesOf = async (requested: readonly (() => Promise<Answer>)[]): Promise<number[]> =>
  (await Promise.all(requested.map((request) => request()))).map(({ status }) => status);

test('a stopped service is a 503 after the time-out, named by readiness, and answers again when it goes on', async () => {
  for (const [round, { stopped, reads }] of stops.entries()) {
    const requested = [...reads, order];
    expect(await statusesOf(requested)).toEqual(requested.map(() => 200));
    const pids = stopped.map((service) => cluster.process(service).pid);
    const key = `while-${stopped}-hangs`;
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const { announced } = listen();
    try {
      const readsMs = await timed(async () => expect(await statusesOf(reads)).toEqual(reads.map(() => 503)));
      // A service has half a second to answer: on a machine that does much else another one is missing for a moment.
      const named = async () => (await missing()).toSorted().join() === stopped.toSorted().join();
      const [orderMs] = await Promise.all([
        timed(async () => expect((await order(key)).status).toBe(503)),
        pollSystem('the stopped services are missing, and no other', named),
      ]);
      expect(readsMs).toBeLessThan(listOrders.timeoutMs + slackMs);
      expect(orderMs).toBeLessThan(createOrder.timeoutMs + slackMs);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    // Each gets to what it was sent.
    for (const name of stopped) await announced(requestLate, ({ service }) => service === name);
    expect(await ordersMade()).toBe(3 * round + 1);
    expect(await statusesOf([...requested, () => order(key)])).toEqual([...requested, key].map(() => 200));
  }
  // Before each stop, after it, and the repeated one.
  expect(await ordersMade()).toBe(3 * stops.length);
});

test('a service that is down is a 503 sooner than one that hangs, and the rest still answers', async () => {
  const { productId: soldMeanwhile, slug: productSlug } = await addProduct(seller, 'while-down');
  const read = () => seller.call('GET', `/api/metrics/${soldMeanwhile}`);
  await cluster.process('metrics').kill();
  // A ping has come to nothing: nats-server has had the time to notice the end of a process that said no goodbye.
  expect(await missing()).toContain('metrics');
  const { pid } = cluster.process('checkout');
  process.kill(pid, 'SIGSTOP');
  const hanging = seller.call('GET', '/api/v1/orders').then(({ status }) => {
    throw new Error(`The service that hangs was the first to be answered, with ${status}.`);
  });
  const refused = await Promise.race([read(), hanging]).finally(() => process.kill(pid, 'SIGCONT'));
  expect(refused).toMatchObject({ status: 503, json: { code: 'service_unavailable' } });
  expect(refused.headers.get('retry-after')).toBeTruthy();
  const placed = await seller.call('POST', '/api/v1/orders', { body: { productSlug, email: 'a@example.com' } });
  expect(placed.status).toBe(200);
  await cluster.process('metrics').restart();
  await handled('metrics', orderPaid, ({ orderId }) => orderId === placed.json.orderId);
  expect((await read()).json.summary.orders).toBe(1);
});

test('of three replicas one hangs: others answer what it was given, and each order is made once', async () => {
  const [hanging] = await Promise.all([cluster.spawn('checkout'), cluster.spawn('checkout')]);
  // Chance may give all attempts to the one that hangs: until nats-server drops it, some are a 503.
  const untilAnswered = async (request: () => Promise<Answer>): Promise<Answer> => {
    const answer = await request();
    if (answer.status === 503) return await untilAnswered(request);
    expect(answer.status).toBe(200);
    return answer;
  };
  const list = () => untilAnswered(() => seller.call('GET', '/api/v1/orders'));
  const made = async (): Promise<number> => (await list()).json.data.length;
  const before = await made();
  process.kill(hanging.pid, 'SIGSTOP');
  const keys = Array.from({ length: 12 }, (_, n) => `order-${n}`);
  await Promise.all([...keys.map((key) => untilAnswered(() => order(key))), ...Array.from({ length: 8 }, list)]);
  expect((await made()) - before).toBe(keys.length);
});
