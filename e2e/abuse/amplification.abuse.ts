import { startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { print } from '../support/print.ts';
import { addProduct, type Seller, signUp } from '../support/seller.ts';
import { attempted } from '../support/waits.ts';

/** Bound: what one account sends one host is `WEBHOOKS_PER_SECOND` and its burst, over all endpoints and automations. */
const perSecond = 100;
const burst = 5 * perSecond;
const [endpoints, automations, orders] = [20, 100, 50];

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ settings: { WEBHOOKS_PER_SECOND: String(perSecond) }, apart: [] });
});
afterAll(() => cluster.close());

async function order(seller: Seller): Promise<void> {
  const body = { productSlug: 'course', email: 'grace@example.com' };
  expect((await seller.call('POST', '/api/v1/orders', { body })).status).toBe(200);
}

test('twenty endpoints and a hundred automations send one host no more than the bound, and delay no other account', async () => {
  const victim = await startReceiver();
  const attacker = await signUp(cluster.baseUrl);
  await addProduct(attacker);
  for (let n = 0; n < endpoints; n += 1) {
    const body = { url: `${victim.url}/endpoint/${n}` };
    expect((await attacker.call('POST', '/api/v1/webhook-endpoints', { body })).status).toBe(200);
  }
  for (let n = 0; n < automations; n += 1) {
    const action = { type: 'post', url: `${victim.url}/automation/${n}` };
    const body = { name: `Own ${n}`, event: 'order.paid', action };
    expect((await attacker.call('POST', '/api/v1/automations', { body })).status).toBe(200);
  }
  const other = await signUp(cluster.baseUrl);
  await addProduct(other);
  const calm = await startReceiver();
  await other.call('PUT', '/api/v1/webhook-endpoint', { body: { url: calm.url } });

  const beganMs = performance.now();
  await Promise.all(Array.from({ length: orders }, () => order(attacker)));
  // While thousands of the attacker's wait, the other account's go out.
  for (let n = 0; n < 20; n += 1) await order(other);
  await calm.received(20);
  const seconds = (): number => (performance.now() - beganMs) / 1_000;
  const otherAfter = seconds();
  await attempted(attacker.accountId, burst + 5 * perSecond);
  const [arrived, took] = [victim.requests.length, seconds()];
  const allowed = Math.ceil(burst + took * perSecond);
  print(
    `amplification: ${orders} orders of one account make ${orders * (endpoints + automations)} deliveries to one host; ` +
      `${arrived} arrived in ${took.toFixed(1)} s, ${allowed} are allowed; another account's 20 arrived after ${otherAfter.toFixed(1)} s`,
  );
  expect(arrived).toBeLessThanOrEqual(allowed);
  expect(new Set(victim.requests.map(({ path, headers }) => `${path} ${headers['webhook-id']}`)).size).toBe(arrived);
});

/** Bound: all accounts together send a host that has acknowledged nothing what one of them may send, over all replicas. */
const [accounts, ordersOfEach] = [30, 20];

test('thirty accounts send a host that acknowledges nothing no more than one of them may, and each has its part', async () => {
  await cluster.spawn('webhook-dispatcher');
  const victim = await startReceiver({ respond: () => ({ status: 403 }) });
  const attackers: Seller[] = [];
  while (attackers.length < accounts) attackers.push(await signUp(cluster.baseUrl));
  for (const attacker of attackers) {
    await addProduct(attacker);
    for (let n = 0; n < 5; n += 1) {
      const body = { url: `${victim.url.replace('127.0.0.1', 'localhost')}/${attacker.accountId}/${n}` };
      expect((await attacker.call('POST', '/api/v1/webhook-endpoints', { body })).status).toBe(200);
    }
  }
  const beganMs = performance.now();
  await Promise.all(
    attackers.map(async (attacker) => {
      for (let n = 0; n < ordersOfEach; n += 1) await order(attacker);
    }),
  );
  await victim.received(burst + 5 * perSecond);
  const took = (performance.now() - beganMs) / 1_000;
  const [arrived, allowed] = [victim.requests.length, Math.ceil(burst + took * perSecond)];
  const reached = new Set(victim.requests.map(({ path }) => path.split('/')[1]));
  print(
    `amplification: ${accounts} accounts made ${accounts * ordersOfEach * 5} deliveries to a host that acknowledges nothing; ` +
      `${arrived} arrived in ${took.toFixed(1)} s from two replicas, ${allowed} are allowed, of ${reached.size} accounts`,
  );
  expect(arrived).toBeLessThanOrEqual(allowed);
  expect(reached.size).toBe(accounts);
});
