import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { type CheckoutHarness, createCheckoutHarness } from './checkout-harness.ts';
import { shareDatabase } from './shared-database.ts';

/** Of the test file, or of the test, that is running. */
export let harness: CheckoutHarness;

/** Called at the top of a test file: starts the service before its tests, and each test finds it as at its beginning. */
export function startService(): void {
  guardLeaks();
  beforeAll(async () => {
    harness = await createCheckoutHarness();
    await harness.base.start();
  });
  afterEach(() => harness.reset());
  afterAll(() => harness.close());
}

/** Called at the top of a test file: each test has a harness of its own, and starts the services that it wants. */
export function harnessForEachTest(): void {
  guardLeaks();
  shareDatabase();
  beforeEach(async () => {
    harness = await createCheckoutHarness();
  });
  afterEach(() => harness.close());
}
