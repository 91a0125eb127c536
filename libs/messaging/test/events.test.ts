import { durableName } from '@app/contracts/define';
import { guardLeaks } from '@app/testing/leak-guard';
import { connectObserver } from '@app/testing/nats';
import { listen } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { type JetStreamManager, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { expect, test, vi } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { onEvent } from '../src/event-handler.ts';
import { consumingBegan } from '../src/points.ts';
import { replayStream } from '../src/replay-stream.ts';
import { counted, eachTestConsumes, handled, insertEffects, numbers, published, range, record } from './harness.ts';

guardLeaks();

const rig = eachTestConsumes();

const link = async (service: 'checkout' | 'metrics'): Promise<NatsClient> =>
  rig.opened(await connectNats(rig.nats.login(service)));

/** From outside: a service's own user may not delete its stream. */
async function streamManager(): Promise<JetStreamManager> {
  return await jetstreamManager(rig.opened(await connectObserver(rig.nats)));
}

/** The time after which a row whose wake was lost is found never comes. */
const never = 3_600_000;

test('events that do not concern a service are acknowledged without a transaction; the others among them take effect', async () => {
  const relay = rig.relay();
  const nats = await link('metrics');
  const isTenth = ({ n }: { n: number }): boolean => n % 10 === 0;
  const handlers = [onEvent(counted, async (events, client) => void (await insertEffects(events, client)), isTenth)];
  await rig.consume({ nats, handlers, timing: { replayMs: 50 } });
  await record(rig.db.database, range(0, 300));
  relay.wake();
  await handled(rig.listener, range(0, 300));
  const manager = await streamManager();
  await pollSystem('the acknowledgement of all events', async () => {
    const { ack_floor } = await manager.consumers.info('EVT_CHECKOUT', durableName('metrics', counted));
    return ack_floor.stream_seq === 300;
  });
  expect(await numbers(rig.db.database)).toEqual(range(0, 300).filter((n) => isTenth({ n })));
  const inInbox = async (): Promise<number | undefined> =>
    (await rig.db.database.pool.query<{ n: number }>('select count(*)::int as n from inbox')).rows[0]?.n;
  expect(await inInbox()).toBe(30);
  // A replay of the stream redelivers what the inbox does not have: that changes nothing either.
  const again = listen();
  const replayed = await replayStream(nats, rig.db.database, counted, new Date(0));
  expect(replayed).toEqual({ read: 300, handed: 270, dead: 0 });
  await handled(
    again,
    range(0, 300).filter((n) => !isTenth({ n })),
  );
  expect(await inInbox()).toBe(300);
  expect(await numbers(rig.db.database)).toEqual(range(0, 300).filter((n) => isTenth({ n })));
});

/** Events are written in several transactions, and each takes effect once. */
async function relayInParts(relay: { wake(): void }, total: number, part: number): Promise<void> {
  for (let start = 0; start < total; start += part) {
    await record(rig.db.database, range(start, start + part));
    relay.wake();
  }
  await handled(rig.listener, range(0, total));
  expect(await numbers(rig.db.database)).toEqual(range(0, total));
}

test('every committed event takes effect exactly once, in the order written', async () => {
  const relay = rig.relay();
  await rig.consume();
  await relayInParts(relay, 600, 150);
  const { rows } = await rig.db.database.pool.query<{ n: number }>('select n from effects order by ctid');
  expect(rows.map((row) => row.n).filter((n, index) => n !== index)).toEqual([]);
});

test('an event rolled back with its change is never published', async () => {
  const relay = rig.relay();
  await rig.consume();
  await rig.db.database
    .transaction(async (client) => {
      await client.query(`insert into outbox (event_id, subject, payload) values ('evt_x', $1, '{}')`, [
        counted.subject,
      ]);
      throw new Error('the change failed');
    })
    .catch(() => undefined);
  await record(rig.db.database, [7]);
  relay.wake();
  await handled(rig.listener, [7]);
  expect(await numbers(rig.db.database)).toEqual([7]);
  expect((await (await streamManager()).streams.info('EVT_CHECKOUT')).state.messages).toBe(1);
});

test('an event published twice (a relay that died between publish and mark) takes effect once', async () => {
  const relay = rig.relay();
  await rig.consume();
  await record(rig.db.database, [1, 2]);
  relay.wake();
  await handled(rig.listener, [1, 2]);
  // The same event once more, past the stream's own window: another message id, the same envelope.
  const { rows } = await rig.db.database.pool.query<{ subject: string; payload: string }>(
    'select subject, payload from outbox',
  );
  const client = jetstream(rig.checkout.connection);
  for (const row of rows) await client.publish(row.subject, row.payload);
  await record(rig.db.database, [3]);
  relay.wake();
  await handled(rig.listener, [3]);
  expect(await numbers(rig.db.database)).toEqual([1, 2, 3]);
});

test('a stream that lost its tail gets the lost events again', async () => {
  rig.relay();
  await published(rig.listener, await record(rig.db.database, [1, 2, 3]));
  const manager = await streamManager();
  await manager.streams.delete('EVT_CHECKOUT');
  await rig.nats.restart();
  await rig.consume();
  await handled(rig.listener, [1, 2, 3]);
  expect(await numbers(rig.db.database)).toEqual([1, 2, 3]);
});

test('a stream that counts anew while events wait gets the lost ones again', async () => {
  const relay = rig.relay();
  await published(rig.listener, await record(rig.db.database, [1, 2, 3]));
  // No reconnect wakes the relay: only the sequence numbers of new events do.
  const manager = await streamManager();
  await manager.streams.delete('EVT_CHECKOUT');
  // Another keeper's first look.
  await rig.keep();
  await record(rig.db.database, [4]);
  relay.wake();
  await rig.consume();
  await handled(rig.listener, [1, 2, 3, 4]);
  expect(await numbers(rig.db.database)).toEqual([1, 2, 3, 4]);
});

test('an event written while nats-server is away is published as soon as it is back', async () => {
  const relay = rig.relay({ sweepMs: never });
  const first = await record(rig.db.database, [1]);
  relay.wake();
  await published(rig.listener, first);
  await rig.nats.kill();
  const ids = await record(rig.db.database, [2]);
  await rig.nats.start();
  await published(rig.listener, ids);
});

test('what a closing replica had fetched and not begun goes to another at once', async () => {
  rig.relay();
  await published(rig.listener, await record(rig.db.database, range(0, 500)));
  const gate = Promise.withResolvers<void>();
  const slow = onEvent(counted, async (events, client) => {
    await gate.promise;
    await insertEffects(events, client);
  });
  const nats = await link('metrics');
  // Nothing is delivered again because its time to be acknowledged is over.
  await rig.keep({ ackWaitMs: 3_600_000 });
  const first = await rig.consume({ nats, handlers: [slow] });
  const manager = await streamManager();
  await pollSystem('the delivery of all events', async () => {
    const info = await manager.consumers.info('EVT_CHECKOUT', durableName('metrics', counted)).catch(() => undefined);
    return info?.num_ack_pending === 500;
  });
  // What was delivered has arrived when the server answers.
  await nats.connection.flush();
  const closed = first.close();
  gate.resolve();
  await closed;
  const begun = (await numbers(rig.db.database)).length;
  expect(begun).toBeLessThan(500);
  await rig.consume();
  await handled(rig.listener, range(0, 500));
  expect(await numbers(rig.db.database)).toEqual(range(0, 500));
});

/** Between two messages of nats-server to a consumer for which it has no event. */
const heartbeatMs = 5_000;

test('an idle consumer closes at once', async () => {
  const idle = await rig.consume();
  await rig.listener.announced(consumingBegan);
  await idle.checks[0]?.check();
  // No timer fires any more: it closes without waiting for one.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
  try {
    const beganMs = performance.now();
    await idle.close();
    // Nor does it wait for what nats-server sends to an idle consumer.
    expect(performance.now() - beganMs).toBeLessThan(heartbeatMs / 2);
  } finally {
    vi.useRealTimers();
  }
});

test('a consumer may start before the first event of its producer', async () => {
  await (await streamManager()).streams.delete('EVT_CHECKOUT');
  await rig.consume();
  rig.relay();
  await record(rig.db.database, [1]);
  await handled(rig.listener, [1]);
});

test('nats-server killed in mid-stream loses nothing and doubles nothing', async () => {
  rig.relay();
  await rig.consume();
  await record(rig.db.database, range(0, 400));
  await rig.nats.kill();
  await record(rig.db.database, range(400, 800));
  await rig.nats.start();
  await handled(rig.listener, range(0, 800));
  expect(await numbers(rig.db.database)).toEqual(range(0, 800));
});

test('one event that never works does not keep the others of its batch from taking effect', async () => {
  await record(rig.db.database, range(0, 50));
  rig.relay();
  const poisoned = onEvent(counted, async (events, client) => {
    if (events.some((event) => event.data.n === 25)) throw new Error('this one never works');
    await insertEffects(events, client);
  });
  await rig.consume({ handlers: [poisoned] });
  const others = range(0, 50).filter((n) => n !== 25);
  await handled(rig.listener, others);
  expect(await numbers(rig.db.database)).toEqual(others);
});

test('two replicas share the work: one relays, both consume, nothing is doubled', async () => {
  rig.relay();
  const second = rig.relay({ nats: await link('checkout') });
  await rig.consume();
  await rig.consume();
  await relayInParts(second, 500, 50);
});
