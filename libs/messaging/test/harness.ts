import { defineEvent, defineRequest, type EventDefinition } from '@app/contracts/define';
import { topology } from '@app/contracts/topology';
import { type Client, type Database, migrateUp, openDatabase } from '@app/service-kit/database';
import { type Logger, silentLogger } from '@app/service-kit/logger';
import { createNatsServer, type TestNatsServer } from '@app/testing/nats';
import { closedAfterEach } from '@app/testing/opened';
import { createMigratedDatabase } from '@app/testing/postgres';
import { Migration } from '@mikro-orm/migrations';
import { jetstream } from '@nats-io/jetstream';
import { beforeEach } from 'vitest';
import { z } from 'zod';
import { connectNats, type NatsClient } from '../src/connect.ts';
import { eventTriesMigration, publishedAtMigration } from '../src/migrations.ts';
import { insertOutboxSql, outboxRow } from '../src/outbox.ts';
import { createRequester, type Requester } from '../src/requester.ts';
import { ensureStream, openStreams } from '../src/streams.ts';
import { messagingTables } from '../src/tables.ts';

export const counted = defineEvent('checkout', 'test.counted', 1, z.object({ n: z.int() }));
/** A kind that only a newer version of metrics consumes. */
export const recounted = defineEvent('checkout', 'test.recounted', 1, z.object({ n: z.int() }));

/** The platform's links, and metrics consuming the events of these tests. */
export const testLinks: typeof topology = {
  ...topology,
  metrics: { ...topology.metrics, consumes: [...topology.metrics.consumes, counted, recounted] },
};

export const askDouble = defineRequest('read', 'catalog', 'test.double', {
  input: z.strictObject({ n: z.int() }),
  output: z.object({ doubled: z.int() }),
});
export const addOne = defineRequest('command', 'catalog', 'test.add', {
  input: z.object({}),
  output: z.object({ total: z.int() }),
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
  migrations: [{ name: '0001-tables', class: Tables }, publishedAtMigration, eventTriesMigration],
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

export const logger = silentLogger();
/** Keeps the lines that a running service would write. */
export function recordingLogger(): { readonly logger: Logger; readonly lines: { level: string; text: string }[] } {
  const lines: { level: string; text: string }[] = [];
  const at = (level: string) => (_about: unknown, text: string) => void lines.push({ level, text });
  const recording = { info: at('info'), warn: at('warn'), error: at('error'), debug: () => undefined };
  return { lines, logger: { ...recording, child: () => recording } as unknown as Logger };
}

export const ask = { accountId: 'acc_1', requestId: 'req-1' };

/** Writes events as a service does: in one transaction, through the outbox. */
export async function record(
  database: Database,
  numbers: number[],
  definition: EventDefinition = counted,
): Promise<void> {
  const rows = numbers.map((n) =>
    outboxRow(definition, { n } as never, { accountId: 'acc_1', requestId: null, nowMs: Date.now() }),
  );
  await database.transaction(async (client) => {
    await client.query(insertOutboxSql, [JSON.stringify(rows)]);
  });
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
  nats: TestNatsServer;
}

export interface Asking extends Opened {
  caller: NatsClient;
  requester: Requester;
}

/** Each test has a NATS server, and a gateway that asks. */
export function eachTestAsks(): Asking {
  const opened = closedAfterEach();
  const rig = { opened } as Asking;
  beforeEach(async () => {
    rig.nats = opened(await createNatsServer());
    rig.caller = opened(await connectNats(rig.nats.login('gateway')));
    rig.requester = createRequester(rig.caller);
  });
  return rig;
}

export interface Consuming extends Opened {
  db: TestDb;
  checkout: NatsClient;
}

/** Each test has a NATS server with checkout's stream, checkout's client, and a database of who consumes. */
export function eachTestConsumes(): Consuming {
  const opened = closedAfterEach();
  const rig = { opened } as Consuming;
  beforeEach(async () => {
    rig.nats = opened(await createNatsServer(testLinks));
    rig.db = opened(await openTestDb());
    rig.checkout = opened(await connectNats(rig.nats.login('checkout')));
    await ensureStream(await openStreams(rig.checkout), 'checkout', 1);
  });
  return rig;
}
