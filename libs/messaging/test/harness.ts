import { defineEvent, defineRequest, type EventDefinition } from '@app/contracts/define';
import { topology } from '@app/contracts/topology';
import { type Client, type Database, openDatabase } from '@app/service-kit/database';
import { type Logger, silentLogger } from '@app/service-kit/logger';
import { Migration, migrateUp } from '@app/service-kit/migrations';
import { definePoint } from '@app/service-kit/points';
import { createArrivals } from '@app/testing/arrivals';
import { connectObserver, createBareNatsServer, keepStreams, type TestNatsServer } from '@app/testing/nats';
import { closedAfterEach } from '@app/testing/opened';
import { type Listener, listen } from '@app/testing/points';
import { createMigratedDatabase } from '@app/testing/postgres';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { z } from 'zod';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { type ConsumersOptions, type EventConsumers, startConsumers } from '../src/consume.ts';
import { onEvent } from '../src/event-handler.ts';
import type { KeeperOptions } from '../src/keeper.ts';
import { waitingLettersMigration } from '../src/migrations.ts';
import { insertOutboxSql, outboxRow } from '../src/outbox.ts';
import { eventsHandled, eventsPublished, eventsSentBack } from '../src/points.ts';
import { type Relay, type RelayOptions, startRelay } from '../src/relay.ts';
import { createRequester, type Requester } from '../src/requester.ts';
import { runCommandOnce } from '../src/run-command-once.ts';
import { onRequest, type RequestHandler } from '../src/serve-requests.ts';
import { messagingTables } from '../src/tables.ts';

export const counted = defineEvent('checkout', 'test.counted', 1, z.object({ n: z.int() }));
/** A kind that only a newer version of metrics consumes. */
export const recounted = defineEvent('checkout', 'test.recounted', 1, z.object({ n: z.int() }));

/** The platform's links, and metrics consuming the events of these tests. */
const testLinks: typeof topology = {
  ...topology,
  metrics: { ...topology.metrics, consumes: [...topology.metrics.consumes, counted, recounted] },
};

export const getDouble = defineRequest('read', 'catalog', 'test.double', {
  input: z.strictObject({ n: z.int() }),
  output: z.object({ doubled: z.int() }),
});
export const addOne = defineRequest('command', 'catalog', 'test.add', {
  input: z.object({}),
  output: z.object({ total: z.int() }),
});

/** What `addOne` does is committed, and not replied to yet. */
export const totalCommitted = definePoint<{ readonly total: number }>('messaging-test.total-committed');

/** Adds one to the only row of `effects`. @param beforeReply is awaited between the commit and the reply */
export const addsOne = (
  database: Database,
  beforeReply: () => Promise<unknown> = async () => undefined,
): RequestHandler =>
  onRequest(addOne, async (_input, { commandId }) => {
    const result = await runCommandOnce(database.fork(), commandId, async (tx) => {
      const [row] = await tx.execute<{ n: number }[]>('update effects set n = n + 1 returning n');
      return { total: row?.n ?? -1 };
    });
    totalCommitted.announce(() => result);
    await beforeReply();
    return result;
  });

class Tables extends Migration {
  override async up(): Promise<void> {
    this.addSql(messagingTables);
    this.addSql('create table effects (n int not null, event_id text not null)');
  }
}

export const databaseOptions = (url: string) => ({
  url,
  applicationName: 'messaging-test',
  entities: [],
  migrations: [{ name: '0001-tables', class: Tables }, waitingLettersMigration],
});

export interface TestDb {
  readonly url: string;
  readonly database: Database;
  close(): Promise<void>;
}

export async function openTestDb(): Promise<TestDb> {
  const created = await createMigratedDatabase(
    'messaging',
    async (url) => void (await migrateUp(databaseOptions(url))),
  );
  const database = await openDatabase(databaseOptions(created.url));
  return {
    url: created.url,
    database,
    close: async () => {
      await database.close();
      await created.close();
    },
  };
}

/** One database for the file; each test has it empty. */
export function eachTestHasDb<Rig extends object>(base: Rig): Rig & { readonly db: TestDb } {
  const rig = base as Rig & { db: TestDb };
  beforeAll(async () => {
    rig.db = await openTestDb();
  });
  afterAll(() => rig.db.close());
  beforeEach(async () => {
    const tables = 'effects, outbox, inbox, commands, dead_letters, event_attempts';
    await rig.db.database.pool.query(`truncate ${tables} restart identity`);
  });
  return rig;
}

export const logger = silentLogger();
interface Line {
  readonly level: string;
  readonly text: string;
}

/** Keeps the lines that a running service would write. */
export function recordingLogger() {
  const lines = createArrivals<Line>();
  const at = (level: string) => (_about: unknown, text: string) => lines.push({ level, text });
  const recording = { info: at('info'), warn: at('warn'), error: at('error'), debug: () => undefined };
  const logger = { ...recording, child: () => recording } as unknown as Logger;
  return { logger, lines: lines.list, logged: (count: number) => lines.wait(count, { what: 'lines' }) };
}

export const caller = { accountId: 'acc_1', requestId: 'req-1' };

/**
 * Writes events as a service does: in one transaction, through the outbox.
 * @returns their ids
 */
export async function record(
  database: Database,
  numbers: number[],
  definition: EventDefinition = counted,
): Promise<string[]> {
  const rows = numbers.map((n) =>
    outboxRow(definition, { n } as never, { accountId: 'acc_1', requestId: null, nowMs: Date.now() }),
  );
  await database.transaction(async (client) => {
    await client.query(insertOutboxSql, [JSON.stringify(rows)]);
  });
  return rows.map((row) => row.event_id);
}

