import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { guardLeaks } from '../src/leak-guard.ts';
import { leakWatch } from '../src/leak-watch.ts';
import { createMigratedDatabase, createTestDatabase } from '../src/postgres.ts';
import { query } from '../src/sql.ts';

guardLeaks();

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(open.map((database) => database.close()));
});

test('two test databases share nothing', async () => {
  const [first, second] = await Promise.all([createTestDatabase(), createTestDatabase()]);
  open.push(first, second);
  await query(first.url, 'create table only_here (id int)');
  await expect(query(second.url, 'select from only_here')).rejects.toThrow('does not exist');
});

test('the template is migrated once, and each caller changes only its own copy', async () => {
  let migrations = 0;
  const migrate = async (url: string) => {
    migrations++;
    await query(url, 'create table thing (id int); insert into thing values (1)');
  };
  const copies = await Promise.all([1, 2, 3].map(() => createMigratedDatabase('thing', migrate)));
  open.push(...copies);
  expect(migrations).toBe(1);
  await query(copies[0]?.url ?? '', 'delete from thing');
  expect(await query(copies[1]?.url ?? '', 'select id from thing')).toEqual([{ id: 1 }]);
});

test('a migration that fails is tried again by the next caller', async () => {
  let attempts = 0;
  const migrate = async (url: string) => {
    if (++attempts === 1) throw new Error('first attempt');
    await query(url, 'create table fine (id int)');
  };
  await expect(createMigratedDatabase('retried', migrate)).rejects.toThrow('first attempt');
  const database = await createMigratedDatabase('retried', migrate);
  open.push(database);
  expect(await query(database.url, 'select id from fine')).toEqual([]);
});

test('closing drops the database although someone is still connected', async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url, application_name: 'forgotten' });
  client.on('error', () => {});
  await client.connect();
  await database.close();
  await expect(query(database.url, 'select 1')).rejects.toThrow('does not exist');
  await client.end().catch(() => {});
  // The leak guard knows of it, and would fail this file.
  expect(leakWatch.found.splice(0)).toEqual(['PostgreSQL connection forgotten']);
});
