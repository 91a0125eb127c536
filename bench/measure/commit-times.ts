import { databaseUrl } from '@app/embedded/databases';
import pg from 'pg';
import type { Infra } from '../infra.ts';

/**
 * When each order after the given one was committed, in milliseconds since the epoch. PostgreSQL takes the time before it
 * flushes the commit to disk, so what happens after the commit happens a little later than this says.
 */
export async function commitTimesAfter({ postgres }: Infra, orderId: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl(postgres.url, 'checkout') });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; ms: number }>(
      `select id, (extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000)::float8 as ms from orders where id > $1`,
      [orderId],
    );
    return new Map(rows.map(({ id, ms }) => [id, ms]));
  } finally {
    await client.end();
  }
}
