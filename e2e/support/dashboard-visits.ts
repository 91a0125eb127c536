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
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.waitForURL((url) => url.pathname + url.search === path);
  return page;
}
