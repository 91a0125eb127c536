import { durableName } from '@app/contracts/define';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { connectObserver, createNatsServer, type TestNatsServer } from '@app/testing/nats';
import { closedAfterEach } from '@app/testing/opened';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { beforeEach, expect, test } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { startConsumers } from '../src/consume.ts';
import { onEvent } from '../src/event-handler.ts';
import { startRelay } from '../src/relay.ts';
import { replayStream } from '../src/replay-stream.ts';
import { ensureStream } from '../src/streams.ts';
import {
  counted,
  insertEffects,
  logger,
  numbers,
  openTestDb,
  range,
  record,
  type TestDb,
  testLinks,
} from './harness.ts';

guardLeaks();

let nats: TestNatsServer;
let producer: TestDb;
let consumer: TestDb;
const opened = closedAfterEach();

beforeEach(async () => {
  nats = opened(await createNatsServer(testLinks));
  producer = opened(await openTestDb());
  consumer = opened(await openTestDb());
});

async function link(service: 'checkout' | 'metrics'): Promise<NatsClient> {
  const connected = await connectNats(nats.login(service));
  opened(connected);
  return connected;
}

/** From outside: a service's own user may not delete its stream. */
async function streamManager(): Promise<JetStreamManager> {
  const observer = await connectObserver(nats);
  opened(observer);
  return await jetstreamManager(observer);
}

function relayOn(connected: NatsClient) {
  const relay = startRelay({ nats: connected, databaseUrl: producer.url, logger, streamReplicas: 1 });
  opened(relay);
  return relay;
}

function consumeInto(connected: NatsClient, poison?: number) {
  const started = startConsumers({
    nats: connected,
    database: consumer.database,
    logger,
    handlers: [
      onEvent(counted, async (events, client) => {
        if (events.some((event) => event.data.n === poison)) throw new Error('this one never works');
        await insertEffects(events, client);
      }),
    ],
  });
  opened(started);
  return started;
}

const marked = async (): Promise<number> => {
  const { rows } = await producer.database.pool.query<{ n: number }>(
    'select count(*)::int as n from outbox where stream_seq is not null',
  );
  return rows[0]?.n ?? 0;
};

test('events that do not concern a service are acknowledged without a transaction; the others among them take effect', async () => {
  relayOn(await link('checkout'));
  const metrics = await link('metrics');
  const isTenth = ({ n }: { n: number }): boolean => n % 10 === 0;
  const handlers = [onEvent(counted, async (events, client) => void (await insertEffects(events, client)), isTenth)];
  const started = startConsumers({ nats: metrics, database: consumer.database, logger, handlers });
  opened(started);
  await record(producer.database, range(0, 300));
  const manager = await streamManager();
  const settled = async (): Promise<boolean> => {
    const { ack_floor } = await manager.consumers.info('EVT_CHECKOUT', durableName('metrics', counted));
    return ack_floor.stream_seq === 300;
  };
  await eventually(settled);
  expect(await numbers(consumer.database)).toEqual(range(0, 300).filter((n) => isTenth({ n })));
  const inInbox = async (): Promise<number | undefined> =>
    (await consumer.database.pool.query<{ n: number }>('select count(*)::int as n from inbox')).rows[0]?.n;
  expect(await inInbox()).toBe(30);
  // A replay of the stream hands over what the inbox does not have: that changes nothing either.
  const replayed = await replayStream(metrics, consumer.database, counted, new Date(0));
  expect(replayed).toEqual({ read: 300, handed: 270, dead: 0 });
  await eventually(async () => (await inInbox()) === 300);
  expect(await numbers(consumer.database)).toEqual(range(0, 300).filter((n) => isTenth({ n })));
});

test('every committed event takes effect exactly once, in the order written', async () => {
  relayOn(await link('checkout'));
  consumeInto(await link('metrics'));
  for (let start = 0; start < 1_200; start += 300) await record(producer.database, range(start, start + 300));
  await eventually(async () => (await numbers(consumer.database)).length === 1_200, { withinMs: 30_000 });
  expect(await numbers(consumer.database)).toEqual(range(0, 1_200));
  const { rows } = await consumer.database.pool.query<{ n: number }>('select n from effects order by ctid');
  expect(rows.map((row) => row.n).filter((n, index) => n !== index)).toEqual([]);
});

test('an event rolled back with its change is never published', async () => {
  relayOn(await link('checkout'));
  consumeInto(await link('metrics'));
  await producer.database
    .transaction(async (client) => {
      await client.query(`insert into outbox (event_id, subject, payload) values ('evt_x', $1, '{}')`, [
        counted.subject,
      ]);
      throw new Error('the change failed');
    })
    .catch(() => undefined);
  await record(producer.database, [7]);
  await eventually(async () => (await numbers(consumer.database)).length > 0);
  expect(await numbers(consumer.database)).toEqual([7]);
});

