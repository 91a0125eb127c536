import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { connectAtStartMs, connectionSettings } from './connection-settings.ts';
import { openLockSession } from './lock-session.ts';

type Queries = Pick<pg.ClientBase, 'query'>;

/** One step of a service's schema, written by hand. It runs in a transaction of its own, with its record. */
export abstract class Migration {
  readonly #client: Queries;
  readonly #statements: string[] = [];

  constructor(client: Queries) {
    this.#client = client;
  }

  abstract up(): void | Promise<void>;

  /** Adds statements that run after `up`, in their order. */
  addSql(sql: string): void {
    this.#statements.push(sql);
  }

  /** Runs statements at once, for a step that depends on what they find; returns the rows. */
  async execute(sql: string): Promise<unknown[]> {
    return (await this.#client.query(sql)).rows;
  }

  /** Runs the step. What it has added is sent together: each round trip would cost more than most of its statements. */
  async run(): Promise<void> {
    await this.up();
    if (this.#statements.length > 0) await this.#client.query(this.#statements.join(';\n'));
  }
}

/** Migrations in the order they run, listed by hand so that tools see them. */
export type Migrations = readonly { readonly name: string; readonly class: new (client: Queries) => Migration }[];

export interface MigrateOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly migrations: Migrations;
}

/** Any number of replicas may call this at once: one migrates, the others wait and find nothing left to do. */
const migrationLock = `select pg_try_advisory_lock(hashtext('migrations')) as won`;
const lockPollMs = 200;
/** A crash may undo the last migrations, never one that a later commit of a service stands on: they share one log. */
const notFlushed = { synchronous_commit: 'off' };

/** A release before 0.2.0 made the database: its migrations did not begin with this version's first one. */
export class EarlierDataError extends Error {
  constructor(database: string) {
    super(
      `The database ${database} has data of version 0.1.0, which later versions cannot use. Nothing was changed in it. ` +
        'Start on an empty database (npm start: on another DATA_DIR), or go on with version 0.1.0.',
    );
  }
}

/**
 * Applies what is missing, each migration in its own transaction; returns the names applied.
 * @throws EarlierDataError before anything is changed. A database that a later version migrated further is taken: in a
 *   rolling update replicas of both versions start.
 */
export async function migrateUp({ url, applicationName, migrations }: MigrateOptions): Promise<string[]> {
  const connection = { connectionString: url, application_name: `${applicationName}-migrate` };
  const guard = await openLockSession({ ...connection, connectionTimeoutMillis: connectAtStartMs });
  try {
    // The lock is polled: a session that waits for it could not run the queries that keep the session alive.
    while (!(await guard.client.query<{ won: boolean }>(migrationLock)).rows[0]?.won) await sleep(lockPollMs);
    const missing = await missingMigrations(guard.client, migrations);
    if (missing.length > 0) await apply(missing, connection);
    return missing.map(({ name }) => name);
  } finally {
    await guard.close();
  }
}

/** On a connection without limits: a migration of many rows takes as long as it takes. */
async function apply(missing: Migrations, connection: pg.ClientConfig): Promise<void> {
  const settings = { ...connectionSettings(notFlushed), connectionTimeoutMillis: connectAtStartMs };
  const client = new pg.Client({ ...connection, ...settings });
  // Without a listener a server that goes away would end the process; the statement under way fails too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`create table if not exists migrations (
      id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6))`);
    for (const { name, class: Step } of missing) {
      await client.query('begin');
      try {
        await new Step(client).run();
        await client.query('insert into migrations (name) values ($1)', [name]);
        await client.query('commit');
      } catch (err) {
        await client.query('rollback').catch(() => undefined);
        throw err;
      }
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function missingMigrations(client: Queries, migrations: Migrations): Promise<Migrations> {
  const missing = await pendingMigrations(client, migrations);
  if (missing.length > 0 && missing[0] === migrations[0] && (await appliedMigrations(client)).length > 0) {
    const { rows } = await client.query<{ name: string }>('select current_database() as name');
    throw new EarlierDataError(rows[0]?.name ?? '');
  }
  return missing;
}

const undefinedTable = '42P01';

/** Those that are not applied. Changes nothing: before the first migration there is not even the table. */
export async function pendingMigrations(client: Queries, migrations: Migrations): Promise<Migrations> {
  const applied = new Set(await appliedMigrations(client));
  return migrations.filter(({ name }) => !applied.has(name));
}

async function appliedMigrations(client: Queries): Promise<string[]> {
  try {
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    return rows.map((row) => row.name);
  } catch (err) {
    if ((err as { code?: unknown }).code === undefinedTable) return [];
    throw err;
  }
}
