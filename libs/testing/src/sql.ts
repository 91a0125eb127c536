import type { Client, Database } from '@app/service-kit/database';
import pg from 'pg';

/** Of the test databases that are there. */
const pools = new Map<string, pg.Pool>();

/**
 * Lets `query` keep its connections to a test database: each costs as much as ten statements.
 * @returns what closes them
 */
export function keepConnections(url: string): () => Promise<void> {
  const pool = new pg.Pool({ connectionString: url, application_name: 'test-query', idleTimeoutMillis: 0 });
  // A test may end every session of its database.
  pool.on('error', () => undefined);
  pools.set(url, pool);
  return async () => {
    pools.delete(url);
    await pool.end();
  };
}

/** Runs one statement on a database over a connection that no service has: what a test reads from outside. */
export async function query<Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const pool = pools.get(url);
  if (pool !== undefined) return (await pool.query<Row>(sql, values)).rows;
  const client = new pg.Client({ connectionString: url, application_name: 'test-query' });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** A statement, and what its rows are said to have: the name and the type of each column. */
export interface ProvedStatement {
  readonly name: string;
  readonly text: string;
  readonly columns?: Readonly<Record<string, string>>;
}

/**
 * What is wrong with statements on a schema, each after the statement's name: PostgreSQL cannot prepare it, or it returns
 * other columns than it says.
 */
export async function statementFaults(url: string, statements: readonly ProvedStatement[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'test-statements' });
  await client.connect();
  try {
    const types = await typeNames(client);
    const faults: string[] = [];
    for (const { name, text, columns } of statements) {
      const found = await describe(client, text).catch((err: Error) => faults.push(`${name}: ${err.message}`));
      if (typeof found === 'number') continue;
      const returned = found.map((field) => `${field.name} ${types.get(field.dataTypeID)}`).toSorted();
      const said = columns && Object.entries(columns).map(([column, type]) => `${column} ${type}`);
      const missing = returned.filter((column) => !said?.includes(column));
      const surplus = said?.filter((column) => !returned.includes(column)) ?? [];
      if (missing.length > 0) faults.push(`${name} returns, and does not say so: ${missing.join(', ')}`);
      if (surplus.length > 0) faults.push(`${name} says that it returns, and does not: ${surplus.join(', ')}`);
    }
    return faults;
  } finally {
    await client.end();
  }
}

/** Names of types by their numbers, as SQL writes them: `_text` of the catalog is `text[]`. */
async function typeNames(client: pg.Client): Promise<ReadonlyMap<number, string>> {
  const { rows } = await client.query<{ oid: number; name: string }>(
    `select oid::int4 as oid, case when typelem <> 0 and typlen = -1 then substr(typname, 2) || '[]' else typname end as name
     from pg_type`,
  );
  return new Map(rows.map(({ oid, name }) => [oid, name]));
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The messages of PostgreSQL's protocol that `pg` does not send by itself: a statement is described without being run. */
interface Wire {
  parse(message: { readonly name: string; readonly text: string; readonly types: readonly number[] }): void;
  describe(message: { readonly type: 'S'; readonly name: string }): void;
  sync(): void;
}

/** What a statement returns, without running it. */
async function describe(client: pg.Client, text: string): Promise<readonly Field[]> {
  return await new Promise((resolve, reject) => {
    let fields: readonly Field[] = [];
    const described = {
      submit: (wire: Wire) => {
        wire.parse({ name: '', text, types: [] });
        wire.describe({ type: 'S', name: '' });
        wire.sync();
      },
      handleRowDescription: (message: { readonly fields: readonly Field[] }) => {
        fields = message.fields;
      },
      handleReadyForQuery: () => resolve(fields),
      handleError: reject,
    };
    client.query(described as unknown as pg.Submittable);
  });
}

/** How a statement finds rows of a table. */
export interface TableScan {
  readonly table: string;
  /** What it looks up in an index; undefined where it reads the table or an index from end to end. */
  readonly lookUp: string | undefined;
  /** The index that it reads along; undefined where it reads the table. */
  readonly index: string | undefined;
}

/**
 * The plan of a prepared statement while the planner knows nothing of its values.
 * @param sql with `$1`, `$2`, …
 * @param settings of the session that plans it, the database's unless given
 */
export async function plannedScans(
  url: string,
  sql: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<TableScan[]> {
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const session = options.length === 0 ? url : `${url}?options=${encodeURIComponent(options.join(' '))}`;
  const explained = `explain (generic_plan, format json) ${sql}`;
  const [row] = await query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(session, explained);
  return (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => scansOf(Plan));
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

function scansOf(node: PlanNode): TableScan[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Cond': found, 'Recheck Cond': rechecked } = node;
  // The scan of a bitmap names the index, and the one above it the table.
  const index = node['Index Name'] ?? node.Plans?.[0]?.['Index Name'];
  const own = table !== undefined && type.endsWith('Scan') ? [{ table, lookUp: found ?? rechecked, index }] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

/**
 * A transaction that holds its locks while a test does something else, for longer than PostgreSQL lets the transactions of services
 * do nothing.
 */
export async function holdTransaction<T>(
  database: Pick<Database, 'transaction'>,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  return await database.transaction(async (client) => {
    await client.query('set local idle_in_transaction_session_timeout = 0');
    return await work(client);
  });
}

/**
 * Lets no session write to the table until what it resolves with is called: who tries waits.
 * @param mode `access exclusive` lets none read it either
 */
export async function lockTable(
  url: string,
  table: string,
  mode: 'exclusive' | 'access exclusive' = 'exclusive',
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url, application_name: 'test-lock' });
  await client.connect();
  await client.query(`begin; lock table ${client.escapeIdentifier(table)} in ${mode} mode`);
  return () => client.end();
}

/**
 * Lets no session change an account's rows of the table until what it resolves with is called: who tries waits.
 * @param column that has the account's id
 */
export async function lockRows(
  url: string,
  table: string,
  accountId: string,
  column = 'account_id',
): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url, application_name: 'test-lock' });
  await client.connect();
  await client.query('begin');
  await client.query(`select from ${table} where ${column} = $1 for update`, [accountId]);
  return () => client.end();
}
