import { durableName, type EventDefinition } from '@app/contracts/define';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { connectObserver } from '@app/testing/nats';
import { type Consumer, type JetStreamManager, type JsMsg, jetstreamManager } from '@nats-io/jetstream';
import { beforeEach, expect, test } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { openPublisher, publishBatch } from '../src/publish-outbox.ts';
import { keepWithinBound } from '../src/stream-bound.ts';
import { openConsumer, openStreams } from '../src/streams.ts';
import { counted, eachTestConsumes, publish, range, recordingLogger, recounted, logger as silent } from './harness.ts';

guardLeaks();

const maxBytes = 60_000;
const rig = eachTestConsumes({ streamMaxBytes: maxBytes });
let manager: JetStreamManager;
let observer: JetStreamManager;
let metrics: NatsClient;

beforeEach(async () => {
  manager = await openStreams(rig.opened(await connectNats(rig.nats.login('keeper'))));
  observer = await jetstreamManager(rig.opened(await connectObserver(rig.nats)));
  metrics = rig.opened(await connectNats(rig.nats.login('metrics')));
});

const open = (event: EventDefinition): Promise<Consumer> =>
  openConsumer(metrics, 'EVT_CHECKOUT', durableName('metrics', event));

const stateOf = async () => (await observer.streams.info('EVT_CHECKOUT')).state;

/** One kind of events, up to 85 % of the bound. */
async function fill(from = 0): Promise<void> {
  for (let n = from; (await stateOf()).bytes < 0.85 * maxBytes; n += 10) await publish(rig.checkout, range(n, n + 10));
}

/** Fetches as many, and acknowledges them unless they are to stay under work. */
async function take(consumer: Consumer, count: number, acknowledge = true): Promise<JsMsg[]> {
  const taken: JsMsg[] = [];
  for await (const message of await consumer.fetch({ max_messages: count, expires: 30_000 })) {
    if (acknowledge) await message.ackAck();
    taken.push(message);
  }
  return taken;
}

/** The check that the relay's leader makes once a minute, and the levels of what it logs. */
async function check(requested = manager): Promise<string[]> {
  const { logger, lines } = recordingLogger();
  await keepWithinBound(requested, 'checkout', { maxBytes, logger });
  return lines.map(({ level }) => level);
}

/** The check finds room to make, and makes it. */
async function expectTrimmed(): Promise<void> {
  expect(await check()).toEqual(['info']);
  expect((await stateOf()).bytes).toBeLessThan(0.61 * maxBytes);
}

test('a kind that never comes holds nothing of the others', async () => {
  const often = await open(counted);
  await open(recounted);
  await fill();
  const { messages } = await stateOf();
  await take(often, messages);
  await expectTrimmed();
});

test.each([
  ['under work', true],
  ['not fetched yet', false],
])('a rare event that is %s is kept with those after it, and none before it is', async (_how, fetched) => {
  const often = await open(counted);
  const rarely = await open(recounted);
  await publish(rig.checkout, range(0, 20));
  await publish(rig.checkout, [1_000], recounted);
  await fill(20);
  const { messages } = await stateOf();
  await take(often, messages - 1);
  const rare = fetched ? await take(rarely, 1, false) : [];
  expect(await check()).toEqual(['warn']);
  expect((await stateOf()).first_seq).toBe(21);
  expect((await observer.streams.getMessage('EVT_CHECKOUT', { seq: 21 }))?.subject).toBe(recounted.subject);
  if (fetched) await rare[0]?.ackAck();
  else await take(rarely, 1);
  await expectTrimmed();
});

test('a consumer keeps what it has not acknowledged, and is named for as long as it is in the way', async () => {
  const slow = await open(counted);
  await fill();
  const { messages } = await stateOf();
  expect(await check()).toEqual(['warn']);
  expect((await stateOf()).first_seq).toBe(1);
  await take(slow, 5);
  // It got on, and the stream fills up all the same.
  expect(await check()).toEqual(['warn']);
  expect((await stateOf()).first_seq).toBe(6);
  await take(slow, messages - 5);
  await expectTrimmed();
});

