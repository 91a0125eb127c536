import { setTimeout as sleep } from 'node:timers/promises';
import { releaseBefore, version } from '@app/contracts/version';
import pg from 'pg';
import { connectAtStartMs, connectionSettings, patient } from './connection-settings.ts';
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

  /**
   * Runs the step. What it has added is sent together, with what its transaction ends with: each round trip would cost more than most of
   * its statements, and a process that is busy with its own start would leave the transaction waiting.
   */
  async run(...end: readonly string[]): Promise<void> {
    await this.up();
    const statements = [...this.#statements, ...end];
    if (statements.length > 0) await this.#client.query(statements.join(';\n'));
  }
}

interface ListedMigration {
  readonly name: string;
  readonly class: new (client: Queries) => Migration;
  /**
   * The oldest version whose services work on the schema once the step has run. Left out, as nearly always, it is the release before:
   * a rolling update runs both on one schema. It is stored with the step, for versions that do not know it.
   */
  readonly compatibleFrom?: string;
}

/** Migrations in the order they run, listed by hand so that tools see them. */
export type Migrations = readonly ListedMigration[];

export interface MigrateOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly migrations: Migrations;
}

/**
 * Any number of replicas may call this at once: one migrates, the others wait and find nothing left to do. One that froze and lost the lock
 * fails at the record of the step that another one has done since.
 */
const migrationLock = `select pg_try_advisory_lock(hashtext('migrations')) as won`;
const lockPollMs = 200;
/** A crash may undo the last migrations, never one that a later commit of a service stands on: they share one log. */
const notFlushed = { synchronous_commit: 'off' };

/** The data in a database is of a version that this one does not work with. Nothing was changed in it. */
export class UnusableDataError extends Error {}

/** A release before 0.2.0 made the database: its migrations did not begin with this version's first one. */
const earlierData = (database: string): UnusableDataError =>
  new UnusableDataError(
    `The database ${database} has data of version 0.1.0, which later versions cannot use. Nothing was changed in it. ` +
      'Start on an empty database (npm start: on another DATA_DIR), or go on with version 0.1.0.',
  );

const laterData = (database: string, { name, compatible_from: from }: AppliedMigration): UnusableDataError =>
  new UnusableDataError(
    `A later version than ${version} has changed the database ${database} (migration ${name}), and ` +
      `${from === null ? 'does not say which versions work on it' : `only versions from ${from} on work on it`}. Nothing was changed ` +
      'in it now. Start the later version, or restore the backup from before the upgrade.',
  );

/**
 * Applies what is missing, each migration in its own transaction; returns the names applied.
 * @throws UnusableDataError before anything is changed. A database that a later version migrated further is taken where that version
 *   wrote there that this one works on it: in a rolling update replicas of both start, and a release can be taken back.
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
  const settings = { ...connectionSettings({ ...patient, ...notFlushed }), connectionTimeoutMillis: connectAtStartMs };
  const client = new pg.Client({ ...connection, ...settings });
  // Without a listener a server that goes away would end the process; the statement under way fails too.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(`create table if not exists migrations (
      id serial primary key, name varchar(255) not null, executed_at timestamptz(6) not null default current_timestamp(6));
      alter table migrations add column if not exists compatible_from text;
      create unique index if not exists migrations_name on migrations (name)`);
    for (const { name, class: Step, compatibleFrom = releaseBefore } of missing) {
      const values = [name, compatibleFrom].map((value) => pg.escapeLiteral(value));
      await client.query('begin');
      try {
        await new Step(client).run(`insert into migrations (name, compatible_from) values (${values})`, 'commit');
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
  const applied = await appliedMigrations(client);
  const missing = without(migrations, applied);
  if (missing.length > 0 && missing[0] === migrations[0] && applied.length > 0)
    throw earlierData(await databaseOf(client));
  const later = laterMigration(migrations, applied);
  if (later !== undefined) throw laterData(await databaseOf(client), later);
  return missing;
}

/**
 * For a service that starts on a database which others migrate.
 * @throws UnusableDataError for one that a later version has changed so that this version does not work on it
 */
export async function refuseLaterData(client: Queries, migrations: Migrations): Promise<void> {
  const later = laterMigration(migrations, await appliedMigrations(client));
  if (later !== undefined) throw laterData(await databaseOf(client), later);
}

async function databaseOf(client: Queries): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  return rows[0]?.name ?? '';
}

/** What a service's migrations and those of its database come to. Changes nothing: before the first one there is not even the table. */
export interface SchemaState {
  /** Not applied yet. */
  readonly pending: Migrations;
  /** Applied by a later version, on whose schema this one does not work. */
  readonly later?: string;
}

export async function schemaState(client: Queries, migrations: Migrations): Promise<SchemaState> {
  const applied = await appliedMigrations(client);
  const later = laterMigration(migrations, applied);
  return { pending: without(migrations, applied), ...(later !== undefined && { later: later.name }) };
}

/** Those that are not applied. */
export async function pendingMigrations(client: Queries, migrations: Migrations): Promise<Migrations> {
  return (await schemaState(client, migrations)).pending;
}

function without(migrations: Migrations, applied: readonly AppliedMigration[]): Migrations {
  const names = new Set(applied.map(({ name }) => name));
  return migrations.filter(({ name }) => !names.has(name));
}

interface AppliedMigration {
  readonly name: string;
  /** Null where a version before 0.3.0 applied it. */
  readonly compatible_from: string | null;
}

function laterMigration(migrations: Migrations, applied: readonly AppliedMigration[]): AppliedMigration | undefined {
  const known = new Set(migrations.map(({ name }) => name));
  return applied.find(
    ({ name, compatible_from: from }) => !known.has(name) && (from === null || isBefore(version, from)),
  );
}

/** What a version before 0.3.0 has applied does not say it. Those of 0.2.0 work on what was before them, of 0.1.0 nothing does. */
const oldestOfUnsaid = '0.2.0';

/** The oldest version that works on what has been made of a database: what an upgrade can be taken back to. */
export async function oldestVersionOn(client: Queries): Promise<string> {
  const versions = (await appliedMigrations(client)).map(({ compatible_from: from }) => from ?? oldestOfUnsaid);
  return versions.reduce((oldest, from) => (isBefore(oldest, from) ? from : oldest), oldestOfUnsaid);
}

/** Of versions as `0.10.2`. */
export function isBefore(version: string, other: string): boolean {
  const numbers = (text: string): number[] => text.split('.').map(Number);
  const [own, others] = [numbers(version), numbers(other)];
  const differing = own.findIndex((part, index) => part !== others[index]);
  return differing !== -1 && (own[differing] ?? 0) < (others[differing] ?? 0);
}

const undefinedTable = '42P01';

async function appliedMigrations(client: Queries): Promise<AppliedMigration[]> {
  try {
    // Until this version migrates it, the table has no such column.
    const { rows } = await client.query<AppliedMigration>(
      `select m.name, to_jsonb(m) ->> 'compatible_from' as compatible_from from migrations as m order by m.id`,
    );
    return rows;
  } catch (err) {
    if ((err as { code?: unknown }).code === undefinedTable) return [];
    throw err;
  }
}
