import type { Database } from '@app/service-kit/database';
import { openForFile } from '@app/testing/opened';
import { type OpenedDatabase, openMigratedDatabase } from '@app/testing/opened-database';
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
  openForFile(async () => {
    storage = await openMigratedDatabase('metrics', migrate, databaseOptions);
    ({ database } = storage);
    return storage;
  });
}

/** Called at the top of a test file: starts the service before its tests and closes it after them. */
export function startService(): void {
  openForFile(async () => {
    harness = await startHarness();
    return harness;
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
