import { guardLeaks } from '@app/testing/leak-guard';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Harness, startHarness } from './harness.ts';
import { type MailServer, mailSeller, mailSettings } from './mail-seller.ts';

/** Of the test file that is running. */
export let server: MailServer;
export let harness: Harness;
/** Of the test that is running: an account of its own. */
export let seller: Awaited<ReturnType<typeof mailSeller>>;

/** Called at the top of a test file: starts the service with a mail server, which each test finds without emails. */
export function startMailService(): void {
  guardLeaks();
  beforeAll(async () => {
    server = await startSmtpServer();
    harness = await startHarness(mailSettings(server));
  });
  beforeEach(async () => {
    seller = await mailSeller(harness);
    server.forget();
  });
  afterAll(async () => {
    await harness.close();
    await server.close();
  });
}

/** The test goes on with another seller, who has these settings. */
export async function actWith(settings: Parameters<typeof mailSeller>[1]): Promise<void> {
  seller = await mailSeller(harness, settings);
}
