import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseName, type ServiceName, serviceNames } from '@app/contracts/services';
import { databaseUrl } from '@app/embedded/databases';
import { startPostgres } from '@app/embedded/postgres';
import type { DatabaseOptions } from '@app/service-kit/database';
import { openLockSession } from '@app/service-kit/lock-session';
import type { Migrations } from '@app/service-kit/migrations';
import type { DatabaseData, ReleaseData } from './release-data.ts';

/** Packs the data directory of an `npm start` that has ended. */
export async function pack(dataDir: string): Promise<Pick<ReleaseData, 'databases' | 'files'>> {
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') });
  try {
    const databases: Partial<Record<ServiceName, DatabaseData>> = {};
    for (const service of serviceNames) databases[service] = await packDatabase(postgres.url, service);
    return { databases: databases as ReleaseData['databases'], files: await packFiles(dataDir) };
  } finally {
    await postgres.stop();
  }
}

async function packDatabase(adminUrl: string, service: ServiceName): Promise<DatabaseData> {
  const session = await openLockSession({ connectionString: databaseUrl(adminUrl, databaseName(service)) });
  const { client } = session;
  try {
    const applied = await client.query<{ name: string }>('select name from migrations order by id');
    const migrations = await migrationsOf(service);
    if (JSON.stringify(applied.rows.map(({ name }) => name)) !== JSON.stringify(migrations.map(({ name }) => name)))
      throw new Error(`${service}: its database has other migrations than the source`);
    const { rows: partitions } = await client.query<{ sql: string }>(partitionsSql);
    return {
      migrations,
      partitions: partitions.map(({ sql }) => sql),
      tables: await packTables(client),
      sequences: await packSequences(client),
    };
  } finally {
    await session.close();
  }
}

/** The statements of the service's migrations, as the source has them. */
export async function migrationsOf(service: ServiceName): Promise<DatabaseData['migrations']> {
  const { databaseOptions } = (await import(`@app/${service}/migrate`)) as {
    databaseOptions: (url: string) => DatabaseOptions;
  };
  const migrations: Migrations = databaseOptions('postgres://unused').migrations;
  const texts: { name: string; sql: string }[] = [];
  for (const { name, class: Step } of migrations) {
    const statements: string[] = [];
    // Where a step depends on what it finds, it finds nothing.
    const recorder = {
      query: async (sql: string) => {
        statements.push(sql);
        return { rows: [] };
      },
    };
    await new Step(recorder as unknown as Client).run();
    texts.push({ name, sql: statements.join(';\n') });
  }
  return texts;
}

type Client = Awaited<ReturnType<typeof openLockSession>>['client'];

const partitionsSql = `
  select format('create table %I partition of %I %s', c.relname, p.relname, pg_get_expr(c.relpartbound, c.oid)) as sql
  from pg_class c join pg_inherits i on i.inhrelid = c.oid join pg_class p on p.oid = i.inhparent
  where c.relkind = 'r' and c.relispartition and c.relnamespace = 'public'::regnamespace order by c.relname`;

const tablesSql = `
  select c.relname as name,
    (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
     where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns
  from pg_class c
  where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace
    and c.relname not in ('migrations', 'installation')
  order by c.relname`;

async function packTables(client: Client): Promise<DatabaseData['tables']> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(tablesSql);
  const tables: Record<string, DatabaseData['tables'][string]> = {};
  for (const { name, columns } of rows) {
    const table = client.escapeIdentifier(name);
    const packed = await client.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${table} t`);
    const text = packed.rows[0]?.rows;
    if (text !== null && text !== undefined) tables[name] = { columns, rows: text };
  }
  return tables;
}

async function packSequences(client: Client): Promise<DatabaseData['sequences']> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace
       and relname <> 'migrations_id_seq'`,
  );
  const sequences: Record<string, DatabaseData['sequences'][string]> = {};
  for (const { name } of rows) {
    const { rows: values } = await client.query<{ value: string; isCalled: boolean }>(
      `select last_value::text as value, is_called as "isCalled" from ${client.escapeIdentifier(name)}`,
    );
    if (values[0] !== undefined) sequences[name] = values[0];
  }
  return sequences;
}

/** What a start makes anew, and what is a record of a process that has ended. */
const isLeftOut = (path: string): boolean => /^postgres\/|\.log(\.\d+)?$|^nats\.conf$|\.lock$|\.pid$/.test(path);

async function packFiles(dataDir: string): Promise<ReleaseData['files']> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(dataDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name).slice(dataDir.length + 1);
    if (!isLeftOut(path)) files[path] = await readFile(join(dataDir, path), 'base64');
  }
  return files;
}
