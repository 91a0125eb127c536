import { join } from 'node:path';
import { spawnNode } from '@app/testing/child-service';
import { expect, test, vi } from 'vitest';
import { stored } from './harness.ts';
import { harness, seller, sellerForEachTest, startService, unansweredOrder } from './set-up.ts';

startService();
sellerForEachTest();
vi.setConfig({ testTimeout: 120_000 });
const main = join(import.meta.dirname, '../src/main.ts');

/**
 * Publishes two more events than a new endpoint may have requests in flight, while no process runs: the next one finds
 * them all at its start, and sends four before the first is overdue.
 */
const publishSix = async () => {
  const ids: string[] = [];
  for (let n = 0; n < 6; n += 1) ids.push(await seller.publish());
  return ids;
};
async function fourAreInFlight(ids: readonly string[]): Promise<void> {
  await seller.receiver.received(4);
  for (const id of ids) await stored(id);
  expect(seller.receiver.requests).toHaveLength(4);
}
async function allAreDelivered(): Promise<void> {
  await seller.delivered(6);
  expect(await seller.statuses()).toEqual(Array(6).fill('delivered'));
}

test('after kill -9, deliveries that were stored, sent and not recorded arrive again under the same id, and none is lost', async () => {
  await harness.running.service.close();
  // The child runs in real time: by it, events of the test's clock would have waited for more than 30 days.
  harness.clock.set(new Date());
  seller.receiver.respondWith(() => ({ status: 200, delayMs: 60_000 }));
  const ids = await publishSix();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  await fourAreInFlight(ids);
  await child.kill('SIGKILL');
  const sentBefore = seller.received();
  expect(await seller.statuses()).not.toContain('delivered');
  seller.receiver.respondWith(() => ({ status: 200 }));
  harness.clock.set(new Date());
  await harness.ageLeases();
  harness.running.service = await harness.start();
  await allAreDelivered();
  const counts = ids.map((id) => seller.received().filter((received) => received === id).length);
  expect(counts).toEqual(ids.map((id) => (sentBefore.includes(id) ? 2 : 1)));
  for (const id of sentBefore) {
    const bodies = seller.receiver.requests
      .filter((request) => request.headers['webhook-id'] === id)
      .map((r) => r.body);
    expect(new Set(bodies).size).toBe(1);
  }
});

test('the delivery of an ended lease is sent again, though its process lives', async () => {
  seller.receiver.respondWith((_, n) => ({ status: n === 1 ? 500 : 200 }));
  await seller.publish();
  await seller.tried(1);
  expect(await seller.statuses()).toEqual(['pending']);
  // Simulates a delivery that got stuck in a living process: claimed, and never sent.
  await harness.query(
    `update deliveries set status = 'sending', next_attempt_at = created_at, lease_token = 'stuck', lease_until = now() - interval '1 second', lease_owner = (
       select objid::bigint::int from pg_locks where locktype = 'advisory' and objsubid = 2
       and database = (select oid from pg_database where datname = current_database()))
     where account_id = $1`,
    [seller.account],
  );
  harness.wake();
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['delivered']);
  expect(seller.receiver.requests).toHaveLength(2);
  expect(new Set(seller.received()).size).toBe(1);
});

test('a replica leaves the leases of another living process alone', async () => {
  const { answer } = await unansweredOrder();
  const text = "update deliveries set lease_until = lease_until - interval '30 seconds' where account_id = $1";
  await harness.query(text, [seller.account]);
  // A process polls when it starts, and ends after a poll.
  const other = await harness.start();
  await other.close();
  expect(await seller.statuses()).toEqual(['sending']);
  await harness.afterRound('deliveries');
  answer();
  await seller.delivered();
  expect(await seller.statuses()).toEqual(['delivered']);
  expect(seller.receiver.requests).toHaveLength(1);
});

test('an attempt that outlived its lease is recorded and does not change its delivery', async () => {
  const { answer } = await unansweredOrder(500);
  await harness.query(
    `update deliveries set lease_token = 'another', lease_until = now() + interval '1 hour' where account_id = $1`,
    [seller.account],
  );
  answer();
  await seller.tried(1);
  expect(
    await harness.query('select outcome, next_attempt_at, status_code from attempts where account_id = $1', [
      seller.account,
    ]),
  ).toEqual([{ outcome: null, next_attempt_at: null, status_code: 500 }]);
  expect(
    await harness.query('select status, lease_token, attempts from deliveries where account_id = $1', [seller.account]),
  ).toEqual([{ status: 'sending', lease_token: 'another', attempts: 0 }]);
});

test('a stop lets requests in flight finish and releases the other deliveries: nothing is sent twice', async () => {
  const stopping = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await stopping.promise;
    return { status: 200 };
  });
  await harness.running.service.close();
  const ids = await publishSix();
  harness.running.service = await harness.start();
  await fourAreInFlight(ids);
  const closed = harness.running.service.close();
  stopping.resolve();
  await closed;
  const statuses = await seller.statuses();
  expect(statuses.filter((status) => status === 'delivered').length).toBeGreaterThanOrEqual(4);
  expect(statuses).not.toContain('sending');
  harness.running.service = await harness.start();
  await allAreDelivered();
  expect(seller.received().sort()).toEqual(ids.sort());
});
