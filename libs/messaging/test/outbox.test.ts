import { within } from '@app/service-kit/within';
import { guardLeaks } from '@app/testing/leak-guard';
import { volume } from '@app/testing/long';
import { connectObserver } from '@app/testing/nats';
import { type Listener, listen } from '@app/testing/points';
import { plannedScans } from '@app/testing/sql';
import { jetstreamManager } from '@nats-io/jetstream';
import { TimeoutError } from '@nats-io/transport-node';
import { beforeEach, expect, test, vi } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { createOutboxScan } from '../src/outbox-scan.ts';
import { eventsPublished, leadingBegan, publishingFailed } from '../src/points.ts';
import {
  markStatement,
  openPublisher,
  pendingStatement,
  prunePublished,
  pruneStatement,
  publishBatch,
} from '../src/publish-outbox.ts';
import { type Relay, type RelayOptions, startRelay } from '../src/relay.ts';
import { messagingRetention } from '../src/retention.ts';
import { defaultStreamMaxBytes, openStreams } from '../src/streams.ts';
import { counted, eachTestHasDb, eachTestHasNats, logger, published, range, record, type TestDb } from './harness.ts';

guardLeaks();

const rig = eachTestHasDb(eachTestHasNats());
let db: TestDb;
let listener: Listener;

beforeEach(async () => {
  db = rig.db;
  listener = listen();
  await rig.keep();
});

const checkoutLink = async (): Promise<NatsClient> => rig.opened(await connectNats(rig.nats.login('checkout')));

function relayOn(link: NatsClient, options: Partial<RelayOptions> = {}): Relay {
  return rig.opened(startRelay({ nats: link, databaseUrl: db.url, logger, ...options }));
}

/** From outside: a service may not change its stream. */
const observe = async () => await jetstreamManager(rig.opened(await connectObserver(rig.nats)));

const count = async (condition: string): Promise<number> => {
  const { rows } = await db.database.pool.query<{ n: number }>(
    `select count(*)::int as n from outbox where ${condition}`,
  );
  return rows[0]?.n ?? 0;
};

/** Prunes as a leader does, whose session it stands in for. */
async function prune(): Promise<void> {
  const client = await db.database.pool.connect();
  const publisher = { session: client, prunedSeq: 0 } as unknown as Parameters<typeof prunePublished>[0];
  while (await prunePublished(publisher));
  client.release();
}

/** Pages that a statement touched, cached or not. */
async function pagesOf(text: string, values: unknown[]): Promise<number> {
  const { rows } = await db.database.pool.query<{ 'QUERY PLAN': { Plan: Record<string, number> }[] }>(
    `explain (analyze, buffers, format json) ${text}`,
    values,
  );
  const plan = rows[0]?.['QUERY PLAN'][0]?.Plan ?? {};
  return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
}

test('an event published long after it was written is kept for as long as any other', async () => {
  const ids = await record(db.database, range(0, 3));
  await db.database.pool.query("update outbox set created_at = now() - interval '5 hours'");
  relayOn(await checkoutLink());
  await published(listener, ids);
  expect(await count('stream_seq is not null and published_at is not null')).toBe(3);
  await prune();
  expect(await count('true')).toBe(3);
  await db.database.pool.query("update outbox set published_at = now() - interval '61 minutes' where stream_seq <= 2");
  await prune();
  expect(await count('true')).toBe(1);
});

test('pruning leaves what is not published, however old it is, and deletes all that is due', async () => {
  await db.database.pool.query(
    `insert into outbox (event_id, subject, payload, stream_seq, published_at, created_at)
     select 'evt_' || n, $1, '{}', case when n > 10 then n end, case when n > 10 then now() - interval '2 hours' end,
       now() - interval '3 hours' from generate_series(1, 2000) as n`,
    [counted.subject],
  );
  await prune();
  expect([await count('true'), await count('stream_seq is null')]).toEqual([10, 10]);
});

test('pruning with nothing due reads few pages, however many rows are kept', async () => {
  const rows = volume(12_000, 60_000);
  await db.database.pool.query(
    `insert into outbox (event_id, subject, payload, stream_seq, published_at)
     select 'evt_' || n, $1, repeat('x', 700), n, now() from generate_series(1, $2::int) as n`,
    [counted.subject, rows],
  );
  const pages = await pagesOf('select * from outbox', []);
  expect(pages).toBeGreaterThan(rows / 12);
  expect(await pagesOf(pruneStatement().text, [0])).toBeLessThan(200);
});

