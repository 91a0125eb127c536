import { orderPaid } from '@app/contracts/orders';
import { putWebhookEndpoint } from '@app/contracts/webhooks';
import type { Receiver } from '@app/testing/http-receiver';
import { timeoutMs, volume } from '@app/testing/long';
import { expect, test, vi } from 'vitest';
import { attempted } from './harness.ts';
import { allDeliveries, anEvent, anOrder, connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';

// A delivery to a receiver that never answers waits for longer than these tests do.
startService({ ATTEMPT_TIMEOUT_SECONDS: '60', LEASE_SECONDS: '120' });
vi.setConfig({ testTimeout: timeoutMs(120_000) });

const orders = (account: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => harness.publish(orderPaid, account, anOrder(harness.clock.nowMs()))));

/** One after the other: hundreds of commands at once would each take as long as all of them. Each has a path of its own. */
async function accountsAt({ url }: Receiver, count: number): Promise<string[]> {
  const accounts = Array.from({ length: count }, () => harness.account());
  for (const [n, account] of accounts.entries())
    await harness.request(putWebhookEndpoint, account, { body: { url: `${url}/${n}` } });
  return accounts;
}
/** Resolves when requests have come on so many paths. */
async function receivedOnPaths(receiver: Receiver, count: number): Promise<void> {
  const paths = new Set<string>();
  await receiver.received(1, ({ path }) => paths.add(path).size >= count);
}

test('endpoints that never answer do not delay another account, not even on the same host', async () => {
  const dead = await connectedAccount(harness);
  dead.receiver.respondWith((request) =>
    request.path === '/alive' ? { status: 200 } : { status: 200, delayMs: 60_000 },
  );
  const others = await accountsAt(dead.receiver, volume(20, 40));
  for (const account of others) await orders(account, 6);
  // Each of them has a request in flight, and all but a few have four: they take all slots of new endpoints.
  await receivedOnPaths(dead.receiver, others.length);
  const alive = harness.account();
  await harness.request(putWebhookEndpoint, alive, { body: { url: `${dead.receiver.url}/alive` } });
  const ids = await orders(alive, 20);
  await attempted({ accountId: alive, delivered: true }, 20);
  const arrived = dead.receiver.requests.filter((request) => request.path === '/alive');
  expect(arrived.map((request) => request.headers['webhook-id']).sort()).toEqual(ids.sort());
});

test('a backlog of one account does not delay another account, and each event arrives once', async () => {
  const [busy, calm] = [await connectedAccount(harness), await connectedAccount(harness)];
  const backlog = volume(400, 600);
  // From a quarter of the backlog on, the receiver answers when the other account's event has come.
  const calmHasCome = Promise.withResolvers<void>();
  busy.receiver.respondWith(async (_, n) => {
    if (n > backlog / 4) await calmHasCome.promise;
    return { status: 200 };
  });
  const ids = await orders(busy.account, backlog);
  const [calmId] = await orders(calm.account, 1);
  await calm.delivered();
  expect(calm.received()).toEqual([calmId]);
  calmHasCome.resolve();
  await busy.delivered(backlog);
  expect(new Set(await busy.statuses())).toEqual(new Set(['delivered']));
  expect(busy.received().sort()).toEqual(ids.sort());
});

test('a slow receiver that works keeps its throughput beside many that hang', async () => {
  const slow = await connectedAccount(harness);
  // The first success shows the dispatcher that the receiver is slow and works.
  slow.receiver.respondWith(() => ({ status: 200, delayMs: 1_050 }));
  await orders(slow.account, 1);
  await slow.delivered();
  const dead = await connectedAccount(harness);
  dead.receiver.respondWith(() => ({ status: 200, delayMs: 60_000 }));
  const many = volume(20, 300);
  for (const account of await accountsAt(dead.receiver, many)) await orders(account, 4);
  // They take all the slots of endpoints of which nothing is known.
  await dead.receiver.received(64);
  // The slow one answers when as many of its requests are in flight as a receiver that works may have.
  const allInFlight = Promise.withResolvers<void>();
  let inFlight = 0;
  slow.receiver.respondWith(async () => {
    inFlight += 1;
    if (inFlight === 16) allInFlight.resolve();
    await allInFlight.promise;
    return { status: 200 };
  });
  await orders(slow.account, 48);
  await slow.delivered(49);
  // Each receiver that hangs still gets one request.
  await receivedOnPaths(dead.receiver, many);
});

test('no more is claimed from the database than can be sent soon, and nothing is sent twice', async () => {
  const busy = await connectedAccount(harness);
  const gate = Promise.withResolvers<void>();
  busy.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200, delayMs: volume(0, 500) };
  });
  const accounts = await accountsAt(busy.receiver, volume(24, 100));
  const all = accounts.length * 20;
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
  const count = async (status: string) => {
    const text = `select count(*)::int as count from ${allDeliveries} where account_id = any ($1) and status = $2`;
    return (await harness.query<{ count: number }>(text, [accounts, status]))[0]?.count ?? 0;
  };
  await harness.afterRound('deliveries');
  // Of endpoints of which nothing is known 64 requests are in flight at most, and four times as many wait for them.
  const claimed = await count('sending');
  expect(claimed).toBeGreaterThan(0);
  expect(claimed).toBeLessThanOrEqual(64 + 4 * 64);
  gate.resolve();
  await Promise.all(accounts.map((accountId) => attempted({ accountId, delivered: true }, 20)));
  expect(await count('delivered')).toBe(all);
  expect(busy.receiver.requests).toHaveLength(all);
});
