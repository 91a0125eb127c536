import { emailKey } from '@app/contracts/email-key';
import { guardLeaks } from '@app/testing/leak-guard';
import { listen } from '@app/testing/points';
import { createTestDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { roundEnded } from '../src/background-loop.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../src/database.ts';
import { emailKeysMade, keepEmailKeys, keyedEmails, withoutKeyIndex } from '../src/email-keys.ts';
import { silentLogger } from '../src/logger.ts';
import { Migration, migrateUp } from '../src/migrations.ts';

/** Guarantee: whoever reads by the key of an address finds every row, whatever wrote it and whatever died meanwhile. */
guardLeaks();

class CreateLetters extends Migration {
  override up(): void {
    this.addSql(`create table letters (id text primary key, account_id text not null, email text);
      create table opt_outs (account_id text not null, email text not null, primary key (account_id, email))`);
  }
}

class EmailKeys extends Migration {
  override up(): void {
    this.addSql(`alter table letters add email_key text; ${withoutKeyIndex('letters', 'email')};
      alter table opt_outs add email_key text; ${withoutKeyIndex('opt_outs', 'email', 'email')}`);
  }
}

const before = [{ name: '0001', class: CreateLetters }];
const migrations = [...before, { name: '0002', class: EmailKeys }];
const tables = [keyedEmails('letters'), keyedEmails('opt_outs', { id: 'email' })];
const logger = silentLogger();

let server: TestDatabase;
let database: Database;
const optionsOf = (url: string): DatabaseOptions => ({ url, applicationName: 'letters', entities: [], migrations });
const sql = <Row extends object>(text: string, values: unknown[] = []) => query<Row>(server.url, text, values);

beforeAll(async () => {
  server = await createTestDatabase();
  await migrateUp(optionsOf(server.url));
});
beforeEach(async () => {
  database = await openDatabase(optionsOf(server.url));
  await sql('delete from letters; delete from opt_outs');
});
afterEach(() => database.close());
afterAll(() => server?.close());

/** More than two batches, in every spelling. */
const spellings = ['Ada@x.io', 'Özlem@x.io', 'eva@MÜNCHEN.example', 'o\u0308zlem@x.io'];
const written = async (count: number, first = 1): Promise<void> => {
  const emails = Array.from({ length: count }, (_, n) => `${n}-${spellings[n % spellings.length]}`);
  await sql(
    `insert into letters (id, account_id, email)
     select 'ltr_' || lpad((n + $2)::text, 8, '0'), 'acc_' || n % 3, email from unnest($1::text[]) with ordinality as e(email, n)`,
    [emails, first],
  );
};
const wrong = async (): Promise<number> => {
  const rows = await sql<{ email: string; email_key: string | null }>(
    'select email, email_key from letters where email is not null',
  );
  return rows.filter(({ email, email_key }) => email_key !== emailKey(email)).length;
};

test('the keys of all rows are there before a service reads, also of accounts that share an address', async () => {
  await written(12_345);
  await sql(`insert into letters values ('ltr_none', 'acc_1', null)`);
  await sql(`insert into opt_outs select 'acc_' || n, 'Özlem@x.io' from generate_series(1, 5_100) as n`);
  await using kept = await keep();
  await kept.check();
  expect(await wrong()).toBe(0);
  expect(await sql('select email_key, count(*)::int from opt_outs group by 1')).toEqual([
    { email_key: 'özlem@x.io', count: 5_100 },
  ]);
});

test('rows that the release before writes beside this one get their keys, and none is touched that has one', async () => {
  await using kept = await keep();
  await written(3);
  await sql(`insert into letters values ('ltr_kept', 'acc_1', 'Ada@x.io', 'as it is')`);
  const ended = listen().announced(roundEnded, ({ loop }) => loop === 'email-keys');
  kept.wake();
  await ended;
  expect(await sql(`select email_key from letters where id = 'ltr_kept'`)).toEqual([{ email_key: 'as it is' }]);
  expect(await wrong()).toBe(1);
});

test('a process that dies in a batch leaves what was committed, and the next one makes the rest', async () => {
  await written(12_000);
  const [letters] = tables as [(typeof tables)[0]];
  const first = await database.transaction((client) => letters.fill(client, ''));
  // The second batch is written and not committed.
  const client = await database.pool.connect();
  await client.query('begin');
  expect(await letters.fill(client, first?.last ?? '')).toMatchObject({ rows: 5_000 });
  client.release(new Error('the process is gone'));
  const made = listen();
  await using kept = await keep();
  await kept.check();
  expect(made.sofar(emailKeysMade)).toEqual([5_000, 2_000].map((rows) => ({ table: 'letters', rows })));
  expect(await wrong()).toBe(0);
});

test('replicas that start at once make each key once', async () => {
  await written(12_000);
  const made = listen();
  const others = await Promise.all([1, 2].map(() => openDatabase(optionsOf(server.url))));
  const kept = await Promise.all([database, ...others].map((each) => keepEmailKeys(each, logger, tables)));
  for (const each of kept) await each.close();
  await Promise.all(others.map((each) => each.close()));
  expect(await wrong()).toBe(0);
  expect(made.sofar(emailKeysMade).reduce((sum, { rows }) => sum + rows, 0)).toBe(12_000);
});

test('before its migrations a service is not ready, and it is once they and the keys are there', async () => {
  const young = await createTestDatabase();
  await migrateUp({ ...optionsOf(young.url), migrations: before });
  await query(young.url, `insert into letters values ('ltr_1', 'acc_1', 'Özlem@x.io')`);
  const opened = await openDatabase(optionsOf(young.url));
  const kept = await keepEmailKeys(opened, logger, tables);
  await expect(kept.check.check()).rejects.toThrow('keys of email addresses are being made');
  await migrateUp(optionsOf(young.url));
  const ended = listen().announced(roundEnded, ({ loop }) => loop === 'email-keys');
  kept.wake();
  await ended;
  await kept.check.check();
  expect(await query(young.url, 'select email_key from letters')).toEqual([{ email_key: 'özlem@x.io' }]);
  await kept.close();
  await opened.close();
  await young.close();
});

async function keep() {
  const kept = await keepEmailKeys(database, logger, tables);
  return { wake: kept.wake, check: kept.check.check, [Symbol.asyncDispose]: () => kept.close() };
}
