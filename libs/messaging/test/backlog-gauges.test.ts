import { durableName } from '@app/contracts/define';
import { orderPaid } from '@app/contracts/orders';
import { silentLogger } from '@app/service-kit/logger';
import { metricsPage } from '@app/service-kit/metrics';
import { startTelemetry, type Telemetry } from '@app/service-kit/telemetry';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestNats, type TestNats } from '@app/testing/nats';
import { type Producers, startProducers } from '@app/testing/producers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { observeBacklog } from '../src/backlog-gauges.ts';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { openConsumer } from '../src/streams.ts';
import { openTestDb, record, type TestDb } from './harness.ts';

guardLeaks();
let telemetry: Telemetry;
let nats: TestNats;
let db: TestDb;
let producers: Producers;
const clients: NatsClient[] = [];

beforeAll(async () => {
  telemetry = await startTelemetry({ version: '1', metricsPage: true, logger: silentLogger() });
  nats = await createTestNats();
  db = await openTestDb();
  producers = await startProducers(nats, ['checkout', 'billing']);
});

afterAll(async () => {
  for (const client of clients) await client.close();
  await producers.close();
  await db.close();
  await nats.close();
  await telemetry.shutdown();
});

const connect = async (service: 'metrics' | 'catalog'): Promise<NatsClient> => {
  const client = await connectNats(nats.login(service));
  clients.push(client);
  return client;
};

/** The lines of these gauges, read anew; an age is cut to whole minutes. */
async function shown(client: NatsClient): Promise<string[]> {
  const observed = observeBacklog(client, db.database);
  const page = await metricsPage();
  observed.close();
  const lines = page.split('\n').filter((line) => /^(outbox|dead_letters|nats.*order.paid)/.test(line));
  return lines.map((line) =>
    line.replace(/^(outbox_oldest.*) (\d+)\.?\d*$/, (_, name, s) => `${name} ${Math.floor(s / 60)}`),
  );
}

const ofOrders =
  'service_name="metrics",messaging_system="nats",messaging_destination_name="evt.checkout.order.paid.v1",messaging_consumer_group_name="metrics"';

test('a consumer shows what its durables have not delivered, what is not acknowledged, and its dead letters', async () => {
  const client = await connect('metrics');
  const durable = await openConsumer(client, 'EVT_CHECKOUT', durableName('metrics', orderPaid));
  for (const id of ['evt_1', 'evt_2', 'evt_3']) {
    await producers.publish(orderPaid, { id, accountId: 'acc_1', occurredAt: '2026-01-01T00:00:00.000Z', data: {} });
  }
  const message = await durable.next({ expires: 20_000 });
  await db.database.pool.query(
    `insert into dead_letters (event_id, stream, subject, payload, error)
     values ('evt_4', 'EVT_CHECKOUT', 'evt.checkout.order.paid.v1', '{}', 'bad')`,
  );
  expect(await shown(client)).toEqual([
    'dead_letters{service_name="metrics"} 1',
    `nats_consumer_pending{${ofOrders}} 2`,
    `nats_consumer_ack_pending{${ofOrders}} 1`,
  ]);
  await message?.ackAck();
  expect(await shown(client)).toContain(`nats_consumer_ack_pending{${ofOrders}} 0`);
});

test('a publisher shows the events that are not published, and since when the oldest waits', async () => {
  const client = await connect('catalog');
  const waiting = (events: number, minutes: number) => [
    `outbox_events{service_name="catalog"} ${events}`,
    `outbox_oldest_event_age_seconds{service_name="catalog"} ${minutes}`,
  ];
  expect(await shown(client)).toEqual(waiting(0, 0));
  await record(db.database, [1, 2, 3]);
  await db.database.pool.query(
    `update outbox set created_at = now() - interval '90 minutes' where id = (select min(id) from outbox)`,
  );
  expect(await shown(client)).toEqual(waiting(3, 90));
  await db.database.pool.query(
    'update outbox set stream_seq = id, published_at = now() where id < (select max(id) from outbox)',
  );
  expect(await shown(client)).toEqual(waiting(1, 0));
});
