import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { databaseName, serviceNames } from '@app/contracts/services';
import { databaseUrl, ensureDatabases } from '@app/embedded/databases';
import { startPostgres } from '@app/embedded/postgres';
import { openLockSession } from '@app/service-kit/lock-session';
import { Migration, migrateUp } from '@app/service-kit/migrations';
import type { DatabaseData, ReleaseData } from './release-data.ts';

/** Makes a data directory as the release left it. @param dataDir is not there yet */
export async function unpack({ databases, files }: ReleaseData, dataDir: string): Promise<void> {
  await mkdir(dataDir, { recursive: true });
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(dataDir, path)), { recursive: true });
    await writeFile(join(dataDir, path), content, { encoding: 'base64', mode: 0o600 });
  }
  const password: string = JSON.parse(Buffer.from(files['secrets.json'] ?? '', 'base64').toString()).databasePassword;
  const postgres = await startPostgres({ dataDir: join(dataDir, 'postgres') });
  try {
    const names = serviceNames.map(databaseName);
    await ensureDatabases(
      postgres.url,
      names.map((name) => ({ database: name, user: name, password })),
    );
    for (const service of serviceNames) {
      const name = databaseName(service);
      const database = databases[service];
      await migrateUp({
        url: databaseUrl(postgres.url, name, name, password),
        applicationName: 'release-data',
        migrations: database.migrations.map(({ name: migration, sql }) => ({ name: migration, class: replayed(sql) })),
      });
      await fill(postgres.url, name, database);
    }
  } finally {
    await postgres.stop();
  }
}

const replayed = (sql: string) =>
  class extends Migration {
    override up(): void {
      this.addSql(sql);
    }
  };

async function fill(adminUrl: string, database: string, data: DatabaseData): Promise<void> {
  const session = await openLockSession({ connectionString: databaseUrl(adminUrl, database) });
  const { client } = session;
  try {
    // Rows come in any order, as they were: triggers and foreign keys have had their say.
    await client.query(`set session_replication_role = replica; set role ${client.escapeIdentifier(database)}`);
    for (const sql of data.partitions) await client.query(sql);
    for (const [name, { columns, rows }] of Object.entries(data.tables)) {
      const table = client.escapeIdentifier(name);
      const list = columns.map((column) => client.escapeIdentifier(column)).join(', ');
      await client.query(`delete from ${table}`);
      await client.query(
        `insert into ${table} (${list}) overriding system value
         select ${list} from json_populate_recordset(null::${table}, $1)`,
        [rows],
      );
    }
    for (const [name, { value, isCalled }] of Object.entries(data.sequences))
      await client.query('select setval($1::regclass, $2, $3)', [client.escapeIdentifier(name), value, isCalled]);
  } finally {
    await session.close();
  }
}
