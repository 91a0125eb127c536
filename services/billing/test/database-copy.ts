import type { Database } from '@app/service-kit/database';

/** A backup of the platform's own tables. The processor's books are not among them: an outside party keeps its own. */
export interface DatabaseCopy {
  /** All rows are as they were when it was taken; no process of billing may be at work. */
  restore(): Promise<void>;
}

const tablesSql = `
  select quote_ident(tablename) as name from pg_tables
  where schemaname = 'public' and tablename not like 'mikro_orm%' order by tablename`;

/** One statement, as a backup is: all tables as they were at one moment. The rows wait in memory, so that it costs milliseconds. */
export async function copyDatabase({ pool, transaction }: Database): Promise<DatabaseCopy> {
  const names = (await pool.query<{ name: string }>(tablesSql)).rows.map(({ name }) => name);
  const rowsOf = names.map((name) => `select '${name}' as name, json_agg(t)::text as rows from public.${name} as t`);
  const { rows: tables } = await pool.query<{ name: string; rows: string | null }>(rowsOf.join(' union all '));
  return {
    restore: () =>
      transaction(async (client) => {
        // The tables refer to each other; all of their rows come back.
        await client.query('set local session_replication_role = replica');
        await client.query(names.map((name) => `delete from public.${name}`).join('; '));
        for (const { name, rows } of tables) {
          if (rows === null) continue;
          const row = `json_populate_recordset(null::public.${name}, $1::json)`;
          await client.query(`insert into public.${name} overriding system value select * from ${row}`, [rows]);
        }
      }),
  };
}
