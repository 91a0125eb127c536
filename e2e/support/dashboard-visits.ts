import { readFile } from 'node:fs/promises';
import { openVisit, type Visit, type VisitOptions } from '@app/testing/browser/visit';
import type { Seller } from './seller.ts';

/** Opens a browser of the seller's, and logs in on the way to a page. */
export async function visitDashboard(
  baseUrl: string,
  { email }: Seller,
  path: string,
  options: VisitOptions = {},
): Promise<Visit['page']> {
  const { page } = await openVisit(baseUrl, options);
  await page.goto(path);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill('a long enough password');
  await page.getByRole('button', { name: 'Log in', exact: true }).click();
  await page.waitForURL((url) => url.pathname + url.search === path);
  return page;
}

/** Gives the password that a form asks for once more. The visit names the status 403. */
export async function confirmAs(page: Visit['page'], passwordOf = 'a long enough password'): Promise<void> {
  await page.getByRole('heading', { name: 'Confirm it is you' }).textContent();
  await page.getByLabel('Your password').fill(passwordOf);
  await page.getByRole('button', { name: 'Confirm and save' }).click();
}

/** The file to which the page's list leads: its name, and its lines. */
export async function downloaded(page: Visit['page']): Promise<{ name: string; lines: string[] }> {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download as CSV' }).click(),
  ]);
  const text = await readFile(await file.path(), 'utf8');
  return { name: file.suggestedFilename(), lines: text.split('\r\n').slice(0, -1) };
}