export async function numbers(database: Database): Promise<number[]> {
  const { rows } = await database.pool.query<{ n: number }>('select n from effects order by n');
  return rows.map((row) => row.n);
}

/** What a handler does with the events of a batch: one row for each, in `effects`. */
export async function insertEffects(
  events: readonly { id: string; data: { n: number } }[],
  client: Client,
): Promise<void> {
  const rows = events.map((event) => ({ n: event.data.n, id: event.id }));
  await client.query('insert into effects select n, id from json_to_recordset($1::json) as e(n int, id text)', [
    JSON.stringify(rows),
  ]);
}

export const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from }, (_, index) => from + index);

/** As the relay does; an event's id follows from its number, so that the same number is the same event. */
export async function publish(nats: NatsClient, ns: readonly number[], definition = counted): Promise<void> {
  const client = jetstream(nats.connection);
  const published: Promise<unknown>[] = [];
  for (const n of ns) {
    const event = { id: `evt_${n}`, accountId: 'acc_1', occurredAt: '2026-01-01T00:00:00.000Z', data: { n } };
    published.push(client.publish(definition.subject, JSON.stringify(event), { msgID: event.id, timeout: 20_000 }));
  }
  await Promise.all(published);
}

interface Opened {
  /** Closes after the test what it is given. */
  readonly opened: ReturnType<typeof closedAfterEach>;
  /** The file's server, without the streams of the tests before. */
  nats: TestNatsServer;
  /** Starts a keeper for the rest of the test; resolves when all streams are there. */
  keep(options?: Partial<KeeperOptions>): Promise<void>;
}

/** One server for the file, because tests kill it or need its limits; each test has it running, and empty. */
export function eachTestHasNats(links?: typeof topology): Opened {
  const rig = { opened: closedAfterEach() } as Opened;
  let server: TestNatsServer;
  let killed = false;
  rig.keep = async (options) => {
    const own = links === undefined ? {} : { links };
    rig.opened(await keepStreams(rig.nats, { ...own, ...options }));
  };
  beforeAll(async () => {
    server = await createBareNatsServer(links);
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    if (killed) await server.start();
    killed = false;
    await removeStreams(server);
    rig.nats = {
      ...server,
      kill: async () => {
        killed = true;
        await server.kill();
      },
      start: async () => {
        await server.start();
        killed = false;
      },
    };
  });
  return rig;
}

async function removeStreams(nats: TestNatsServer): Promise<void> {
  const connection = await connectObserver(nats);
  const { streams } = await jetstreamManager(connection);
  for await (const name of streams.names()) await streams.delete(name);
  await connection.close();
}

export interface Requesting extends Opened {
  caller: NatsClient;
  requester: Requester;
}

/** Each test has a NATS server, and a gateway that sends requests. */
export function eachTestRequests(): Requesting {
  const rig = eachTestHasNats() as Requesting;
  const { opened } = rig;
  beforeEach(async () => {
    rig.caller = opened(await connectNats(rig.nats.login('gateway')));
    rig.requester = createRequester(rig.caller);
  });
  return rig;
}

/** A producer and a consumer of the events of these tests; they share a database. */
export interface Consuming extends Opened {
  db: TestDb;
  checkout: NatsClient;
  /** What was announced since the test began. */
  listener: Listener;
  /** A replica of checkout; by its own connection where it is not given one. */
  relay(options?: Partial<RelayOptions>): Relay;
  /** A replica of metrics, with a connection of its own. */
  consume(options?: Partial<ConsumersOptions>): Promise<EventConsumers>;
}

/** Each test has a keeper of all streams, checkout's client, and an empty database. */
export function eachTestConsumes(keeper: Partial<KeeperOptions> = {}): Consuming {
  const rig = eachTestHasDb(eachTestHasNats(testLinks)) as Consuming;
  const { opened } = rig;
  rig.relay = (options) => opened(startRelay({ nats: rig.checkout, databaseUrl: rig.db.url, logger, ...options }));
  rig.consume = async (options) => {
    const nats = options?.nats ?? opened(await connectNats(rig.nats.login('metrics')));
    const handlers = [onEvent(counted, insertEffects)];
    return opened(startConsumers({ nats, database: rig.db.database, logger, handlers, ...options }));
  };
  beforeEach(async () => {
    rig.listener = listen();
    rig.checkout = opened(await connectNats(rig.nats.login('checkout')));
    await rig.keep(keeper);
  });
  return rig;
}

/** Removes from `wanted` what it is given, until nothing is left. */
function allOf<T>(wanted: Iterable<T>): (some: readonly T[]) => boolean {
  const missing = new Set(wanted);
  return (some) => {
    for (const one of some) missing.delete(one);
    return missing.size === 0;
  };
}

/** The effects of the events with these numbers are committed. */
export async function handled(listener: Listener, wanted: readonly number[]): Promise<void> {
  const areAll = allOf(wanted);
  await listener.announced(eventsHandled, ({ events }) => areAll(events.map(({ data }) => (data as { n: number }).n)));
}

/** The stream has the events with these ids, and their outbox rows say so. */
export async function published(listener: Listener, ids: readonly string[]): Promise<void> {
  const areAll = allOf(ids);
  await listener.announced(eventsPublished, ({ events }) => areAll(events.map(({ id }) => id)));
}

/** The event failed so many times. */
export async function failed(listener: Listener, eventId: string, times = 1): Promise<void> {
  await listener.announced(eventsSentBack, ({ ids }) => ids.includes(eventId), times);
}
