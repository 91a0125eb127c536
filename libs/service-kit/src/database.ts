import {
  type AnyEntity,
  type EntityClass,
  type EntityManager,
  type EntitySchema,
  MikroORM,
} from '@mikro-orm/postgresql';
import type pg from 'pg';
import { connectionSettings } from './connection-settings.ts';
import { type MigrateOptions, type Migrations, type SchemaState, schemaState } from './migrations.ts';
import { commitWith, streamOf } from './pipelined.ts';
import { definePoint } from './points.ts';
import { observePool } from './pool-gauges.ts';
import { columnTypes } from './postgres-types.ts';
import type { Check } from './service.ts';
import type { StatementQuery, Write } from './statement.types.ts';
import { traceStatements } from './statement-spans.ts';

export type { StatementQuery, Write } from './statement.types.ts';

/** A service's database: the ORM for what people edit, the pool for statements on what flows. They share connections. */
export interface Database {
  readonly orm: MikroORM;
  readonly pool: pg.Pool;
  /** What its schema is made of. */
  readonly migrations: Migrations;
  /** A fresh entity manager for one request or message. */
  fork(): EntityManager;
  /**
   * Runs work between BEGIN and COMMIT on one connection; any error rolls back and is thrown on.
   * @param lastOf the statements that end the transaction, of the work's result: they are sent together with COMMIT
   */
  transaction<T>(work: (client: Client) => Promise<T>, lastOf?: (result: T) => readonly Write[]): Promise<T>;
  close(): Promise<void>;
}

export type Client = pg.PoolClient;

export interface DatabaseOptions extends MigrateOptions {
  /** The service that spans and metrics of this pool belong to; left out where it is the application's name. */
  readonly service?: string;
  readonly entities: readonly (EntityClass<AnyEntity> | EntitySchema)[];
  readonly poolMax?: number;
  /** Settings of PostgreSQL for its connections, beside those of every connection. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Left out except by tests of a server that goes silent. */
  readonly limits?: StatementLimits;
}

export interface StatementLimits {
  /** After this PostgreSQL ends a statement itself; 0 for never. */
  readonly statementMs: number;
  /** When it has not even said so after this much more, the server is gone. */
  readonly silenceMs: number;
  /** To let a connection in, 5,000 unless given. */
  readonly connectMs?: number;
}

/** Longer than any statement here may take; a runaway one must not hold its connection for ever. */
const usualLimits: StatementLimits = { statementMs: 15_000, silenceMs: 5_000 };
const poolMaxDefault = 10;

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const orm = await openOrm(options, options.limits ?? usualLimits);
  const pool = (await orm.em.getConnection().getNativeClient()) as pg.Pool;
  const { applicationName: name, service = name, poolMax: max = poolMaxDefault } = options;
  traceStatements(pool, service);
  const observed = observePool(pool, { name, service, max });
  return {
    orm,
    pool,
    migrations: options.migrations,
    fork: () => orm.em.fork() as EntityManager,
    transaction: (work, lastOf) => transaction(pool, work, lastOf),
    close: async () => {
      observed.close();
      await orm.close(true);
      // The ORM ends the pool only if it has sent a query itself.
      if (!pool.ending) await pool.end();
    },
  };
}

async function openOrm(
  options: DatabaseOptions,
  { statementMs, silenceMs, connectMs }: StatementLimits,
): Promise<MikroORM> {
  return await MikroORM.init({
    clientUrl: options.url,
    entities: [...options.entities],
    discovery: { warnWhenNoEntities: false },
    pool: { min: 0, max: options.poolMax ?? poolMaxDefault, idleTimeoutMillis: 60_000 },
    driverOptions: {
      // The ORM takes host, user and password out of the URL and drops the rest, `sslmode` among it.
      connectionString: options.url,
      application_name: options.applicationName,
      ...connectionSettings(options.settings),
      types: columnTypes(),
      // Statements that do not wait for each other are sent together: `pipelined`.
      pipeline: true,
      ...(connectMs === undefined ? {} : { connectionTimeoutMillis: connectMs }),
      ...(statementMs > 0 ? { statement_timeout: statementMs, query_timeout: statementMs + silenceMs } : {}),
      onPoolCreated: (pool: pg.Pool) => {
        freeEndedClients(pool);
        leaveSilentServer(pool);
      },
    },
    // A mistyped name must not become a new, empty database.
    ensureDatabase: false,
    allowGlobalContext: false,
    logger: () => undefined,
    metadataCache: { enabled: false },
  });
}

/** So long after its end the code that had the client has met the error and released it. */
const releaseGraceMs = 500;