test('publishing a row reads few pages, however many rows were published before it', async () => {
  const rows = volume(10_000, 20_000);
  await db.database.pool.query(
    `insert into outbox (event_id, subject, payload) select 'evt_' || n, $1, '{}' from generate_series(1, $2::int) as n`,
    [counted.subject, rows],
  );
  const allButLast = range(1, rows);
  await db.database.pool.query(markStatement().text, [allButLast, allButLast]);
  expect(await pagesOf(pendingStatement().text, [0])).toBeGreaterThan(rows / 100);
  expect(await pagesOf(pendingStatement().text, [rows - 1_000])).toBeLessThan(30);
  for (const { table, lookUp } of await plannedScans(db.url, markStatement().text))
    expect([table, lookUp]).toEqual(['outbox', expect.stringContaining('id = ')]);
});

test('an event that was committed long after later ones were published is published too', async () => {
  const link = await checkoutLink();
  const manager = await openStreams(link);
  const session = await db.database.pool.connect();
  let nowMs = 0;
  const scan = createOutboxScan(() => nowMs);
  const publisher = { ...(await openPublisher({ nats: link, session, manager, logger })), scan };
  const late = await db.database.pool.connect();
  await late.query('begin; set local idle_in_transaction_session_timeout = 0');
  const { rows } = await late.query<{ id: string }>(
    `insert into outbox (event_id, subject, payload) values ('evt_late', $1, '{}') returning id`,
    [counted.subject],
  );
  // Later ones are published until a scan begins after the first one.
  const froms: string[] = [];
  const from = (): string => {
    froms.push(scan.from());
    return froms.at(-1) ?? '0';
  };
  const noting = { ...publisher, scan: { ...scan, from } };
  for (let n = 0; n < 12; n += 1) {
    await record(db.database, [n]);
    expect(await publishBatch(noting)).toBe(1);
    nowMs += 250;
  }
  await late.query('commit');
  late.release();
  expect(froms.some((id) => BigInt(id) > BigInt(rows[0]?.id ?? 0))).toBe(true);
  // Half a second, in which a scan of all rows is due.
  const found: number[] = [];
  for (let n = 0; n < 2; n += 1) {
    nowMs += 250;
    found.push(await publishBatch(noting));
  }
  expect(found.toSorted()).toEqual([0, 1]);
  expect(await count('stream_seq is null')).toBe(0);
  publisher.stream.close();
  session.release();
});

test('retention of inbox and commands with nothing due reads few pages', async () => {
  const rows = volume(12_000, 60_000);
  await db.database.pool.query(`insert into inbox (event_id) select 'evt_' || n from generate_series(1, ${rows}) as n`);
  await db.database.pool.query(`insert into commands (id) select 'cmd_' || n from generate_series(1, ${rows}) as n`);
  await db.database.pool.query('analyze inbox, commands');
  for (const { statement, limit } of messagingRetention) {
    expect(await pagesOf(statement().text, [limit(), 20_000])).toBeLessThan(50);
  }
});

test('a leader that NATS is lost to steps down for a replica that reaches it', async () => {
  const cut = await checkoutLink();
  const leader = relayOn(cut);
  await published(listener, await record(db.database, [1]));
  relayOn(await checkoutLink(), { sweepMs: 50 });
  const sent = listen();
  // As if the network between this one replica and NATS were gone; its database is still there.
  cut.connected = () => false;
  cut.sinceChangeMs = () => 6_000;
  leader.wake();
  await sent.announced(leadingBegan);
  await published(sent, await record(db.database, [2]));
});

test('a leader whose term failed leaves its lock to a stand-by before it tries again', async () => {
  const failing = await checkoutLink();
  const leader = relayOn(failing);
  await published(listener, await record(db.database, [1]));
  relayOn(await checkoutLink(), { sweepMs: 50 });
  const sent = listen();
  failing.connection.publish = () => {
    throw new TimeoutError();
  };
  const ids = await record(db.database, [2]);
  leader.wake();
  await published(sent, ids);
  expect(sent.sofar(publishingFailed)).toHaveLength(1);
});

