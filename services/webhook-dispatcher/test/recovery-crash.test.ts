import { fileURLToPath } from 'node:url';
import { getRecovery, recover, redeliver } from '@app/contracts/webhook-deliveries';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { spawnNode } from '@app/testing/child-service';
import { eventually } from '@app/testing/eventually';
import { expect, test, vi } from 'vitest';
import { connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';
import { addStored, deliveriesOf } from './stored.ts';

startService();
vi.setConfig({ testTimeout: 120_000 });
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const many = 900;
const kills = 5;

test('kill -9 at any point of the feed, and connections that break in a transaction, lose and double no row: everything is handed over once and delivered', async () => {
  // The child runs in real time and not by the test's clock.
  harness.clock.set(new Date());
  const seller = await connectedAccount(harness);
  const { id: endpointId } = await harness.ask(getWebhookEndpoint, seller.account, {});
  // A part of the events is older than the endpoint: their deliveries are made by the feed.
  const stored = Array.from({ length: many }, (_, n) => ({ endpointId: n < many / 3 ? null : endpointId }));
  const ids = await addStored(harness, seller.account, stored);
  await harness.running.service.close();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  const since = new Date(harness.clock.nowMs() - 60_000).toISOString();
  const { id } = await harness.ask(recover, seller.account, { endpointId, body: { since, which: 'all' } });
  await harness.query('update recoveries set per_second = 300 where id = $1', [id]);
  const queued = async (): Promise<number> => {
    const [row] = await harness.query<{ queued: number }>('select queued from recoveries where id = $1', [id]);
    return row?.queued ?? 0;
  };
  const rows = async () => {
    const text = `select (select count(*) from deliveries where recovery_id = $1)::int
      + (select count(*) from finished_deliveries where recovery_id = $1)::int as count`;
    return (await harness.query<{ count: number }>(text, [id]))[0]?.count;
  };
  for (let n = 1; n <= kills; n += 1) {
    const before = await queued();
    await eventually(async () => (await queued()) > before || before === many, { withinMs: 20_000, everyMs: 3 });
    if (n % 2 === 0)
      await harness.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'webhook-dispatcher' and pid <> pg_backend_pid()
           and query like '%recover%'`,
      );
    await child.kill('SIGKILL');
    // With nobody left, as many rows have moved as the recovery says.
    await eventually(async () => expect(await rows()).toBe(await queued()));
    await child.restart();
  }
  const done = () => harness.query('select status, total, queued from recoveries where id = $1', [id]);
  await eventually(async () => expect(await done()).toEqual([{ status: 'done', total: many, queued: many }]), {
    withinMs: 60_000,
  });
  await eventually(
    async () => {
      const { delivered, failed } = await harness.ask(getRecovery, seller.account, { recoveryId: id });
      return delivered === many && failed === 0;
    },
    { withinMs: 60_000 },
  );
  const deliveries = await deliveriesOf(harness, seller.account);
  expect(deliveries.map((delivery) => delivery.event_id).sort()).toEqual(ids);
  expect(deliveries.every((delivery) => delivery.status === 'delivered')).toBe(true);
  expect(new Set(seller.received())).toEqual(new Set(ids));
  const text = `select count(*)::int as count from events
    where account_id = $1 and cardinality(delivery_ids) = 1 and endpoint_ids = array[$2]`;
  expect(await harness.query(text, [seller.account, endpointId])).toEqual([{ count: many }]);
  await child.kill('SIGKILL');
  harness.running.service = await harness.start();
});

test('a redelivery whose process is killed after its answer is sent by the next process', async () => {
  harness.clock.set(new Date());
  const seller = await connectedAccount(harness);
  const { id: endpointId } = await harness.ask(getWebhookEndpoint, seller.account, {});
  const [eventId] = await addStored(harness, seller.account, [{ endpointId }]);
  const [stored] = await deliveriesOf(harness, seller.account);
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  await harness.running.service.close();
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  await harness.ask(redeliver, seller.account, { deliveryId: stored?.id ?? '' });
  await child.kill('SIGKILL');
  gate.resolve();
  harness.clock.set(new Date());
  harness.running.service = await harness.start();
  const delivered = [{ id: stored?.id, status: 'delivered', attempts: 13 }];
  await eventually(async () => expect(await deliveriesOf(harness, seller.account)).toMatchObject(delivered), {
    withinMs: 20_000,
  });
  expect(new Set(seller.received())).toEqual(new Set([eventId]));
});
