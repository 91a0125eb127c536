import { fileURLToPath } from 'node:url';
import { defineEvent, type EventDefinition } from '@app/contracts/define';
import { roundEnded } from '@app/service-kit/background-loop';
import { openDatabase } from '@app/service-kit/database';
import { spawnNode } from '@app/testing/child-service';
import { guardLeaks } from '@app/testing/leak-guard';
import { listen } from '@app/testing/points';
import { plannedScans } from '@app/testing/sql';
import { startTcpProxy } from '@app/testing/tcp-proxy';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { connectNats } from '../src/connect.ts';
import type { EventConsumers } from '../src/consume.ts';
import { replayState, requestReplay } from '../src/dead-letters.ts';
import { onEvent } from '../src/event-handler.ts';
import { eventsGivenUp } from '../src/points.ts';
import { waitingStatement } from '../src/replay-dead-letters.ts';
import { replayStream } from '../src/replay-stream.ts';
import { attemptsMax } from '../src/retry-policy.ts';
import {
  counted,
  databaseOptions,
  eachTestConsumes,
  failed,
  handled,
  insertEffects,
  numbers,
  publish,
  range,
  recordingLogger,
  recounted,
} from './harness.ts';

guardLeaks();

const rig = eachTestConsumes({ ackWaitMs: 1_000 });

/** The same kind, known to a version that knows only small numbers. */
const countedSmall = defineEvent('checkout', 'test.counted', 1, z.object({ n: z.int().max(99) }));

/** Short pauses, where the usual ones double from a second. */
const timing = { retryMs: 20, replayMs: 50 };

interface Version {
  readonly definition?: EventDefinition;
  /** @throws Error for an event that cannot take effect */
  readonly refuse?: (n: number) => boolean;
}

async function consume({ definition = counted, refuse = () => false }: Version = {}): Promise<EventConsumers> {
  const handler = onEvent(definition, async (events, client) => {
    const received = events as readonly { id: string; data: { n: number } }[];
    if (received.some(({ data }) => refuse(data.n))) throw new Error('this one never works');
    await insertEffects(received, client);
  });
  return await rig.consume({ handlers: [handler], timing });
}

const query = async <Row>(sql: string): Promise<Row[]> => (await rig.db.database.pool.query(sql)).rows as Row[];
const attempts = () =>
  query<{ event_id: string; attempts: number }>('select event_id, attempts from event_attempts order by 1');
const letters = () => query<{ event_id: string; error: string }>('select event_id, error from dead_letters order by 1');

const givenUp = (eventId: string, listener = rig.listener) =>
  listener.announced(eventsGivenUp, ({ ids }) => ids.includes(eventId));

/** As if all attempts but the last were made: they take six minutes. */
const bury = async (eventId: string): Promise<void> => {
  await failed(rig.listener, eventId);
  await query(`update event_attempts set attempts = ${attemptsMax - 1} where event_id = '${eventId}'`);
  await givenUp(eventId);
};

test('an event that an old version cannot read is tried again, and takes effect once a new version runs', async () => {
  const old = await consume({ definition: countedSmall });
  await publish(rig.checkout, [1, 100, 2]);
  await handled(rig.listener, [1, 2]);
  await failed(rig.listener, 'evt_100');
  expect(await attempts()).toHaveLength(1);
  expect(await letters()).toEqual([]);
  await old.close();
  await consume();
  await handled(rig.listener, [100]);
  expect(await numbers(rig.db.database)).toEqual([1, 2, 100]);
  expect(await attempts()).toEqual([]);
});

test('an event that cannot be read is kept with the reason after its last attempt, and the rest goes on', async () => {
  await consume({ definition: countedSmall });
  await publish(rig.checkout, [1, 100, 2]);
  await handled(rig.listener, [1, 2]);
  await bury('evt_100');
  expect(await letters()).toMatchObject([{ event_id: 'evt_100', error: expect.stringContaining('cannot be read') }]);
  expect(await attempts()).toEqual([]);
  expect(await numbers(rig.db.database)).toEqual([1, 2]);
});

test('an event that fails is counted over restarts, and is forgotten when it takes effect', async () => {
  const refuse = (n: number) => n === 13;
  const first = await consume({ refuse });
  await publish(rig.checkout, range(10, 20));
  await handled(
    rig.listener,
    range(10, 20).filter((n) => n !== 13),
  );
  await failed(rig.listener, 'evt_13', 2);
  await first.close();
  const [before] = await attempts();
  expect(before?.attempts).toBeGreaterThanOrEqual(2);
  const again = listen();
  const second = await consume({ refuse });
  await failed(again, 'evt_13');
  expect((await attempts())[0]?.attempts).toBeGreaterThan(before?.attempts ?? 0);
  await second.close();
  await consume();
  await handled(rig.listener, [13]);
  expect(await numbers(rig.db.database)).toHaveLength(10);
  expect(await attempts()).toEqual([]);
});

