import { orderPaid } from '@app/contracts/orders';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from './harness.ts';
import { anOrder, connectedAccount } from './orders.ts';

guardLeaks();
let harness: Harness;
beforeAll(async () => {
  harness = await startHarness({ ATTEMPT_TIMEOUT_SECONDS: '15' });
});
afterAll(() => harness.close());

const orders = (account: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()))));

test('endpoints that never answer do not delay another account, not even on the same host', async () => {
  const dead = await connectedAccount(harness);
  dead.receiver.respondWith((request) =>
    request.path === '/alive' ? { status: 200 } : { status: 200, delayMs: 60_000 },
  );
  const others = await Promise.all(
    Array.from({ length: 40 }, async () => {
      const account = harness.account();
      await harness.ask(putWebhookEndpoint, account, { body: { url: dead.url } });
      return account;
    }),
  );
  for (const account of others) await orders(account, 6);
  // Each of the forty holds the four requests it may have.
  await eventually(() => expect(dead.receiver.requests.length).toBe(160), { withinMs: 10_000 });
  const alive = harness.account();
  await harness.ask(putWebhookEndpoint, alive, { body: { url: `${dead.receiver.url}/alive` } });
  const startedMs = Date.now();
  const ids = await orders(alive, 20);
  const arrived = () => dead.receiver.requests.filter((request) => request.path === '/alive');
  await eventually(() => expect(arrived()).toHaveLength(20), { withinMs: 3_000 });
  expect(
    arrived()
      .map((request) => request.headers['webhook-id'])
      .sort(),
  ).toEqual(ids.sort());
  expect(Date.now() - startedMs).toBeLessThan(3_000);
  await dead.receiver.close();
});

test('a backlog of one account is worked off without holding up another, and each event arrives once', async () => {
  const [busy, calm] = [await connectedAccount(harness), await connectedAccount(harness)];
  busy.receiver.respondWith(() => ({ status: 200, delayMs: 20 }));
  const ids = await orders(busy.account, 600);
  const startedMs = Date.now();
  const [calmId] = await orders(calm.account, 1);
  await eventually(() => expect(calm.received()).toEqual([calmId]));
  expect(Date.now() - startedMs).toBeLessThan(1_000);
  await eventually(() => expect(busy.receiver.requests).toHaveLength(600), { withinMs: 15_000 });
  await eventually(async () => expect(new Set(await busy.statuses())).toEqual(new Set(['delivered'])));
  expect(busy.received().sort()).toEqual(ids.sort());
  for (const seller of [busy, calm]) await seller.receiver.close();
});
