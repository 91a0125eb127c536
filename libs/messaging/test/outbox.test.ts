import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { createNatsServer, type TestNatsServer } from '@app/testing/nats';
import { closedAfterEach } from '@app/testing/opened';
import { plannedScans } from '@app/testing/sql';
import { beforeEach, expect, test } from 'vitest';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { markQuery, pendingQuery, prunePublished, pruneQuery } from '../src/publish-outbox.ts';
import { startRelay } from '../src/relay.ts';
import { messagingRetention } from '../src/retention.ts';
import { defaultStreamMaxBytes, ensureStream, openStreams } from '../src/streams.ts';
import { counted, logger, openTestDb, record, type TestDb } from './harness.ts';

guardLeaks();

let nats: TestNatsServer;
let db: TestDb;
const opened = closedAfterEach();

beforeEach(async () => {
  nats = opened(await createNatsServer());
  db = opened(await openTestDb());
});

async function checkoutLink(): Promise<NatsClient> {
  const link = await connectNats(nats.login('checkout'));
  opened(link);
  return link;
}

function relayOn(link: NatsClient): void {
  const relay = startRelay({ nats: link, databaseUrl: db.url, logger, streamReplicas: 1 });
  opened(relay);
}

const count = async (condition: string): Promise<number> => {
  const { rows } = await db.database.pool.query<{ n: number }>(
    `select count(*)::int as n from outbox where ${condition}`,
  );
  return rows[0]?.n ?? 0;
};

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

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
  await record(db.database, range(0, 3));
  await db.database.pool.query("update outbox set created_at = now() - interval '5 hours'");
  relayOn(await checkoutLink());
  await eventually(async () => (await count('stream_seq is not null and published_at is not null')) === 3);
  await prune();
  expect(await count('true')).toBe(3);
  await db.database.pool.query("update outbox set published_at = now() - interval '61 minutes' where stream_seq <= 2");
  await prune();
  expect(await count('true')).toBe(1);
});

test('what a replica of an older version published is pruned too, and holds up nobody', async () => {
  await record(db.database, range(0, 600));
  await db.database.pool.query("update outbox set stream_seq = id, created_at = now() - interval '2 hours'");
  await record(db.database, range(600, 602));
  await db.database.pool.query(
    "update outbox set stream_seq = id, published_at = now() - interval '61 minutes' where stream_seq is null",
  );
  await prune();
  expect(await count('true')).toBe(0);
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
  await db.database.pool.query(
    `insert into outbox (event_id, subject, payload, stream_seq, published_at)
     select 'evt_' || n, $1, repeat('x', 700), n, now() from generate_series(1, 60000) as n`,
    [counted.subject],
  );
  const pages = await pagesOf('select * from outbox', []);
  expect(pages).toBeGreaterThan(5_000);
  expect(await pagesOf(pruneQuery.text, [0])).toBeLessThan(200);
});

test('publishing a row reads few pages, however many rows were published before it', async () => {
  await db.database.pool.query(
    `insert into outbox (event_id, subject, payload) select 'evt_' || n, $1, '{}' from generate_series(1, 20000) as n`,
    [counted.subject],
  );
  const [ids, places] = [range(1, 20_001), range(1, 20_001)];
  await db.database.pool.query(markQuery.text, [ids.slice(0, -1), places.slice(0, -1)]);
  expect(await pagesOf(pendingQuery.text, [0])).toBeGreaterThan(200);
  expect(await pagesOf(pendingQuery.text, [19_000])).toBeLessThan(30);
  for (const { table, lookUp } of await plannedScans(db.url, markQuery.text))
    expect([table, lookUp]).toEqual(['outbox', expect.stringContaining('id = ')]);
});

test('an event that was committed long after later ones were published is published too', async () => {
  relayOn(await checkoutLink());
  const client = await db.database.pool.connect();
  try {
    await client.query('begin');
    await client.query(`insert into outbox (event_id, subject, payload) values ('evt_late', $1, '{}')`, [
      counted.subject,
    ]);
    // Later ones are published for so long that the relay begins its looks behind the first one.
    const started = performance.now();
    for (let n = 0; performance.now() - started < 2_500; n += 1) {
      await record(db.database, [n]);
      await eventually(async () => (await count('stream_seq is not null')) === n + 1);
    }
    await client.query('commit');
  } finally {
    client.release();
  }
  await eventually(async () => (await count('stream_seq is null')) === 0);
});

test('retention of inbox and commands with nothing due reads few pages', async () => {
  await db.database.pool.query(`insert into inbox (event_id) select 'evt_' || n from generate_series(1, 60000) as n`);
  await db.database.pool.query(`insert into commands (id) select 'cmd_' || n from generate_series(1, 60000) as n`);
  await db.database.pool.query('analyze inbox, commands');
  for (const { statement, limit } of messagingRetention) {
    expect(await pagesOf(statement, [limit(), 20_000])).toBeLessThan(50);
  }
});

test('a leader that NATS is lost to hands over to a replica that reaches it', async () => {
  const cut = await checkoutLink();
  relayOn(cut);
  await record(db.database, [1]);
  await eventually(async () => (await count('stream_seq is not null')) === 1);
  relayOn(await checkoutLink());
  // As if the network between this one replica and NATS were gone; its database is still there.
  cut.connected = () => false;
  cut.sinceChangeMs = () => 6_000;
  await record(db.database, [2]);
  await eventually(async () => (await count('stream_seq is not null')) === 2, { withinMs: 30_000 });
});

test('what a full stream has no room for waits in the outbox and is published when there is room again', async () => {
  const link = await checkoutLink();
  const relay = startRelay({ nats: link, databaseUrl: db.url, logger, streamReplicas: 1, streamMaxBytes: 30_000 });
  opened(relay);
  await record(db.database, range(0, 300));
  relay.wake();
  await eventually(async () => (await count('stream_seq is not null')) > 0);
  const manager = await openStreams(link);
  await eventually(async () => (await manager.streams.info('EVT_CHECKOUT')).state.bytes > 27_500);
  const kept = (await manager.streams.info('EVT_CHECKOUT')).state;
  expect(kept.first_seq).toBe(1);
  expect(await count('stream_seq is null')).toBe(300 - kept.messages);
  await manager.streams.purge('EVT_CHECKOUT');
  await eventually(async () => (await count('stream_seq is not null')) > kept.messages, { withinMs: 15_000 });
});

test('a stream of an earlier version gets its bound, and keeps its events', async () => {
  const link = await checkoutLink();
  const manager = await openStreams(link);
  await manager.streams.add({ name: 'EVT_CHECKOUT', subjects: ['evt.checkout.>'] });
  relayOn(link);
  await record(db.database, [1, 2]);
  await eventually(async () => (await count('stream_seq is not null')) === 2);
  const { config, state } = await manager.streams.info('EVT_CHECKOUT');
  expect([config.discard, config.max_bytes, state.messages]).toEqual(['new', defaultStreamMaxBytes, 2]);
});

test('a server with less storage than the bound has the stream without one', async () => {
  const manager = await openStreams(await checkoutLink());
  await ensureStream(manager, 'checkout', 1, { maxBytes: 2 ** 50 });
  expect((await manager.streams.info('EVT_CHECKOUT')).config.max_bytes).toBe(-1);
});