test('what was acknowledged out of order is kept from the first event that was not', async () => {
  const consumer = await open(counted);
  await fill();
  const { messages } = await stateOf();
  const taken = await take(consumer, messages, false);
  for (const message of taken) if (message.seq !== 4 && message.seq !== 9) await message.ackAck();
  await check();
  expect((await stateOf()).first_seq).toBe(4);
  await taken[3]?.ackAck();
  await check();
  expect((await stateOf()).first_seq).toBe(9);
});

test('a stream without a consumer is full for its first consumer', async () => {
  for await (const { name } of observer.consumers.list('EVT_CHECKOUT'))
    await observer.consumers.delete('EVT_CHECKOUT', name);
  await fill();
  expect(await check()).toEqual(['warn']);
  expect((await stateOf()).first_seq).toBe(1);
});

test('nothing goes while nats-server leaves a consumer out of its list', async () => {
  const often = await open(counted);
  await open(recounted);
  await publish(rig.checkout, [1_000], recounted);
  await fill();
  const { messages } = await stateOf();
  await take(often, messages - 1);
  const { consumers } = manager;
  async function* listed() {
    for await (const consumer of consumers.list('EVT_CHECKOUT'))
      if (consumer.config.filter_subject === counted.subject) yield consumer;
  }
  const cluster = { streams: manager.streams, consumers: { list: listed } } as unknown as JetStreamManager;
  expect(await check(cluster)).toEqual(['warn']);
  expect((await stateOf()).first_seq).toBe(1);
});

test.each([
  ['has a larger one', maxBytes],
  ['has none', -1],
])('a bound below what the stream holds waits until that was handled, where the stream %s', async (_, present) => {
  await fill();
  await observer.streams.update('EVT_CHECKOUT', { max_bytes: present });
  const { messages } = await stateOf();
  const lowered = maxBytes / 2;
  await rig.keep({ streamMaxBytes: lowered });
  const full = await observer.streams.info('EVT_CHECKOUT');
  expect([full.config.max_bytes, full.state.messages]).toEqual([present, messages]);
  await take(await open(counted), messages);
  // One look trims the stream, the next one bounds it.
  for (const _look of [1, 2]) await rig.keep({ streamMaxBytes: lowered });
  const { config, state } = await observer.streams.info('EVT_CHECKOUT');
  expect([config.max_bytes, state.last_seq]).toEqual([lowered, messages]);
  expect(state.bytes).toBeGreaterThan(0.5 * lowered);
});

/** Writes as many events of one size as the stream holds and half as many again, and publishes until no more is taken. */
async function overfill(bytes: number): Promise<number> {
  const { pool } = rig.db.database;
  await pool.query('delete from outbox');
  await pool.query(
    `insert into outbox (event_id, subject, payload)
     select 'evt_' || $1::int || '_' || n, $2, repeat('x', $1::int) from generate_series(1, $3::int) as n`,
    [bytes, counted.subject, Math.ceil((1.5 * maxBytes) / bytes)],
  );
  const session = await pool.connect();
  const publisher = await openPublisher({ nats: rig.checkout, session: session as never, manager, logger: silent });
  for (let attempts = 0; attempts < 8; attempts += 1) await publishBatch(publisher).catch(() => undefined);
  publisher.stream.close();
  session.release();
  const { rows } = await pool.query<{ n: number }>('select count(stream_seq)::int as n from outbox');
  return rows[0]?.n ?? 0;
}

test('a stream that fills up loses nothing that it took, whatever the size of its events', async () => {
  for (let bytes = 450; bytes <= 1_350; bytes += volume(300, 75)) {
    await observer.streams.purge('EVT_CHECKOUT');
    const emptyFrom = (await stateOf()).last_seq + 1;
    const accepted = await overfill(bytes);
    const state = await stateOf();
    expect([bytes, state.first_seq, state.messages]).toEqual([bytes, emptyFrom, accepted]);
    expect(state.bytes).toBeGreaterThan(0.9 * maxBytes);
  }
});
