import { fileURLToPath } from 'node:url';
import { defineEvent, type EventDefinition } from '@app/contracts/define';
import { spawnNode } from '@app/testing/child-service';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { type EventConsumers, startConsumers } from '../src/consume.ts';
import { replayState, requestReplay } from '../src/dead-letters.ts';
import { onEvent } from '../src/event-handler.ts';
import { replayStream } from '../src/replay-stream.ts';
import { triesMax } from '../src/retry-policy.ts';
import { counted, eachTestConsumes, insertEffects, logger, numbers, publish, range } from './harness.ts';

guardLeaks();

const rig = eachTestConsumes();
let metrics: NatsClient;
beforeEach(async () => {
  metrics = rig.opened(await connectNats(rig.nats.login('metrics')));
});

/** The same kind, known to a version that knows only small numbers. */
const countedSmall = defineEvent('checkout', 'test.counted', 1, z.object({ n: z.int().max(99) }));

interface Consuming {
  readonly definition?: EventDefinition;
  /** @throws Error for an event that cannot take effect */
  readonly refuse?: (n: number) => boolean;
}

function consume({ definition = counted, refuse = () => false }: Consuming = {}): EventConsumers {
  const subscription = onEvent(definition, async (events, client) => {
    const received = events as readonly { id: string; data: { n: number } }[];
    if (received.some(({ data }) => refuse(data.n))) throw new Error('this one never works');
    await insertEffects(received, client);
  });
  return rig.opened(startConsumers({ nats: metrics, database: rig.db.database, handlers: [subscription], logger }));
}

const query = async <Row>(sql: string): Promise<Row[]> => (await rig.db.database.pool.query(sql)).rows as Row[];
const tries = () => query<{ event_id: string; tries: number }>('select event_id, tries from event_tries order by 1');
const letters = () => query<{ event_id: string; error: string }>('select event_id, error from dead_letters order by 1');

/** As if all tries but the last were made: they take six minutes. */
const skipToLastTry = async (eventId: string): Promise<void> => {
  await eventually(async () => (await tries()).some((row) => row.event_id === eventId));
  await query(`update event_tries set tries = ${triesMax - 1} where event_id = '${eventId}'`);
};

const bury = async (eventId: string): Promise<void> => {
  await skipToLastTry(eventId);
  await eventually(async () => (await letters()).some((row) => row.event_id === eventId), { withinMs: 30_000 });
};

test('an event that an old version cannot read is tried again, and takes effect once a new version runs', async () => {
  const old = consume({ definition: countedSmall });
  await publish(rig.checkout, [1, 100, 2]);
  await eventually(async () => (await numbers(rig.db.database)).length === 2);
  await eventually(async () => (await tries()).length === 1);
  expect(await letters()).toEqual([]);
  await old.close();
  consume();
  await eventually(async () => (await numbers(rig.db.database)).length === 3);
  expect(await numbers(rig.db.database)).toEqual([1, 2, 100]);
  expect(await tries()).toEqual([]);
});

test('an event that cannot be read is kept with the reason after its last try, and the rest goes on', async () => {
  consume({ definition: countedSmall });
  await publish(rig.checkout, [1, 100, 2]);
  await bury('evt_100');
  expect(await letters()).toMatchObject([{ event_id: 'evt_100', error: expect.stringContaining('cannot be read') }]);
  expect(await tries()).toEqual([]);
  expect(await numbers(rig.db.database)).toEqual([1, 2]);
});

test('an event that fails is counted over restarts, and is forgotten when it takes effect', async () => {
  const first = consume({ refuse: (n) => n === 13 });
  await publish(rig.checkout, range(10, 20));
  await eventually(async () => (await numbers(rig.db.database)).length === 9);
  const triesOf13 = async () => (await tries())[0]?.tries ?? 0;
  await eventually(async () => (await triesOf13()) >= 2);
  await first.close();
  const before = await triesOf13();
  const second = consume({ refuse: (n) => n === 13 });
  await eventually(async () => (await triesOf13()) > before, { withinMs: 20_000 });
  await second.close();
  consume();
  await eventually(async () => (await numbers(rig.db.database)).length === 10, { withinMs: 30_000 });
  expect(await tries()).toEqual([]);
});

test('an event that ends the process is counted, given up, and its neighbours take effect', async () => {
  const child = fileURLToPath(new URL('crashing-consumer.ts', import.meta.url));
  await publish(rig.checkout, range(10, 20));
  const env = { DATABASE_URL: rig.db.url, ...rig.nats.settings('metrics') };
  const crashing = await spawnNode(child, env, { readyLine: /consuming/ });
  expect(await crashing.exited).toBeNull();
  await crashing.restart();
  expect(await crashing.exited).toBeNull();
  // It was delivered a second time: from then on each try is written down before it is begun.
  expect(await tries()).toContainEqual({ event_id: 'evt_13', tries: 1 });
  await query(`update event_tries set tries = ${triesMax} where event_id = 'evt_13'`);
  await crashing.restart();
  await eventually(async () => (await letters()).length === 1, { withinMs: 40_000 });
  await eventually(async () => (await numbers(rig.db.database)).length === 9);
  await crashing.kill();
  expect(await letters()).toMatchObject([{ event_id: 'evt_13', error: expect.stringContaining('the process ended') }]);
}, 120_000);

test('a dead letter replayed takes effect once, and one that fails again is kept with its new reason', async () => {
  const broken = consume({ refuse: (n) => n > 12 });
  await publish(rig.checkout, range(10, 15));
  await bury('evt_13');
  await bury('evt_14');
  await broken.close();
  consume({ refuse: (n) => n === 14 });
  const before = await letters();
  const requested = await requestReplay(rig.db.database, { subject: counted.subject }, 100);
  if (requested === undefined) throw new Error('there were dead letters');
  expect(requested.eventIds.toSorted()).toEqual(['evt_13', 'evt_14']);
  await eventually(async () => (await replayState(rig.db.database, requested)).open === 0);
  expect(await replayState(rig.db.database, requested)).toEqual({ open: 0, failed: 1 });
  expect(await numbers(rig.db.database)).toEqual([10, 11, 12, 13]);
  expect(before.map((letter) => letter.event_id)).toEqual(['evt_13', 'evt_14']);
  expect(await letters()).toMatchObject([{ event_id: 'evt_14', error: expect.stringContaining('never works') }]);
  // Its effect is in the inbox: were it delivered once more, nothing would happen.
  expect(await query(`select event_id from inbox where event_id = 'evt_13'`)).toHaveLength(1);
});

test('a stream replayed since a time gives a consumer what its inbox has not, and nothing twice', async () => {
  consume();
  // A clock may be set back by some milliseconds.
  const before = new Date(Date.now() - 1_000);
  await publish(rig.checkout, range(0, 700));
  await eventually(async () => (await numbers(rig.db.database)).length === 700);
  // As after the restore of a backup.
  await query(`delete from inbox where event_id in ('evt_3', 'evt_600', 'evt_601')`);
  await query('delete from effects where n in (3, 600, 601)');
  const found = await replayStream(metrics, rig.db.database, counted, before);
  expect(found).toEqual({ read: 700, handed: 3, dead: 0 });
  await eventually(async () => (await numbers(rig.db.database)).length === 700);
  expect(await numbers(rig.db.database)).toEqual(range(0, 700));
  expect(await letters()).toEqual([]);
  const after = new Date(Date.now() + 60_000);
  expect(await replayStream(metrics, rig.db.database, counted, after)).toEqual({ read: 0, handed: 0, dead: 0 });
});
