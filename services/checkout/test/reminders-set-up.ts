import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { createRemindersHarness, type RemindersHarness } from './reminders-harness.ts';

/** Of the test file that is running. */
export let harness: RemindersHarness;

/** Called at the top of a test file: starts the service before its tests, with a mail server and usual settings of `acc_1`. */
export function startReminders(settings: Record<string, string> = {}): void {
  guardLeaks();
  beforeAll(async () => {
    harness = await createRemindersHarness();
    await harness.base.start({ ...harness.settings, ...settings });
  });
  beforeEach(() => harness.setSettings('acc_1', {}));
  afterEach(() => harness.reset());
  afterAll(() => harness.close());
}
