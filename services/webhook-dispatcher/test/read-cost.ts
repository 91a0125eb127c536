import type { Client, Database } from '@app/service-kit/database';
import { wholeWork } from '@app/testing/whole-work';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: Plan[];
}

/** Rows that a plan's scans of tables have read, with those that they dropped. */
function rowsRead(plan: Plan): number {
  const read = (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops'];
  return (
    (plan['Relation Name'] === undefined ? 0 : read) + (plan.Plans ?? []).reduce((sum, part) => sum + rowsRead(part), 0)
  );
}

/** A parameter as SQL writes it. */
function literal(client: Client, value: unknown): string {
  if (value === null || value === undefined) return 'null';
  const text = Array.isArray(value)
    ? `{${value.join(',')}}`
    : value instanceof Date
      ? value.toISOString()
      : String(value);
  return client.escapeLiteral(text);
}

interface Query {
  readonly text: string;
  readonly values?: unknown[];
}

export const planModes = ['custom', 'generic'] as const;

export interface Cost {
  rows: number;
  /** Tables and indexes that the statement locked. */
  locks: number;
}

/** What a list's statements read when PostgreSQL plans each for its values, or once for all. */
export async function costOf(
  database: Database,
  mode: (typeof planModes)[number],
  list: (database: Database) => Promise<unknown>,
): Promise<Cost> {
  const cost: Cost = { rows: 0, locks: 0 };
  const explaining = async (query: Query): Promise<void> => {
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query(`set local plan_cache_mode = force_${mode}_plan`);
      await client.query(`prepare explained as ${query.text}`);
      const values = (query.values ?? []).map((value) => literal(client, value)).join(', ');
      const { rows } = await client.query(`explain (analyze, format json) execute explained(${values})`);
      cost.rows += rowsRead(rows[0]['QUERY PLAN'][0].Plan);
      const held = await client.query(
        `select count(*)::int as locks from pg_locks where pid = pg_backend_pid() and locktype = 'relation'`,
      );
      cost.locks = Math.max(cost.locks, held.rows[0].locks);
      await client.query('deallocate explained');
    } finally {
      await client.query('rollback');
      client.release();
    }
  };
  const query = async (requested: Query) => {
    await explaining(requested);
    return await database.pool.query(requested);
  };
  const client = {
    query: async (requested: Query | string) => (typeof requested === 'string' ? undefined : await query(requested)),
  };
  await list({
    ...database,
    pool: { query } as unknown as Database['pool'],
    // What sets up a transaction comes as text; its statements are explained like the others.
    transaction: (work, lastOf) => wholeWork(work, lastOf)(client as unknown as Client),
  });
  return cost;
}
