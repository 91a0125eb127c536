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
  return { url, close: () => empty(url) };
}

const ofMigrations = ['confirm_orders', 'refuse_orders', 'order_items_total'];

/** Deletes all rows, and the functions that a test created, with their triggers. To truncate would take 80 ms. */
async function empty(url: string): Promise<void> {
  const functions = await query<{ signature: string }>(
    url,
    `select oid::regprocedure::text as signature from pg_proc
     where pronamespace = 'public'::regnamespace and proname <> all ($1)`,
    [ofMigrations],
  );
  // Rows that refer to others first.
  const tables = await query<{ name: string }>(
    url,
    `select c.oid::regclass::text as name from pg_class as c
     where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relname <> 'migrations'
     order by exists (select from pg_constraint where conrelid = c.oid and contype = 'f') desc`,
  );
  const drops = functions.map(({ signature }) => `drop function ${signature} cascade`);
  await query(url, [...drops, ...tables.map(({ name }) => `delete from ${name}`)].join(';'));
}
