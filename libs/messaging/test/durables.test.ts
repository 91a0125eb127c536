import { cp, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { durableName } from '@app/contracts/define';
import { guardLeaks } from '@app/testing/leak-guard';
import { connectObserver } from '@app/testing/nats';
import { listen } from '@app/testing/points';
import { pollSystem } from '@app/testing/poll-system';
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/transport-node';
import { beforeEach, expect, test, vi } from 'vitest';
import type { EventConsumers } from '../src/consume.ts';
import { onEvent } from '../src/event-handler.ts';
import { insertOutboxSql, outboxRow } from '../src/outbox.ts';
import { connectionChanged, consumingBegan, streamsKept } from '../src/points.ts';
import { openPublisher, publishBatch } from '../src/publish-outbox.ts';
import { openStreams } from '../src/streams.ts';
import {
  counted,
  eachTestConsumes,
  handled,
  insertEffects,
  logger,
  numbers,
  publish,
  published,
  range,
  record,
  recounted,
} from './harness.ts';

guardLeaks();

const rig = eachTestConsumes();
let manager: JetStreamManager;

const durable = durableName('metrics', counted);

beforeEach(() => observe());

/** Inspects from outside; anew after a restart, because this client takes seconds to come back. */
async function observe(): Promise<void> {
  const observer = rig.opened(await connectObserver(rig.nats));
  manager = await jetstreamManager(observer);
}

const consume = (definitions = [counted]): Promise<EventConsumers> =>
  rig.consume({ handlers: definitions.map((definition) => onEvent(definition, insertEffects)) });

const infoOf = (name = durable) => manager.consumers.info('EVT_CHECKOUT', name);

/** Events take effect before nats-server has their acknowledgements. */
const acknowledged = (count: number) =>
  pollSystem(`the acknowledgement of ${count} events`, async () => (await infoOf()).ack_floor.stream_seq === count);

test('an old replica beside a new one takes nothing of a kind it does not know', async () => {
  await consume();
  await consume([counted, recounted]);
  await publish(rig.checkout, range(0, 50));
  await publish(rig.checkout, range(1_000, 1_300), recounted);
  await publish(rig.checkout, range(50, 100));
  const all = [...range(0, 100), ...range(1_000, 1_300)];
  await handled(rig.listener, all);
  expect(await numbers(rig.db.database)).toEqual(all);
});

test('a kind that is new to a running consumer comes from the beginning of the stream, and old kinds go on', async () => {
  const old = await consume();
  await publish(rig.checkout, range(1_000, 1_010), recounted);
  await publish(rig.checkout, range(0, 10));
  await handled(rig.listener, range(0, 10));
  await old.close();
  await consume([counted, recounted]);
  await handled(rig.listener, range(1_000, 1_010));
  await publish(rig.checkout, range(10, 20));
  await handled(rig.listener, range(10, 20));
  expect(await numbers(rig.db.database)).toEqual([...range(0, 20), ...range(1_000, 1_010)]);
});

test('a consumer is delivered only the kinds it consumes', async () => {
  await consume();
  await publish(rig.checkout, range(1_000, 1_050), recounted);
  await publish(rig.checkout, [1]);
  await handled(rig.listener, [1]);
  const info = await manager.consumers.info('EVT_CHECKOUT', durable);
  expect(info.config.filter_subject).toBe(counted.subject);
  expect(info.delivered.consumer_seq).toBe(1);
});

test('a durable that another version made gets the settings of this one and goes on', async () => {
  await manager.consumers.update('EVT_CHECKOUT', durable, { ack_wait: nanos(60_000) });
  await rig.keep();
  await consume();
  await publish(rig.checkout, range(0, 5));
  await handled(rig.listener, range(0, 5));
  expect((await infoOf()).config.ack_wait).toBe(nanos(10_000));
});

/** The stream's files as they were, the durables' as they are: what a lost disk cache leaves behind. */
function messageFiles(dataDir: string): string {
  return join(dataDir, 'jetstream', 'STREAMS', 'streams', 'EVT_CHECKOUT', 'msgs');
}

async function saveStream(dataDir: string): Promise<string> {
  const saved = await mkdtemp(join(dataDir, 'saved-'));
  await restart(() => rig.nats.restart());
  await cp(messageFiles(dataDir), saved, { recursive: true });
  return saved;
}

/** Resolves when checkout is connected again and the keeper has looked at all streams. */
async function restart(serverRestarts: () => Promise<void>): Promise<void> {
  const listener = listen();
  await serverRestarts();
  await observe();
  await listener.announced(streamsKept, ({ failed }) => failed.length === 0);
  await listener.announced(connectionChanged, ({ service, up }) => service === 'checkout' && up);
}

async function cutStream(dataDir: string, saved: string): Promise<void> {
  await rm(messageFiles(dataDir), { recursive: true });
  await cp(saved, messageFiles(dataDir), { recursive: true });
}

test.each([
  ['at its start', true],
  ['while it runs, when nats-server comes back', false],
])('a durable ahead of a stream that lost its tail begins anew %s', async (_when, stopped) => {
  const { dataDir } = rig.nats;
  // Only an embedded server's files can be damaged.
  if (dataDir === undefined) return;
  const first = await consume();
  await publish(rig.checkout, range(0, 50));
  await handled(rig.listener, range(0, 50));
  const saved = await saveStream(dataDir);
  await publish(rig.checkout, range(50, 100));
  await handled(rig.listener, range(50, 100));
  await acknowledged(100);
  if (stopped) await first.close();
  const began = listen();
  await restart(async () => {
    await rig.nats.kill();
    await cutStream(dataDir, saved);
    await rig.nats.start();
  });
  expect((await manager.streams.info('EVT_CHECKOUT')).state.last_seq).toBe(50);
  if (stopped) await consume();
  await began.announced(consumingBegan);
  expect((await infoOf()).delivered.stream_seq).toBeLessThanOrEqual(50);
  // The sequence numbers of the lost ones go to other events.
  await publish(rig.checkout, range(200, 220));
  await handled(rig.listener, range(200, 220));
  expect(await numbers(rig.db.database)).toEqual([...range(0, 100), ...range(200, 220)]);
});

test.each([
  ['away', true],
  ['there', false],
])(
  'a consumer that is %s while the lost numbers go to other events misses none',
  { timeout: 120_000 },
  async (_where, away) => {
    const { dataDir } = rig.nats;
    // Only an embedded server's files can be damaged.
    if (dataDir === undefined) return;
    const { pool } = rig.db.database;
    const relay = rig.relay();
    const consumers = await consume();
    const first = await record(rig.db.database, range(0, 50));
    relay.wake();
    await handled(rig.listener, range(0, 50));
    const saved = await saveStream(dataDir);
    // Its id is lower than those of the lost events, and it is committed after them.
    const late = await pool.connect();
    await late.query('begin; set local idle_in_transaction_session_timeout = 0');
    const row = outboxRow(counted, { n: 500 }, { accountId: 'acc_1', requestId: null, nowMs: Date.now() });
    await late.query(insertOutboxSql, [JSON.stringify([row])]);
    const lost = await record(rig.db.database, range(50, 100));
    relay.wake();
    await handled(rig.listener, range(50, 100));
    await published(rig.listener, [...first, ...lost]);
    await acknowledged(100);
    if (away) await consumers.close();
    // What was acknowledged is on the disk; the tail of the stream is not.
    await rig.nats.restart();
    await observe();
    expect((await infoOf()).ack_floor.stream_seq).toBe(100);
    const repaired = listen();
    await rig.nats.kill();
    await late.query('commit');
    late.release();
    await cutStream(dataDir, saved);
    await rig.nats.start();
    await observe();
    await published(repaired, [...lost, row.event_id]);
    expect((await manager.streams.info('EVT_CHECKOUT')).state.last_seq).toBe(101);
    if (away) await consume();
    // One that waits at the durable which the relay deletes may learn of it by its missing heartbeats alone, after 30 s.
    await handled(repaired, [500]);
    expect(await numbers(rig.db.database)).toEqual([...range(0, 100), 500]);
  },
);

test('a durable of a stream that nats-server lost and has again from its files begins anew', async () => {
  const { dataDir } = rig.nats;
  // Only an embedded server's files can be damaged.
  if (dataDir === undefined) return;
  const first = await consume();
  await publish(rig.checkout, range(0, 20));
  await handled(rig.listener, range(0, 20));
  await acknowledged(20);
  await first.close();
  await restart(() => rig.nats.restart());
  await restart(async () => {
    await rig.nats.kill();
    for (const name of ['meta.inf', 'meta.sum']) await rm(join(messageFiles(dataDir), '..', name));
    await rig.nats.start();
  });
  const again = listen();
  await consume();
  await handled(again, range(0, 20));
  expect(await numbers(rig.db.database)).toEqual(range(0, 20));
});

test('a renewal of durables that fails is begun anew, and the events whose numbers went to others are published', async () => {
  const { pool } = rig.db.database;
  const session = await pool.connect();
  const own = await openStreams(rig.checkout);
  const { request: ask } = rig.checkout.connection;
  let fails = false;
  const request = vi.spyOn(rig.checkout.connection, 'request').mockImplementation(async (subject, ...rest) => {
    if (fails && subject.startsWith('keep.')) throw new Error('no answer');
    return await ask.call(rig.checkout.connection, subject, ...rest);
  });
  const renewals = () => request.mock.calls.filter(([subject]) => subject === 'keep.checkout.renew').length;
  const open = () => openPublisher({ nats: rig.checkout, session: session as never, manager: own, logger });
  const { last_seq: end } = (await manager.streams.info('EVT_CHECKOUT')).state;
  await record(rig.db.database, range(0, 5));
  // As after a loss: the stream has nothing at the numbers that these rows are marked with.
  await pool.query(
    `update outbox set stream_seq = $1::bigint + number, published_at = now()
     from (select id as row, row_number() over (order by id) as number from outbox) as o where id = row`,
    [end],
  );
  await record(rig.db.database, range(10, 15));
  const first = await open();
  fails = true;
  await expect(publishBatch(first)).rejects.toThrow('no answer');
  fails = false;
  first.stream.close();
  const next = await open();
  while ((await publishBatch(next)) > 0);
  next.stream.close();
  session.release();
  expect(renewals()).toBe(2);
  expect((await manager.streams.info('EVT_CHECKOUT')).state.last_seq).toBe(end + 10);
  await consume();
  await handled(rig.listener, [...range(0, 5), ...range(10, 15)]);
  expect(await numbers(rig.db.database)).toEqual([...range(0, 5), ...range(10, 15)]);
});
