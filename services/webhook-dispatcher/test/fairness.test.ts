import { orderPaid } from '@app/contracts/orders';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import { eventually } from '@app/testing/eventually';
import { expect, test, vi } from 'vitest';
import { allDeliveries, anEvent, anOrder, connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';

// Whoever waits for a receiver that never answers waits for longer than these tests do.
startService({ ATTEMPT_TIMEOUT_SECONDS: '60', LEASE_SECONDS: '120' });
const withinMs = 45_000;
vi.setConfig({ testTimeout: 120_000 });

const orders = (account: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()))));

/** One after the other: hundreds of commands at once would each take as long as all of them. */
async function accountsAt(url: string, count: number): Promise<string[]> {
  const accounts = Array.from({ length: count }, () => harness.account());
  for (const account of accounts) await harness.ask(putWebhookEndpoint, account, { body: { url } });
  return accounts;
}

test('endpoints that never answer do not delay another account, not even on the same host', async () => {
  const dead = await connectedAccount(harness);
  dead.receiver.respondWith((request) =>
    request.path === '/alive' ? { status: 200 } : { status: 200, delayMs: 60_000 },
  );
  const others = await accountsAt(dead.url, 40);
  for (const account of others) await orders(account, 6);
  // Each of the forty has a request in flight.
  await eventually(() => expect(dead.receiver.requests.length).toBeGreaterThanOrEqual(40), { withinMs });
  const alive = harness.account();
  await harness.ask(putWebhookEndpoint, alive, { body: { url: `${dead.receiver.url}/alive` } });
  const ids = await orders(alive, 20);
  const arrived = () => dead.receiver.requests.filter((request) => request.path === '/alive');
  await eventually(() => expect(arrived()).toHaveLength(20), { withinMs });
  expect(
    arrived()
      .map((request) => request.headers['webhook-id'])
      .sort(),
  ).toEqual(ids.sort());
});

test('a backlog of one account does not delay another account, and each event arrives once', async () => {
  const [busy, calm] = [await connectedAccount(harness), await connectedAccount(harness)];
  // From half of the backlog on, the receiver answers when the other account's event has come.
  const calmHasCome = Promise.withResolvers<void>();
  busy.receiver.respondWith(async (_, n) => {
    if (n > 300) await calmHasCome.promise;
    return { status: 200, delayMs: 20 };
  });
  const ids = await orders(busy.account, 600);
  const [calmId] = await orders(calm.account, 1);
  await eventually(() => expect(calm.received()).toEqual([calmId]), { withinMs });
  calmHasCome.resolve();
  await eventually(() => expect(busy.receiver.requests).toHaveLength(600), { withinMs });
  await eventually(async () => expect(new Set(await busy.statuses())).toEqual(new Set(['delivered'])));
  expect(busy.received().sort()).toEqual(ids.sort());
});

test('a slow receiver that works keeps its throughput beside 300 that hang', async () => {
  const slow = await connectedAccount(harness);
  slow.receiver.respondWith(() => ({ status: 200, delayMs: 1_200 }));
  const burst = async (): Promise<number> => {
    const before = slow.receiver.requests.length;
    const startedMs = performance.now();
    await orders(slow.account, 48);
    await eventually(() => expect(slow.receiver.requests.length).toBe(before + 48), { withinMs: 60_000 });
    return performance.now() - startedMs;
  };
  // The first success tells the dispatcher that the receiver is slow and works.
  await orders(slow.account, 1);
  await eventually(async () => expect(await slow.statuses()).toEqual(['delivered']));
  const aloneMs = await burst();
  const dead = await connectedAccount(harness);
  dead.receiver.respondWith(() => ({ status: 200, delayMs: 60_000 }));
  const hanging = await accountsAt(dead.url, 300);
  for (const account of hanging) await orders(account, 3);
  await eventually(() => expect(dead.receiver.requests.length).toBeGreaterThanOrEqual(64), { withinMs });
  const besideMs = await burst();
  expect(besideMs).toBeLessThan(3 * aloneMs);
  // Each receiver that hangs still gets one request.
  await eventually(() => expect(dead.receiver.requests.length).toBeGreaterThanOrEqual(300), { withinMs });
});

test('no more is claimed from the database than can be sent soon, and nothing is sent twice', async () => {
  const busy = await connectedAccount(harness);
  busy.receiver.respondWith(() => ({ status: 200, delayMs: 500 }));
  const accounts = await accountsAt(busy.url, 100);
  const events: string[] = [];
  for (const account of accounts) events.push(await anEvent(harness, account));
  await harness.query(
    `insert into deliveries (id, event_id, endpoint_id, account_id, event_name, test, status, next_attempt_at, created_at)
     select 'dlv_' || substr(event_id, 5, 18) || lpad(n::text, 8, '0'), event_id, e.id, e.account_id, 'order.paid', false,
       'pending', '2026-01-01', now()
     from unnest($1::text[], $2::text[]) as a (account_id, event_id) join endpoints e using (account_id),
       generate_series(1, 20) as n`,
    [accounts, events],
  );
  const count = async (condition: string) => {
    const text = `select count(*)::int as count from ${allDeliveries} where account_id = any ($1) and ${condition}`;
    return (await harness.query<{ count: number }>(text, [accounts]))[0]?.count ?? 0;
  };
  let mostClaimed = 0;
  await eventually(
    async () => {
      mostClaimed = Math.max(mostClaimed, await count(`status = 'sending'`));
      return (await count(`status = 'delivered'`)) === 2_000;
    },
    { withinMs: 100_000 },
  );
  // 128 slots at half a second each send 512 in two seconds; the others are in flight, or of endpoints still unknown. On a
  // loaded machine some endpoints count as slow and have slots of their own. Without the bound all 2,000 are claimed.
  expect(mostClaimed).toBeLessThan(1_500);
  expect(busy.receiver.requests).toHaveLength(2_000);
});
