import pg from 'pg';

/** Committed transactions of each service's database since the server's statistics began. */
export type Transactions = ReadonlyMap<string, number>;

/** Backends report their counts within a second of falling idle; the load has ended and drained by then. */
export async function readTransactions(postgresUrl: string): Promise<Transactions> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const { rows } = await client.query<{ datname: string; committed: string }>(
    `select datname, xact_commit as committed from pg_stat_database
     where datname is not null and datname not in ('postgres', 'template0', 'template1') order by datname`,
  );
  await client.end();
  return new Map(rows.map(({ datname, committed }) => [datname, Number(committed)]));
}

/** For each of so many operations, by database; those that did nothing for them are left out. */
export function transactionsBetween(
  before: Transactions,
  after: Transactions,
  operations: number,
): Record<string, number> {
  const each = [...after].map(([name, committed]): [string, number] => [
    name,
    (committed - (before.get(name) ?? 0)) / Math.max(1, operations),
  ]);
  return Object.fromEntries(each.filter(([, count]) => count >= 0.01));
}
