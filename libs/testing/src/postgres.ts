import { createHash, randomBytes } from 'node:crypto';
import { databaseUrl } from '@app/embedded/databases';
import pg from 'pg';
import { leakWatch } from './leak-watch.ts';
import { pollSystem } from './poll-system.ts';
import { testInfra } from './provided.ts';
import { keepConnections } from './sql.ts';

export interface TestDatabase {
  url: string;
  /** Drops the database, with clients connected. */
  close(): Promise<void>;
}

/** An empty database for the calling test file. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return await createDatabase('template0');
}

/**
 * A migrated database for the calling test file: the first caller of the run migrates a template, everyone gets a copy.
 * `migrate` must leave no connection open. The template is known by `name` and the text of `migrate`; on a server that
 * outlives the run (TEST_INFRA=external) it is made anew by each run.
 */
export async function createMigratedDatabase(
  name: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<TestDatabase> {
  const hash = createHash('sha256')
    .update(`${process.ppid} ${String(migrate)}`)
    .digest('hex')
    .slice(0, 8);
  const template = `tpl_${name.replaceAll(/[^a-z0-9]+/g, '_')}_${hash}`;
  if (!ensured.has(template)) await withAdmin((admin) => ensureTemplate(admin, template, migrate));
  ensured.add(template);
  return await createDatabase(template);
}

/** Templates that this process has found or made. */
const ensured = new Set<string>();

async function ensureTemplate(
  admin: pg.PoolClient,
  template: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<void> {
  // Per template, across the test processes.
  await admin.query('select pg_advisory_lock(hashtext($1))', [template]);
  try {
    await makeTemplate(admin, template, migrate);
  } finally {
    await admin.query('select pg_advisory_unlock(hashtext($1))', [template]);
  }
}

async function makeTemplate(
  admin: pg.PoolClient,
  template: string,
  migrate: (url: string) => Promise<unknown>,
): Promise<void> {
  const existing = await admin.query('select from pg_database where datname = $1', [template]);
  if (existing.rowCount !== 0) return;
  const unfinished = `new_${template}`;
  await admin.query(`drop database if exists "${unfinished}" with (force)`);
  await admin.query(`create database "${unfinished}" template template0`);
  await migrate(databaseUrl(testInfra().postgresUrl, unfinished));
  await admin.query(`alter database "${unfinished}" rename to "${template}"`);
}

async function createDatabase(template: string): Promise<TestDatabase> {
  // Copying files takes 26 ms for 20 tables, writing the copy to the log 280 ms.
  const name = `test_${process.pid}_${randomBytes(5).toString('hex')}`;
  await withAdmin((admin) => admin.query(`create database "${name}" template "${template}" strategy file_copy`));
  const url = databaseUrl(testInfra().postgresUrl, name);
  const closeConnections = keepConnections(url);
  return {
    url,
    async close() {
      await closeConnections();
      await withAdmin(async (admin) => {
        if (leakWatch.active) await recordConnections(admin, name);
        await admin.query(`drop database if exists "${name}" with (force)`);
      });
    },
  };
}

/** On a busy machine the server's process for a connection that was closed ends some time later. */
const leakAfterMs = 2_000;

/** A closed connection stays in the server's list until its process has ended; one that stays longer is a leak. */
async function recordConnections(admin: pg.PoolClient, database: string): Promise<void> {
  const connected = 'select coalesce(application_name, backend_type) as name from pg_stat_activity where datname = $1';
  const names = async () => (await admin.query<{ name: string }>(connected, [database])).rows.map((row) => row.name);
  await pollSystem('no connection', async () => (await names()).length === 0, leakAfterMs).catch(async () => {
    for (const name of await names()) leakWatch.found.push(`PostgreSQL connection ${name || '(unnamed)'}`);
  });
}

let admins: pg.Pool | undefined;

/** Idle connections stay for the next test file: they keep no process alive, and so are no leak. */
async function withAdmin<T>(work: (admin: pg.PoolClient) => Promise<T>): Promise<T> {
  admins ??= openAdmins();
  const admin = await admins.connect();
  try {
    return await work(admin);
  } finally {
    admin.release();
  }
}

function openAdmins(): pg.Pool {
  const connectionString = testInfra().postgresUrl;
  const options = { connectionString, application_name: 'test-databases', idleTimeoutMillis: 0, allowExitOnIdle: true };
  // The server may stop before this process ends.
  return new pg.Pool(options).on('error', () => undefined);
}
