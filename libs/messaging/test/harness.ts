import { defineEvent, defineRequest, type EventDefinition } from '@app/contracts/define';
import { type Database, migrateUp, openDatabase } from '@app/service-kit/database';
import { silentLogger } from '@app/service-kit/logger';
import { createMigratedDatabase } from '@app/testing/postgres';
import { Migration } from '@mikro-orm/migrations';
import { z } from 'zod';
import { publishedAtMigration } from '../src/migrations.ts';
import { insertOutboxSql, outboxRow } from '../src/outbox.ts';
import { messagingTables } from '../src/tables.ts';

export const counted = defineEvent('checkout', 'test.counted', 1, z.object({ n: z.int() }));
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

const options = (url: string) => ({
  url,
  applicationName: 'messaging-test',
  entities: [],
  migrations: [{ name: '0001-tables', class: Tables }, publishedAtMigration],
});

export interface TestDb {
  readonly url: string;
  readonly database: Database;
  close(): Promise<void>;
}

export async function openTestDb(): Promise<TestDb> {
  const created = await createMigratedDatabase('messaging', async (url) => void (await migrateUp(options(url))));
  const database = await openDatabase(options(created.url));
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
