import type { ServiceName } from '@app/contracts/services';
import { eventually } from '@app/testing/eventually';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from './support/cluster.ts';
import { addProduct, type Seller, signUp } from './support/seller.ts';
import { soonestRefusalMs } from './support/soonest-refusal.ts';

/**
 * Guarantee: a service that hangs without a goodbye (SIGSTOP: its connections stay open, nothing answers) is told as 503
 * within a second, is named by /readyz, and is there again by itself; one replica that hangs refuses nothing.
 */
let cluster: Cluster;
let seller: Seller;
let productId: string;
let slug: string;

beforeAll(async () => {
  cluster = await startCluster();
  seller = await signUp(cluster.baseUrl);
  ({ productId, slug } = await addProduct(seller));
});

afterAll(() => cluster?.close());

const order = () => seller.call('POST', '/api/v1/orders', { body: { productSlug: slug, email: 'ada@example.com' } });

const questions: readonly { stopped: ServiceName; ask: () => ReturnType<Seller['call']> }[] = [
  { stopped: 'catalog', ask: () => seller.call('GET', '/api/v1/products') },
  { stopped: 'catalog', ask: order },
  { stopped: 'checkout', ask: order },
  { stopped: 'checkout', ask: () => seller.call('GET', '/api/v1/orders') },
  { stopped: 'metrics', ask: () => seller.call('GET', `/api/metrics/${productId}`) },
];

async function missing(): Promise<string[]> {
  const answer = await fetch(`${cluster.baseUrl}/readyz`);
  return answer.status === 200 ? ((await answer.json()) as { missing: string[] }).missing : ['the gateway itself'];
}

test('a stopped service is told as 503 within a second and named by readiness, and answers again when it goes on', async () => {
  for (const { stopped, ask } of questions) {
    expect((await ask()).status).toBe(200);
    const { pid } = cluster.process(stopped);
    process.kill(pid, 'SIGSTOP');
    try {
      await eventually(async () => (await missing()).includes(stopped));
      expect(await soonestRefusalMs(1_000, ask), stopped).toBeLessThan(1_000);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await eventually(async () => (await ask()).status === 200);
  }
  await eventually(async () => (await missing()).length === 0);
});

test('of three replicas one hangs: no read is refused', async () => {
  // With one other alone, each of a read's some ten tries would be a coin's toss: now and then all go to the one that hangs.
  const [hanging] = await Promise.all([cluster.spawn('checkout'), cluster.spawn('checkout')]);
  process.kill(hanging.pid, 'SIGSTOP');
  const answers = await Promise.all(Array.from({ length: 40 }, () => seller.call('GET', '/api/v1/orders')));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});
