import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll } from 'vitest';
import { type CatalogHarness, startCatalog } from './harness.ts';

/** Of the test file that is running. */
export let catalog: CatalogHarness;

/** Called at the top of a test file: starts the service before its tests and closes it after them. */
export function startService(): void {
  guardLeaks();
  beforeAll(async () => {
    catalog = await startCatalog();
  });
  afterAll(() => catalog.close());
}
