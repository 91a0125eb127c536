import type { MigrationObject } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import {
  type AnyEntity,
  type EntityClass,
  type EntityManager,
  type EntitySchema,
  MikroORM,
} from '@mikro-orm/postgresql';
import pg from 'pg';
import { columnTypes } from './postgres-types.ts';
import { traceStatements } from './statement-spans.ts';

/** A service's database: the ORM for what people edit, the pool for statements on what flows. They share connections. */
export interface Database {
  readonly orm: MikroORM;
  readonly pool: pg.Pool;
  /** A fresh entity manager for one request or message. */
  fork(): EntityManager;
  /** Runs work between BEGIN and COMMIT on one connection; any error rolls back and is thrown on. */
  transaction<T>(work: (client: Client) => Promise<T>): Promise<T>;
  /** Throws when the database does not answer. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type Client = pg.PoolClient;

/** Migrations in the order they run, listed by hand so that tools see them. */
export type Migrations = readonly MigrationObject[];

export interface DatabaseOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly entities: readonly (EntityClass<AnyEntity> | EntitySchema)[];
  readonly migrations: Migrations;
  readonly poolMax?: number;
}

const connectTimeoutMs = 5_000;
/** Longer than any statement here may take; a runaway one must not hold its connection for ever. */
const statementTimeoutMs = 15_000;
/** PostgreSQL ends a statement itself; when it has not even said so by then, the server is gone. */
const silenceMs = 5_000;
const poolMaxDefault = 10;
const migrationsTable = 'migrations';

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const orm = await openOrm(options, statementTimeoutMs);
  const pool = (await orm.em.getConnection().getNativeClient()) as pg.Pool;
  traceStatements(pool, options.applicationName);
  return {
    orm,
    pool,
    fork: () => orm.em.fork() as EntityManager,
    transaction: (work) => transaction(pool, work),
    check: async () => void (await pool.query('select 1')),
    close: async () => {
      await orm.close(true);
      // The ORM ends the pool only if it has asked something itself.
      if (!pool.ending) await pool.end();
    },
  };
}

async function openOrm(options: DatabaseOptions, timeoutMs: number): Promise<MikroORM> {
  return await MikroORM.init({
    clientUrl: options.url,
    entities: [...options.entities],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: [...options.migrations],
      snapshot: false,
      // Each in its own transaction: what succeeded stays when a later one fails.
      allOrNothing: false,
      tableName: migrationsTable,
    },
    pool: { min: 0, max: options.poolMax ?? poolMaxDefault, idleTimeoutMillis: 60_000 },
    driverOptions: {
      // The ORM takes host, user and password out of the URL and drops the rest, `sslmode` among it.
      connectionString: options.url,
      application_name: options.applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      types: columnTypes(),
      ...(timeoutMs > 0 ? { statement_timeout: timeoutMs, query_timeout: timeoutMs + silenceMs } : {}),
      onPoolCreated: freeEndedClients,
    },
    // A mistyped name must not become a new, empty database.
    ensureDatabase: false,
    allowGlobalContext: false,
    logger: () => undefined,
    metadataCache: { enabled: false },
  });
}

/** By now whoever had the client has heard of its end and released it. */
const releaseGraceMs = 500;

/**
 * The ORM never releases a client whose connection ended inside a transaction: its rollback fails first. Each such end
 * would cost the pool a place for ever.
 */
function freeEndedClients(pool: pg.Pool): void {
  pool.on('connect', (client) => {
    client.once('end', () => {
      const free = (): void => {
        try {
          client.release(true);
        } catch {
          // Released already, as it should be.
        }
      };
      setTimeout(free, releaseGraceMs).unref();
    });
  });
}

async function transaction<T>(pool: pg.Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    const { command } = await client.query('commit');
    // PostgreSQL answers the commit of a failed transaction with a rollback, not with an error.
    if (command !== 'COMMIT') throw new Error('the transaction was rolled back: a statement in it had failed');
    return result;
  } catch (err) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw err;
  } finally {
    client.release(broken);
  }
}

/** A statement that PostgreSQL parses and plans once per connection. Names are unique within a service. */
export function statement(name: string, text: string): (values?: unknown[]) => pg.QueryConfig {
  return (values = []) => ({ name, text, values });
}

/** Any number replicas may call this at once: one migrates, the others wait and find nothing left to do. */
const migrationLock = `select pg_advisory_lock(hashtext('migrations'))`;

/** Applies what is missing, each migration in its own transaction; returns the names applied. */
export async function migrateUp(options: DatabaseOptions): Promise<string[]> {
  const guard = new pg.Client({
    connectionString: options.url,
    application_name: `${options.applicationName}-migrate`,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  // Without a listener a server that goes away would end the process; the migration fails by itself.
  guard.on('error', () => undefined);
  await guard.connect();
  try {
    await guard.query(migrationLock);
    const orm = await openOrm({ ...options, poolMax: 2 }, 0);
    try {
      return (await orm.migrator.up()).map((migration) => migration.name);
    } finally {
      await orm.close(true);
    }
  } finally {
    await guard.end();
  }
}

/** Throws, naming them, when migrations are missing: such a service is not ready. */
export async function pendingMigrations(database: Database): Promise<void> {
  const wanted = database.orm.config.get('migrations').migrationsList ?? [];
  const applied = await appliedMigrations(database.pool);
  const pending = wanted.map((migration) => migration.name).filter((name) => !applied.has(name));
  if (pending.length > 0) throw new Error(`migrations are missing: ${pending.join(', ')}`);
}

/** Not asked of the ORM, which would create the table: a readiness probe changes nothing. */
async function appliedMigrations(pool: pg.Pool): Promise<Set<string>> {
  const table = await pool.query<{ exists: boolean }>('select to_regclass($1) is not null as exists', [
    migrationsTable,
  ]);
  if (table.rows[0]?.exists !== true) return new Set();
  const { rows } = await pool.query<{ name: string }>(`select name from ${migrationsTable}`);
  return new Set(rows.map((row) => row.name));
}
