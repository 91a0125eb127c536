import { type Database, statement } from '@app/service-kit/database';

const countableStatement = statement<{ id: string }>(
  'recoveries-to-finalize',
  `select id from recoveries r where status <> 'running' and not counts_final
     and not exists (select from deliveries d where d.recovery_id = r.id)
   order by id limit 100`,
  { id: 'text' },
);
const lockStatement = statement(
  'recovery-to-finalize',
  'select from recoveries where id = $1 and not counts_final for update skip locked',
);
const finalizeStatement = statement(
  'recovery-finalize',
  `update recoveries r set counts_final = true, delivered = r.delivered + c.delivered, failed = r.failed + c.failed
   from (
     select count(*) filter (where status = 'delivered')::int as delivered,
       count(*) filter (where status = 'failed')::int as failed
     from finished_deliveries where recovery_id = $1) c
   where r.id = $1`,
);

/**
 * Writes the results of recoveries into their rows once all that they enqueued is finished, and marks them as final
 * (`counts_final`), so that lists need not count. The lock comes first: another repair that takes over some of these deliveries
 * meanwhile (enqueue-stored.ts) either adds their results to the row before they are counted here, or finds the row final and
 * leaves it.
 */
export async function finalizeCounts(database: Database): Promise<void> {
  const { rows } = await database.pool.query(countableStatement());
  for (const { id } of rows)
    await database.transaction(async (client) => {
      const { rowCount } = await client.query(lockStatement([id]));
      if (rowCount === 1) await client.query(finalizeStatement([id]));
    });
}
