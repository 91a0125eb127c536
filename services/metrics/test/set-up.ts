import type { Database } from '@app/service-kit/database';
import { guardLeaks } from '@app/testing/leak-guard';
import { type OpenedDatabase, openMigratedDatabase } from '@app/testing/opened-database';
import { afterAll, beforeAll } from 'vitest';
import { databaseOptions, migrate } from '../src/db/migrate.ts';
import type { Fact } from '../src/facts/fact.rules.ts';
import { recordFacts } from '../src/facts/record-facts.ts';
import { type Harness, rollupTables, startHarness } from './harness.ts';

/** Of the test file that is running: what it called says which of them are there. */
export let storage: OpenedDatabase;
export let database: Database;
export let harness: Harness;

/** Called at the top of a test file: opens the database of metrics, without the service. */
export function openStorage(): void {
  guardLeaks();
  beforeAll(async () => {
    storage = await openMigratedDatabase('metrics', migrate, databaseOptions);
    ({ database } = storage);
  });
  afterAll(() => storage.close());
}

/** Called at the top of a test file: starts the service before its tests and closes it after them. */
export function startService(): void {
  guardLeaks();
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness.close());
}

/** As after the migrations. To truncate as many tables would take longer than most tests. */
export async function deleteAllFacts(): Promise<void> {
  const tables = ['facts', 'products', ...rollupTables, 'rollup_generations'];
  await database.pool.query(tables.map((table) => `delete from ${table}`).join(';'));
}

/** One batch of them, as a consumer records it. */
export const deliver = (facts: readonly Fact[]): Promise<void> =>
  database.transaction((client) => recordFacts(client, facts));
