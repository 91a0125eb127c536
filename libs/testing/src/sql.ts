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
