import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '@app/embedded/ports';
import { openVisit, type Visit, type VisitOptions } from '@app/testing/browser/visit';
import { beforeEach, test } from 'vitest';
import { readCredentials } from '../support/standalone.ts';
import { dataDir, folderForEachTest, startInFolder } from '../support/standalone-folder.ts';

const folder = new URL('../../docs/pictures/', import.meta.url);
const product = '/c/mara-lindqvist-studio/watercolour-foundations';

/** What `npm start` shows, for README.md: the pictures are committed. */
folderForEachTest();
beforeEach(async () => {
  await startInFolder(await freePort(), { DAILY_AT: '03:00' }).until(/^ready /);
}, 200_000);

/** Saves what is in the window. */
async function save({ page, context }: Visit, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  const session = await context.newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 90 });
  await writeFile(fileURLToPath(new URL(`${name}.webp`, folder)), Buffer.from(data, 'base64'));
}

test('the pictures of README.md', async () => {
  const { baseUrl, email, password } = await readCredentials(dataDir);
  const checkout = async (name: string, options: VisitOptions) => {
    const visit = await openVisit(baseUrl, options);
    await visit.page.goto(product);
    await visit.page.getByLabel('Printable colour-mixing charts').check();
    await visit.page.getByRole('button', { name: 'Pay $168.00' }).textContent();
    await save(visit, name);
  };
  await checkout('checkout', { size: 'desktop' });
  await checkout('checkout-phone', { scheme: 'dark' });
  const visit = await openVisit(baseUrl, { size: 'desktop' });
  // As high as the chart.
  await visit.page.setViewportSize({ width: 1280, height: 1120 });
  await visit.page.goto('/app');
  await visit.page.getByLabel('Email').fill(email);
  await visit.page.getByLabel('Password').fill(password);
  await visit.page.getByRole('button', { name: 'Log in', exact: true }).click();
  await visit.page.waitForURL('/app');
  await save(visit, 'dashboard');
});
