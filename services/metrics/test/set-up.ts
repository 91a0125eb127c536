import { type Database, openDatabase } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { createMigratedDatabase, type TestDatabase } from '@app/testing/postgres';
import { afterAll, beforeAll } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import type { Fact } from '../src/facts/fact.rules.ts';
import { recordFacts } from '../src/facts/record-facts.ts';
import { rollupTables } from './harness.ts';

/** Of the test file that is running. */
export let storage: TestDatabase;
export let database: Database;

/** Called at the top of a test file: opens the database of metrics, without the service. */
export function openStorage(): void {
  guardLeaks();
  beforeAll(async () => {
    storage = await createMigratedDatabase('metrics', migrate);
    database = await openDatabase(databaseOptions(storage.url));
  });
  afterAll(async () => {
    await database.close();
    await storage.close();
  });
}

/** As after the migrations. To truncate as many tables would take longer than most tests. */
export async function deleteAllFacts(): Promise<void> {
  const tables = ['facts', 'products', ...rollupTables, 'rollup_generations'];
  await database.pool.query(tables.map((table) => `delete from ${table}`).join(';'));
}

/** One batch of them, as a consumer records it. */
export const deliver = (facts: readonly Fact[]): Promise<void> =>
  database.transaction((client) => recordFacts(client, facts));
