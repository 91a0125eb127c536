import { openForFile } from '@app/testing/opened';
import { type CatalogHarness, startCatalog } from './harness.ts';

/** Of the test file that is running. */
export let catalog: CatalogHarness;

/** Called at the top of a test file: starts the service before its tests and closes it after them. */
export function startService(): void {
  openForFile(async () => {
    catalog = await startCatalog();
    return catalog;
  });
}
