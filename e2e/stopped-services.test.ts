import { orderPaid } from '@app/contracts/orders';
import type { ServiceName } from '@app/contracts/services';
import { requestBegun } from '@app/messaging/points';
import { listen } from '@app/testing/points';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './support/cluster.ts';
import { type Answer, addProduct, type Seller, signUp } from './support/seller.ts';
import { handled } from './support/waits.ts';

/**
 * Guarantee: a service that is down, or hangs without a goodbye (SIGSTOP: its connections stay open, nothing answers), is a
 * 503, is named by /readyz, and is there again by itself; one replica that hangs refuses nothing.
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

const order = () => seller.call('POST', '/api/v1/orders', { body: { productSlug: slug, email: 'ada@example.com' } });
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

/** So long an attempt is waited for while its service gives signs. */
const attemptMs = 5_000;

/** How long the work took, in milliseconds. */
async function timed(work: () => Promise<void>): Promise<number> {
  const beganMs = performance.now();
  await work();
  return performance.now() - beganMs;
}

const statusesOf = async (requested: readonly (() => Promise<Answer>)[]): Promise<number[]> =>
  (await Promise.all(requested.map((request) => request()))).map(({ status }) => status);

test('a stopped service is reported as 503 and named by readiness, and answers again when it goes on', async () => {
  for (const { stopped, reads } of stops) {
    const requested = [...reads, order];
    expect(await statusesOf(requested)).toEqual(requested.map(() => 200));
    const pids = stopped.map((service) => cluster.process(service).pid);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const { announced } = listen();
    try {
      // A read that was sent is given up after three seconds without a sign; by then a command is not sent any more.
      const readsMs = await timed(async () => expect(await statusesOf(reads)).toEqual(reads.map(() => 503)));
      expect((await missing()).toSorted()).toEqual(stopped.toSorted());
      const orderMs = await timed(async () => expect((await order()).status).toBe(503));
      expect(Math.max(readsMs, orderMs)).toBeLessThan(attemptMs);
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
    // Each gets to the read that it was not notified of.
    for (const name of stopped) await announced(requestBegun, ({ service }) => service === name);
    expect(await statusesOf(requested)).toEqual(requested.map(() => 200));
  }
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

test('of three replicas one hangs: no read is refused', async () => {
  // With one other alone, each of a read's some ten attempts would be a coin's toss: now and then all go to the one that hangs.
  const [hanging] = await Promise.all([cluster.spawn('checkout'), cluster.spawn('checkout')]);
  process.kill(hanging.pid, 'SIGSTOP');
  // An account has eight reads under way, and others wait for 5 s at most: forty would wait longer for those that met the
  // replica that hangs, which is detected after 2 s each time.
  const answers = await Promise.all(Array.from({ length: 16 }, () => seller.call('GET', '/api/v1/orders')));
  expect(answers.filter(({ status }) => status !== 200).map(({ json }) => json)).toEqual([]);
});
