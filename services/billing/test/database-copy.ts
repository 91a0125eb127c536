import type { Database } from '@app/service-kit/database';

/** A backup of the platform's own tables. The processor's books are not among them: an outside party keeps its own. */
export interface DatabaseCopy {
  /** All rows are as they were when it was taken. */
  restore(): Promise<void>;
}

export async function copyDatabase({ pool }: Database): Promise<DatabaseCopy> {
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' and tablename not like 'mikro_orm%'`,
  );
  const tables = rows.map(({ name }) => name);
  await pool.query('drop schema if exists copied cascade; create schema copied');
  for (const table of tables) await pool.query(`create table copied.${table} as table public.${table}`);
  return {
    restore: async () => {
      await pool.query(`truncate ${tables.map((table) => `public.${table}`).join(', ')}`);
      for (const table of tables) {
        await pool.query(`insert into public.${table} overriding system value select * from copied.${table}`);
      }
    },
  };
}