test('a leader that gets no acknowledgements leaves its lock to a stand-by while commits go on, too', async () => {
  const failing = await checkoutLink();
  const leader = relayOn(failing);
  await published(listener, await record(db.database, [1]));
  relayOn(await checkoutLink());
  const sent = listen();
  const { publish } = failing.connection;
  failing.connection.publish = (subject, ...rest) => {
    if (!subject.startsWith('evt.')) publish.call(failing.connection, subject, ...rest);
  };
  const ids = await record(db.database, [2]);
  const taken = published(sent, ids).then(() => true);
  do leader.wake();
  while (!(await within(20, taken, () => false)));
  expect(sent.sofar(publishingFailed)).toHaveLength(1);
});

test('a wake of a replica that pauses after a failed term reaches the one that leads meanwhile', async () => {
  const [failing, other] = [await checkoutLink(), await checkoutLink()];
  const leader = relayOn(failing);
  await published(listener, await record(db.database, [1]));
  const sent = listen();
  vi.spyOn(failing.connection, 'publish').mockImplementationOnce(() => {
    throw new TimeoutError();
  });
  const left = await record(db.database, [2]);
  leader.wake();
  await sent.announced(publishingFailed);
  // Waits for the end of the session that has the lock, and leaves it to the next one.
  await db.database.pool.query(`select pg_advisory_xact_lock(hashtext('outbox-relay'))`);
  // No sweep of its own finds what it is not woken for.
  relayOn(other, { sweepMs: 3_600_000 });
  await published(sent, left);
  const ids = await record(db.database, [3]);
  leader.wake();
  await published(sent, ids);
});

/**
 * Each term of the relay finds room that the one before did not count on, until one finds none.
 * @returns how long the pauses between the terms are, unless a wake ends them, in milliseconds
 */
async function fillUp(relay: Relay): Promise<number> {
  const isFull = ({ error }: { error: string }): boolean => error.includes('the stream is full');
  let pausesMs = 0;
  for (let terms = 1; ; terms += 1) {
    await listener.announced(publishingFailed, isFull, terms);
    if (listener.sofar(eventsPublished).some(({ events }) => events.length === 0)) return pausesMs;
    relay.wake();
    pausesMs += Math.min(5_000, 250 * 2 ** (terms - 1));
  }
}

test('what a full stream has no room for waits in the outbox and is published when there is room again', async () => {
  const link = await checkoutLink();
  await rig.keep({ streamMaxBytes: 30_000 });
  const relay = relayOn(link);
  await record(db.database, range(0, 300));
  relay.wake();
  const beganMs = performance.now();
  const pausesMs = await fillUp(relay);
  expect(performance.now() - beganMs).toBeLessThan(pausesMs);
  const manager = await observe();
  const kept = (await manager.streams.info('EVT_CHECKOUT')).state;
  expect(kept.bytes).toBeGreaterThan(27_500);
  expect(kept.first_seq).toBe(1);
  expect(await count('stream_seq is null')).toBe(300 - kept.messages);
  const purged = listen();
  await manager.streams.purge('EVT_CHECKOUT');
  relay.wake();
  await purged.announced(eventsPublished, ({ events }) => events.length > 0);
  expect(await count('stream_seq is not null')).toBeGreaterThan(kept.messages);
});

test('a stream without a bound gets one, and keeps its events', async () => {
  const link = await checkoutLink();
  const manager = await observe();
  await manager.streams.update('EVT_CHECKOUT', { max_bytes: -1 });
  await rig.keep();
  relayOn(link);
  await published(listener, await record(db.database, [1, 2]));
  const { config, state } = await manager.streams.info('EVT_CHECKOUT');
  expect([config.discard, config.max_bytes, state.messages]).toEqual(['new', defaultStreamMaxBytes, 2]);
});

test('a server with less storage than the bound has the stream without one', async () => {
  await rig.keep({ streamMaxBytes: 2 ** 50 });
  const manager = await observe();
  expect((await manager.streams.info('EVT_CHECKOUT')).config.max_bytes).toBe(-1);
});