test('an event that ends the process is counted, given up, and its neighbours take effect', async () => {
  const child = fileURLToPath(new URL('crashing-consumer.ts', import.meta.url));
  await publish(rig.checkout, range(10, 20));
  const env = { DATABASE_URL: rig.db.url, ...rig.nats.settings('metrics') };
  const crashing = await spawnNode(child, env);
  expect(await crashing.exited).toBeNull();
  await crashing.restart();
  expect(await crashing.exited).toBeNull();
  // It was delivered a second time: from then on each attempt is written down before it is begun.
  expect(await attempts()).toContainEqual({ event_id: 'evt_13', attempts: 1 });
  await query(`update event_attempts set attempts = ${attemptsMax} where event_id = 'evt_13'`);
  // The third process is this one: the event is given up before it is handled.
  await consume({ refuse: (n) => n === 13 });
  await givenUp('evt_13');
  await handled(
    rig.listener,
    range(10, 20).filter((n) => n !== 13),
  );
  expect(await numbers(rig.db.database)).toHaveLength(9);
  expect(await letters()).toMatchObject([{ event_id: 'evt_13', error: expect.stringContaining('the process ended') }]);
});

test('a dead letter replayed takes effect once, and one that fails again is kept with its new reason', async () => {
  const broken = await consume({ refuse: (n) => n > 12 });
  await publish(rig.checkout, range(10, 15));
  await bury('evt_13');
  await bury('evt_14');
  await broken.close();
  const again = listen();
  await consume({ refuse: (n) => n === 14 });
  const before = await letters();
  const requested = await requestReplay(rig.db.database, { subject: counted.subject }, 100);
  if (requested === undefined) throw new Error('there were dead letters');
  expect(requested.eventIds.toSorted()).toEqual(['evt_13', 'evt_14']);
  await handled(again, [13]);
  await givenUp('evt_14', again);
  expect(await replayState(rig.db.database, requested)).toEqual({ open: 0, failed: 1 });
  expect(await numbers(rig.db.database)).toEqual([10, 11, 12, 13]);
  expect(before.map((letter) => letter.event_id)).toEqual(['evt_13', 'evt_14']);
  expect(await letters()).toMatchObject([{ event_id: 'evt_14', error: expect.stringContaining('never works') }]);
  // Its effect is in the inbox: were it delivered once more, nothing would happen.
  expect(await query(`select event_id from inbox where event_id = 'evt_13'`)).toHaveLength(1);
});

/** A dead letter whose replay was requested so many seconds ago. */
const requestedLetter = async (n: number, { subject } = counted, secondsAgo = 0): Promise<void> => {
  const event = { id: `evt_${n}`, accountId: 'acc_1', occurredAt: new Date().toISOString(), data: { n } };
  await query(`insert into dead_letters (event_id, stream, subject, payload, error, replay_requested_at)
    values ('evt_${n}', 'CHECKOUT', '${subject}', '${JSON.stringify(event)}', 'failed',
      now() - interval '${secondsAgo} seconds')`);
};

const waiting = () => query('select event_id from dead_letters where replay_requested_at is not null order by 1');
const coded = (code: string) => Object.assign(new Error(`failed with ${code}`), { code });

/** Handles events of the tests, but throws first what `failure` returns for them. */
const failing = (failure: (ns: readonly number[]) => Error | undefined, definition = counted) =>
  onEvent(definition, async (events, client) => {
    const err = failure(events.map(({ data }) => data.n));
    if (err !== undefined) throw err;
    await insertEffects(events, client);
  });

test('a dead letter whose statement always takes too long is kept, and those beside it are replayed', async () => {
  for (const n of [12, 13]) await requestedLetter(n);
  let alone = 0;
  const handler = failing((ns) => {
    if (ns.length === 1 && ns[0] === 12) alone += 1;
    return ns.includes(12) ? coded('57014') : undefined;
  });
  await rig.consume({ handlers: [handler], timing });
  await givenUp('evt_12');
  await handled(rig.listener, [13]);
  expect(alone).toBe(attemptsMax);
  expect(await letters()).toMatchObject([{ event_id: 'evt_12', error: expect.stringContaining('57014') }]);
  expect(await waiting()).toEqual([]);
});

test.each(['57014', '40P01'])(
  'dead letters that meet a slow database (%s) are replayed once it is not',
  async (code) => {
    const ns = range(12, 18);
    for (const n of ns) await requestedLetter(n);
    let failures = 0;
    const handler = failing(() => (++failures <= 20 ? coded(code) : undefined));
    await rig.consume({ handlers: [handler], timing });
    await handled(rig.listener, ns);
    expect(rig.listener.sofar(eventsGivenUp)).toEqual([]);
    expect(await letters()).toEqual([]);
  },
);

test('dead letters of one kind are replayed in the order of their requests', async () => {
  const ns = range(10, 30);
  for (const n of ns) await requestedLetter(n, counted, n);
  let first: readonly number[] | undefined;
  const handler = failing((batch) => {
    first ??= batch;
    return undefined;
  });
  await rig.consume({ handlers: [handler], timing });
  await handled(rig.listener, ns);
  expect(first).toEqual(ns.toReversed());
});

