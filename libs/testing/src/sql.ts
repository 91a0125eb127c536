import pg from 'pg';

/** Runs one statement on a test database over a connection of its own: what a test looks at from outside. */
export async function query<Row extends object>(url: string, sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'test-query' });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

/** What PostgreSQL says of the statements that it cannot prepare, each after the statement's name. */
export async function refusedStatements(
  url: string,
  statements: readonly { readonly name: string; readonly text: string }[],
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url, application_name: 'test-statements' });
  await client.connect();
  try {
    const refused: string[] = [];
    for (const [index, { name, text }] of statements.entries())
      await client.query(`prepare s${index} as ${text}`).catch((err: Error) => refused.push(`${name}: ${err.message}`));
    return refused;
  } finally {
    await client.end();
  }
}

/** How a statement finds rows of a table. */
export interface TableScan {
  readonly table: string;
  /** What it looks up in an index; undefined where it reads the table or an index from end to end. */
  readonly lookUp: string | undefined;
}

/**
 * The plan of a prepared statement while the planner knows nothing of its values.
 * @param sql with `$1`, `$2`, …
 */
export async function plannedScans(url: string, sql: string): Promise<TableScan[]> {
  const [row] = await query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(url, `explain (generic_plan, format json) ${sql}`);
  return (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => scansOf(Plan));
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

function scansOf(node: PlanNode): TableScan[] {
  const { 'Node Type': type, 'Relation Name': table, 'Index Cond': found, 'Recheck Cond': rechecked } = node;
  const own = table !== undefined && type.endsWith('Scan') ? [{ table, lookUp: found ?? rechecked }] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOf)];
}

/** Lets nobody write to the table until what it resolves with is called: who tries waits. */
export async function lockTable(url: string, table: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url, application_name: 'test-lock' });
  await client.connect();
  await client.query(`begin; lock table ${client.escapeIdentifier(table)} in exclusive mode`);
  return () => client.end();
}

/**
 * Lets nobody change an account's rows of the table until what it resolves with is called: who tries waits.
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
