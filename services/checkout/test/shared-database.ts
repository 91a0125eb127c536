import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll } from 'vitest';
import { migrate } from '../src/db/migrate.ts';

let isShared = false;
let shared: TestDatabase | undefined;

/**
 * Called at the top of a test file, after `guardLeaks`: the file's harnesses, one after the other, get the same database,
 * each of them empty. Another copy for each test would cost more than most tests.
 */
export function shareDatabase(): void {
  beforeAll(() => {
    isShared = true;
  });
  afterAll(async () => {
    isShared = false;
    await shared?.close();
    shared = undefined;
  });
}

/** A database without rows. */
export async function takeDatabase(): Promise<TestDatabase> {
  if (!isShared) return await createMigratedDatabase('checkout', migrate);
  shared ??= await createMigratedDatabase('checkout', migrate);
  const { url } = shared;
  return { url, close: () => emptyDatabase(url) };
}

/**
 * Deletes all rows, those that refer to others first, but that of the installation, which the running service goes on reading; and the
 * functions that a test created, with their triggers. To truncate would take 80 ms.
 */
const emptySql = `do $$
  declare found record;
  begin
    for found in
      select oid::regprocedure as signature from pg_proc
      where pronamespace = 'public'::regnamespace
        and proname not in ('confirm_orders', 'refuse_orders', 'order_items_total', 'earlier_purchases',
          'forget_email_key')
    loop
      execute format('drop function %s cascade', found.signature);
    end loop;
    for found in
      select oid::regclass as name from pg_class as c
      where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not in ('migrations', 'installation')
      order by exists (select from pg_constraint where conrelid = c.oid and contype = 'f') desc
    loop
      execute format('delete from %s', found.name);
    end loop;
  end $$`;

export async function emptyDatabase(url: string): Promise<void> {
  await query(url, emptySql);
}