test('a dead letter whose neighbour never answers keeps waiting, and no other waits for it', async () => {
  await requestedLetter(12, counted, 60);
  for (const n of [13, 14]) await requestedLetter(n);
  await requestedLetter(50, recounted);
  const unavailable = failing((ns) => (ns.includes(12) ? coded('service_unavailable') : undefined));
  await rig.consume({ handlers: [unavailable, onEvent(recounted, insertEffects)], timing });
  await handled(rig.listener, [13, 14, 50]);
  expect(await letters()).toMatchObject([{ event_id: 'evt_12' }]);
});

/** A consumer by way of a proxy that fails when the first letter is tried. */
async function consumeUntilOutage(how: 'refuse' | 'hang', replayMs: number) {
  for (const n of [12, 13, 14]) await requestedLetter(n);
  const proxy = rig.opened(await startTcpProxy(rig.db.url));
  // Only a server that does not answer is waited for.
  const limits = { statementMs: 2_500, silenceMs: 500, connectMs: 2_500 };
  const options = { ...databaseOptions(proxy.url), ...(how === 'hang' && { limits }) };
  const database = rig.opened(await openDatabase(options));
  let failed = false;
  const handler = failing(() => {
    if (!failed) proxy.fail(how);
    failed = true;
    return undefined;
  });
  const { logger, lines } = recordingLogger();
  const consumers = await rig.consume({ database, logger, handlers: [handler], timing: { ...timing, replayMs } });
  return { proxy, consumers, lines };
}

const replaysFailed = (times: number) =>
  rig.listener.announced(roundEnded, ({ loop, failed }) => loop === 'metrics.replays' && failed, times);

test.each(['refuse', 'hang'] as const)(
  'while the database is away (%s) no request to replay a dead letter is lost',
  async (how) => {
    const { proxy, lines } = await consumeUntilOutage(how, timing.replayMs);
    await replaysFailed(3);
    expect(await waiting()).toEqual([]);
    proxy.restore();
    await handled(rig.listener, [12, 13, 14]);
    expect(await numbers(rig.db.database)).toEqual([12, 13, 14]);
    expect(await letters()).toEqual([]);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
  },
);

test('dead letters whose taking up committed without an answer are replayed all the same', async () => {
  for (const n of [12, 13]) await requestedLetter(n);
  const { database } = rig.db;
  let lost = 0;
  const query = async (config: { readonly text: string }, values?: unknown[]) => {
    const result = await database.pool.query(config as never, values);
    if (config.text.includes('replay_requested_at = null') && ++lost === 1)
      throw new Error('Connection terminated unexpectedly');
    return result;
  };
  const losing = { ...database, pool: Object.assign(Object.create(database.pool), { query }) };
  await rig.consume({ database: losing, handlers: [failing(() => undefined)], timing });
  await handled(rig.listener, [12, 13]);
  expect(await letters()).toEqual([]);
});

test('a consumer that closes after an outage makes the requests again, and says so when it cannot', async () => {
  const hour = 3_600_000;
  const { proxy, consumers } = await consumeUntilOutage('refuse', hour);
  await replaysFailed(1);
  proxy.restore();
  await consumers.close();
  expect(await waiting()).toHaveLength(3);

  await query('truncate dead_letters');
  const second = await consumeUntilOutage('refuse', hour);
  await replaysFailed(2);
  await second.consumers.close();
  expect(await waiting()).toEqual([]);
  expect(second.lines.map(({ text }) => text)).toContainEqual(expect.stringContaining('were lost in an outage'));
});

test('taking up dead letters reads along an index, however many wait', async () => {
  await query(`insert into dead_letters (event_id, stream, subject, payload, error, replay_requested_at)
    select 'evt_' || n, 's', 'subject_' || n % 2, repeat('x', 500), 'e', now() from generate_series(1, 20000) n`);
  await query('analyze dead_letters');
  const scans = await plannedScans(rig.db.url, waitingStatement().text);
  const read = scans.filter(({ table }) => table === 'dead_letters').map(({ index }) => index);
  expect(read.toSorted()).toEqual(['dead_letters_waiting', 'dead_letters_waiting']);
});

test('a stream replayed since a time gives a consumer what its inbox has not, and nothing twice', async () => {
  await consume();
  // A clock may be set back by some milliseconds.
  const before = new Date(Date.now() - 1_000);
  await publish(rig.checkout, range(0, 510));
  await handled(rig.listener, range(0, 510));
  // As after the restore of a backup.
  await query(`delete from inbox where event_id in ('evt_3', 'evt_500', 'evt_501')`);
  await query('delete from effects where n in (3, 500, 501)');
  const again = listen();
  const metrics = rig.opened(await connectNats(rig.nats.login('metrics')));
  const found = await replayStream(metrics, rig.db.database, counted, before);
  expect(found).toEqual({ read: 510, handed: 3, dead: 0 });
  await handled(again, [3, 500, 501]);
  expect(await numbers(rig.db.database)).toEqual(range(0, 510));
  expect(await letters()).toEqual([]);
  const after = new Date(Date.now() + 60_000);
  expect(await replayStream(metrics, rig.db.database, counted, after)).toEqual({ read: 0, handed: 0, dead: 0 });
});