test('an event published twice (a relay that died between publish and mark) takes effect once', async () => {
  const connected = await link('checkout');
  const relay = relayOn(connected);
  consumeInto(await link('metrics'));
  await record(producer.database, [1, 2]);
  relay.wake();
  await eventually(async () => (await numbers(consumer.database)).length === 2);
  // The same event once more, past the stream's own window: another message id, the same envelope.
  const { rows } = await producer.database.pool.query<{ subject: string; payload: string }>(
    'select subject, payload from outbox',
  );
  const client = jetstream(connected.connection);
  for (const row of rows) await client.publish(row.subject, row.payload);
  await record(producer.database, [3]);
  await eventually(async () => (await numbers(consumer.database)).includes(3));
  expect(await numbers(consumer.database)).toEqual([1, 2, 3]);
});

test('a stream that lost its tail gets the lost events again', async () => {
  const connected = await link('checkout');
  relayOn(connected);
  await record(producer.database, [1, 2, 3]);
  await eventually(async () => (await marked()) === 3);
  const manager = await streamManager();
  await manager.streams.delete('EVT_CHECKOUT');
  await nats.restart();
  consumeInto(await link('metrics'));
  await eventually(async () => (await numbers(consumer.database)).length === 3, { withinMs: 30_000 });
  expect(await numbers(consumer.database)).toEqual([1, 2, 3]);
});

test('a stream that counts anew while events wait gets the lost ones again', async () => {
  const connected = await link('checkout');
  relayOn(connected);
  await record(producer.database, [1, 2, 3]);
  await eventually(async () => (await marked()) === 3);
  // No reconnect tells the relay: only the places that new events are given.
  const manager = await streamManager();
  await manager.streams.delete('EVT_CHECKOUT');
  await ensureStream(manager, 'checkout', 1);
  await record(producer.database, [4]);
  consumeInto(await link('metrics'));
  await eventually(async () => (await numbers(consumer.database)).length === 4);
  expect(await numbers(consumer.database)).toEqual([1, 2, 3, 4]);
});

test('an event written while nats-server is away is published as soon as it is back', async () => {
  const connected = await link('checkout');
  const relay = relayOn(connected);
  await record(producer.database, [1]);
  await eventually(async () => (await marked()) === 1);
  await nats.kill();
  await record(producer.database, [2]);
  relay.wake();
  await nats.start();
  await eventually(async () => (await marked()) === 2);
});

test('what a closing replica had fetched and not begun goes to another at once', async () => {
  await record(producer.database, range(0, 900));
  relayOn(await link('checkout'));
  await eventually(async () => (await marked()) === 900);
  const first = consumeInto(await link('metrics'));
  await eventually(async () => (await numbers(consumer.database)).length > 0);
  await first.close();
  consumeInto(await link('metrics'));
  await eventually(async () => (await numbers(consumer.database)).length === 900);
});

test('an idle consumer closes at once', async () => {
  relayOn(await link('checkout'));
  const metrics = await link('metrics');
  let closingMs = Number.POSITIVE_INFINITY;
  // More than once only where this machine is busy.
  for (let times = 0; times < 5 && closingMs >= 2_500; times += 1) {
    const idle = consumeInto(metrics);
    await eventually(() => idle.checks[0]?.check().then(() => true));
    const startedMs = performance.now();
    await idle.close();
    closingMs = performance.now() - startedMs;
  }
  expect(closingMs).toBeLessThan(2_500);
});

test('a consumer may start before the first event of its producer', async () => {
  consumeInto(await link('metrics'));
  relayOn(await link('checkout'));
  await record(producer.database, [1]);
  await eventually(async () => (await numbers(consumer.database)).length === 1);
});

test('nats-server killed in mid-stream loses nothing and doubles nothing', async () => {
  relayOn(await link('checkout'));
  consumeInto(await link('metrics'));
  await record(producer.database, range(0, 400));
  await nats.kill();
  await record(producer.database, range(400, 800));
  await nats.start();
  await eventually(async () => (await numbers(consumer.database)).length === 800, { withinMs: 40_000 });
  expect(await numbers(consumer.database)).toEqual(range(0, 800));
});

test('one event that never works does not keep the others of its batch from taking effect', async () => {
  await record(producer.database, range(0, 50));
  relayOn(await link('checkout'));
  consumeInto(await link('metrics'), 25);
  await eventually(async () => (await numbers(consumer.database)).length === 49, { withinMs: 30_000 });
  expect(await numbers(consumer.database)).not.toContain(25);
});

test('two replicas share the work: one relays, both consume, nothing is doubled', async () => {
  relayOn(await link('checkout'));
  const second = relayOn(await link('checkout'));
  consumeInto(await link('metrics'));
  consumeInto(await link('metrics'));
  for (let start = 0; start < 1_000; start += 100) {
    await record(producer.database, range(start, start + 100));
    second.wake();
  }
  await eventually(async () => (await numbers(consumer.database)).length === 1_000, { withinMs: 30_000 });
  expect(await numbers(consumer.database)).toEqual(range(0, 1_000));
});
