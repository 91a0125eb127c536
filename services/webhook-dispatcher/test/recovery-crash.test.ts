import { fileURLToPath } from 'node:url';
import { getRecovery, recover, redeliver } from '@app/contracts/webhook-deliveries';
import { getWebhookEndpoint } from '@app/contracts/webhooks';
import { spawnNode } from '@app/testing/child-service';
import { volume } from '@app/testing/long';
import { listen } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { expect, test } from 'vitest';
import { recoveryEnqueued } from '../src/points/points.ts';
import { attempted, finished } from './harness.ts';
import { connectedAccount } from './orders.ts';
import { harness, startService } from './set-up.ts';
import { addStored, deliveriesOf } from './stored.ts';

startService();
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

const many = volume(120, 900);
const perSecond = volume(20, 300);
const kills = volume(2, 5);

/** Starts the service as a process of its own, in place of the one in this process. */
async function startChild() {
  await harness.running.service.close();
  const sessions = `select pid from pg_stat_activity
    where datname = current_database() and application_name = 'webhook-dispatcher' and pid <> all ($1::int[] || pg_backend_pid())`;
  const own = (await harness.query<{ pid: number }>(sessions, [[]])).map(({ pid }) => pid);
  const child = await spawnNode(main, harness.env, { readyLine: /ready$/ });
  return {
    restart: child.restart,
    kill: async () => {
      await child.kill('SIGKILL');
      await pollSystem('the end of the sessions of a killed process', async () => {
        return (await harness.query(sessions, [own])).length === 0;
      });
      // The next process would wait for three seconds whether it lives.
      await harness.query(`update deliveries set lease_until = now() where status = 'sending'`);
    },
  };
}

test('kill -9 at any point of enqueuing, and connections that break in a transaction, lose and double no row: everything is enqueued once and delivered', async () => {
  // The child runs in real time and not by the test's clock.
  harness.clock.set(new Date());
  const seller = await connectedAccount(harness);
  const { id: endpointId } = await harness.request(getWebhookEndpoint, seller.account, {});
  // A part of the events is older than the endpoint: their deliveries are made by the recovery.
  const stored = Array.from({ length: many }, (_, n) => ({ endpointId: n < many / 3 ? null : endpointId }));
  const ids = await addStored(harness, seller.account, stored);
  const child = await startChild();
  const since = new Date(harness.clock.nowMs() - 60_000).toISOString();
  const { id } = await harness.request(recover, seller.account, { endpointId, body: { since, which: 'all' } });
  const setRate = (rate: number) => harness.query('update recoveries set per_second = $2 where id = $1', [id, rate]);
  await setRate(perSecond);
  const moved = async () => {
    const text = `select queued, (select count(*) from deliveries where recovery_id = $1)::int
        + (select count(*) from finished_deliveries where recovery_id = $1)::int as rows
      from recoveries where id = $1`;
    return (await harness.query<{ queued: number; rows: number }>(text, [id]))[0];
  };
  for (let n = 1; n <= kills; n += 1) {
    const listener = listen();
    if (n > 1) await child.restart();
    if ((await moved())?.queued !== many)
      await listener.announced(recoveryEnqueued, (one) => one.recoveryId === id && one.due);
    if (n % 2 === 0)
      await harness.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'webhook-dispatcher' and pid <> pg_backend_pid()
           and query like '%recover%'`,
      );
    await child.kill();
    // As many rows have moved as the recovery says.
    const { queued, rows } = (await moved()) ?? {};
    expect(rows).toBe(queued);
  }
  await setRate(10_000);
  harness.clock.set(new Date());
  harness.running.service = await harness.start();
  await finished(id);
  expect(await harness.query('select status, total, queued from recoveries where id = $1', [id])).toEqual([
    { status: 'done', total: many, queued: many },
  ]);
  for (const delivery of await deliveriesOf(harness, seller.account))
    if (delivery.status !== 'delivered') await attempted({ deliveryId: delivery.id, delivered: true });
  expect(await harness.request(getRecovery, seller.account, { recoveryId: id })).toMatchObject({
    ...{ delivered: many, failed: 0 },
  });
  const deliveries = await deliveriesOf(harness, seller.account);
  expect(deliveries.map((delivery) => delivery.event_id).sort()).toEqual(ids);
  expect(deliveries.every((delivery) => delivery.status === 'delivered')).toBe(true);
  expect(new Set(seller.received())).toEqual(new Set(ids));
  const text = `select count(*)::int as count from events
    where account_id = $1 and cardinality(delivery_ids) = 1 and endpoint_ids = array[$2]`;
  expect(await harness.query(text, [seller.account, endpointId])).toEqual([{ count: many }]);
});

test('a redelivery whose process is killed after its answer is sent by the next process', async () => {
  harness.clock.set(new Date());
  const seller = await connectedAccount(harness);
  const { id: endpointId } = await harness.request(getWebhookEndpoint, seller.account, {});
  const [eventId] = await addStored(harness, seller.account, [{ endpointId }]);
  const [stored] = await deliveriesOf(harness, seller.account);
  const gate = Promise.withResolvers<void>();
  seller.receiver.respondWith(async () => {
    await gate.promise;
    return { status: 200 };
  });
  const child = await startChild();
  await harness.request(redeliver, seller.account, { deliveryId: stored?.id ?? '' });
  await child.kill();
  gate.resolve();
  harness.clock.set(new Date());
  harness.running.service = await harness.start();
  await seller.delivered();
  expect(await deliveriesOf(harness, seller.account)).toMatchObject([
    { id: stored?.id, status: 'delivered', attempts: 13 },
  ]);
  expect(new Set(seller.received())).toEqual(new Set([eventId]));
});