/**
 * The ORM never releases a client whose connection ended inside a transaction: its rollback fails first. Each such end
 * would cost the pool a slot for ever.
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

/** What `pg` says when its own limit passed and the server has not even ended the statement. */
function isSilence(err: unknown): err is Error {
  return err instanceof Error && err.message === 'Query read timeout';
}

/**
 * A server that went silent (a failover that closed no connection) is silent on every connection. When a statement meets
 * the limit on one of them, the idle ones are closed too: each would make another caller wait for the whole limit.
 */
function leaveSilentServer(pool: pg.Pool): void {
  const idle = new Set<Client>();
  pool.on('acquire', (client) => idle.delete(client));
  pool.on('remove', (client) => idle.delete(client));
  pool.on('release', (err, client) => {
    if (!err) idle.add(client);
    if (!isSilence(err)) return;
    // An orderly end would wait for the server.
    for (const other of idle) streamOf(other).destroy(err);
    idle.clear();
  });
}

async function transaction<T>(
  pool: pg.Pool,
  work: (client: Client) => Promise<T>,
  lastOf: (result: T) => readonly Write[] = () => [],
): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await commitWith(client, lastOf(result));
    return result;
  } catch (err) {
    // A rollback would wait for the silent server as long again.
    if (isSilence(err)) broken = err;
    else {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
    }
    throw err;
  } finally {
    client.release(broken);
  }
}

declare module 'pg' {
  interface ClientBase {
    query<Row extends object>(query: StatementQuery<Row>): Promise<import('pg').QueryResult<Row>>;
  }
  interface Pool {
    query<Row extends object>(query: StatementQuery<Row>): Promise<import('pg').QueryResult<Row>>;
  }
}

/** A module made a statement: a test prepares all of them on the migrated schema. */
export const statementDefined = definePoint<DefinedStatement>('service-kit.statement-defined');

export interface DefinedStatement {
  readonly name: string;
  readonly text: string;
  /** What the rows are said to have, by name; undefined where the statement says nothing of rows. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** What comes back in a column of a type of PostgreSQL; json of any shape is read as it is declared. */
type ColumnType<Value> = [Value] extends [never]
  ? string
  : [Value] extends [string]
    ? 'text' | 'name' | 'date' | 'numeric'
    : [Value] extends [number]
      ? 'int2' | 'int4' | 'int8' | 'float8'
      : [Value] extends [boolean]
        ? 'bool'
        : [Value] extends [Date]
          ? 'timestamptz'
          : [Value] extends [readonly string[]]
            ? 'text[]' | 'json' | 'jsonb'
            : 'json' | 'jsonb' | 'bytea' | 'text[]' | 'void';

/** The columns of the rows of a statement with their types, as PostgreSQL names them. Any may be null. */
export type ColumnsOf<Row> = { readonly [Column in keyof Row]-?: ColumnType<NonNullable<Row[Column]>> };

/**
 * A statement that PostgreSQL parses and plans once per connection. Names are unique within a service.
 * @param columns what its rows have: the compiler compares them with `Row`, and e2e/statements.test.ts with what PostgreSQL
 *   says that the statement returns
 */
export function statement<Row extends object>(
  name: string,
  text: string,
  columns: ColumnsOf<Row>,
): (values?: unknown[]) => StatementQuery<Row>;
export function statement(name: string, text: string): (values?: unknown[]) => pg.QueryConfig;
export function statement(
  name: string,
  text: string,
  columns?: Readonly<Record<string, string>>,
): (values?: unknown[]) => pg.QueryConfig {
  statementDefined.announce(() => (columns === undefined ? { name, text } : { name, text, columns }));
  return (values = []) => ({ name, text, values });
}

/** The same statement without its name: PostgreSQL plans it each time, with its values and the statistics of the moment. */
export function unnamed<Query extends pg.QueryConfig>({ text, values }: Query): Query {
  return { text, values } as Query;
}

/** The database and its migrations among the checks of a service; run at once they cost one statement together. */
export function databaseChecks(database: Database): Check[] {
  let found: Promise<SchemaState> | undefined;
  const findState = (): Promise<SchemaState> => {
    found ??= schemaState(database.pool, database.migrations).finally(() => {
      found = undefined;
    });
    return found;
  };
  let later: string | undefined;
  return [
    { name: 'database', check: async () => void (await findState()) },
    {
      get name() {
        return later === undefined ? 'migrations' : `migrations (${later} is of a later version)`;
      },
      check: async () => {
        const { pending, ...state } = await findState();
        later = state.later;
        if (later !== undefined) throw new Error(`a later version has changed the database: ${later}`);
        if (pending.length > 0)
          throw new Error(`migrations are missing: ${pending.map(({ name }) => name).join(', ')}`);
      },
    },
  ];
}
