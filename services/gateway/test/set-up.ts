import { guardLeaks } from '@app/testing/leak-guard';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createHarness, createSeller, type Harness } from './harness.ts';

/** Of the test file that is running. */
export let harness: Harness;
export let url: string;
/** Of the test that is running. */
export let seller: Awaited<ReturnType<typeof createSeller>>;

/** The gateway's database, as a test sees it from outside. */
export const database = {
  query: async (text: string) => ({ rows: await query(harness.database.url, text) }),
};

/** Called at the top of a test file: starts a gateway before its tests and closes it after them. */
export function startGateway(settings: Record<string, string> = {}): void {
  guardLeaks();
  beforeAll(async () => {
    harness = await createHarness();
    ({ url } = await harness.start(settings));
  });
  afterAll(() => harness.close());
}

/** Called after `startGateway`: each test has a seller of its own. */
export function sellerForEachTest(): void {
  beforeEach(async () => {
    seller = await createSeller(url);
  });
}
