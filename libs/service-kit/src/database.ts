import { type AnyEntity, type EntityClass, type EntityManager, type EntitySchema, MikroORM } from '@mikro-orm/postgresql';
import type { MigrationObject } from '@mikro-orm/core';
import { Migrator } from '@mikro-orm/migrations';
import pg from 'pg';

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
const poolMaxDefault = 10;

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const orm = await openOrm(options, statementTimeoutMs);
  const pool = (await orm.em.getConnection().getNativeClient()) as pg.Pool;
  return {
    orm,
    pool,
    fork: () => orm.em.fork() as EntityManager,
    transaction: (work) => transaction(pool, work),
    check: async () => void (await pool.query('select 1')),
    close: () => orm.close(true),
  };
}

async function openOrm(options: DatabaseOptions, timeoutMs: number): Promise<MikroORM> {
  return await MikroORM.init({
    clientUrl: options.url,
    entities: [...options.entities],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList: [...options.migrations], snapshot: false, transactional: true, tableName: 'migrations' },
    pool: { min: 0, max: options.poolMax ?? poolMaxDefault, idleTimeoutMillis: 60_000 },
    driverOptions: {
      application_name: options.applicationName,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: timeoutMs,
      keepAlive: true,
      onPoolCreated: (pool: pg.Pool) => {
        pool.options.types = columnTypes;
      },
    },
    allowGlobalContext: false,
    logger: () => undefined,
    metadataCache: { enabled: false },
  });
}

/** Types of raw statements: bigint as a number (amounts and counts are within the safe range), timestamps as Date. */
const columnTypes = new pg.TypeOverrides();
columnTypes.setTypeParser(20, (text: string) => {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} is beyond the safe integers`);
  return value;
});

async function transaction<T>(pool: pg.Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
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
  const guard = new pg.Client({ connectionString: options.url, application_name: `${options.applicationName}-migrate` });
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
  const pending = await database.orm.migrator.getPending();
  if (pending.length > 0) throw new Error(`migrations are missing: ${pending.map((migration) => migration.name).join(', ')}`);
}
