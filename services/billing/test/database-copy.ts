import { type Database, statement } from '@app/service-kit/database';

/** A backup of the platform's own tables. The processor's books are not among them: an outside party keeps its own. */
export interface DatabaseCopy {
  /** All rows are as they were when it was taken; no process of billing may be at work. */
  restore(): Promise<void>;
}

const tablesStatement = statement(
  'tests-tables',
  `select format('%I.%I', schemaname, tablename) as name from pg_tables
   where schemaname in ('public', 'simulated_processor') and tablename not like 'mikro_orm%' order by tablename`,
);

const tables = new WeakMap<Database, Promise<readonly string[]>>();

/** They are the same in each of a test's many histories: the catalog is read once. */
function tablesOf(database: Database): Promise<readonly string[]> {
  const known = tables.get(database);
  if (known !== undefined) return known;
  const names = database.pool
    .query<{ name: string }>(tablesStatement([]))
    .then(({ rows }) => rows.map(({ name }) => name));
  tables.set(database, names);
  return names;
}

const ofPlatform = (name: string): boolean => name.startsWith('public.');

/** The tables refer to each other; rows go and come in any order. */
const unrelated = 'set local session_replication_role = replica';

const emptied = new WeakMap<Database, number>();
/** No vacuum runs beside tests: this often the files of the tables are made anew, without what was deleted. */
const truncateEvery = 50;

/**
 * Deletes all rows, those of the simulated processor too. To truncate each time would take longer for a few rows, and make
 * each connection plan its statements anew.
 */
export async function emptyDatabase(database: Database): Promise<void> {
  const names = await tablesOf(database);
  const times = (emptied.get(database) ?? 0) + 1;
  emptied.set(database, times);
  const emptying =
    times % truncateEvery === 0
      ? [`truncate ${names.join(', ')}`]
      : ['begin', unrelated, ...names.map((name) => `delete from ${name}`), 'commit'];
  await database.pool.query(emptying.join('; '));
}

/** One statement, as a backup is: all tables as they were at one moment. The rows wait in memory, so that it costs milliseconds. */
export async function copyDatabase(database: Database): Promise<DatabaseCopy> {
  const names = (await tablesOf(database)).filter(ofPlatform);
  const rowsOf = names.map((name) => `select '${name}' as name, json_agg(t)::text as rows from ${name} as t`);
  const copy = statement('tests-copy', rowsOf.join(' union all '));
  const { rows: copied } = await database.pool.query<{ name: string; rows: string | null }>(copy([]));
  return {
    restore: () =>
      database.transaction(async (client) => {
        await client.query([unrelated, ...names.map((name) => `delete from ${name}`)].join('; '));
        for (const { name, rows } of copied) {
          if (rows === null) continue;
          const row = `json_populate_recordset(null::${name}, $1::json)`;
          await client.query(`insert into ${name} overriding system value select * from ${row}`, [rows]);
        }
      }),
  };
}
