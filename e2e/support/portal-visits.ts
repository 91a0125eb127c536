import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { letterAttempted } from '@app/gateway/points';
import { openVisit, type Visit, type VisitOptions } from '@app/testing/browser/visit';
import { listen } from '@app/testing/points';

type Page = Visit['page'];

/** Where a buyer has bought. */
export interface PortalShop {
  readonly baseUrl: string;
  /** The folder of the gateway's letters. */
  readonly emails: string;
  readonly handle: string;
}

/** Opens a browser of its own at a page of the shop's portal. @param path after `/p/{handle}` */
export async function visitPortal(
  { baseUrl, handle }: PortalShop,
  path = '',
  options: VisitOptions = {},
): Promise<Page> {
  const { page } = await openVisit(baseUrl, options);
  await page.goto(`/p/${handle}${path}`);
  return page;
}

/** Fills in the form for a link. @returns the link's path, as the email has it */
export async function linkFor(page: Page, { emails, handle }: PortalShop, email: string): Promise<string> {
  const from = listen();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Email me a link' }).click();
  await page.getByRole('heading', { name: 'Check your email' }).textContent();
  const [letter] = await from.announced(letterAttempted, ({ to }) => to === email);
  const file = readFileSync(join(emails, `${letter?.letterId}.eml`), 'latin1').replaceAll('=\r\n', '');
  return new RegExp(`/p/${handle}/open/[\\w-]{43}`).exec(file)?.[0] ?? '';
}

/** Presses the one button of the page that a link leads to. */
export async function openLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole('button', { name: 'Open my purchases' }).click();
}

/** Opens the portal by a link of an email, in a browser of its own. */
export async function enterPortal(shop: PortalShop, email: string, options: VisitOptions = {}): Promise<Page> {
  const page = await visitPortal(shop, '', options);
  await openLink(page, await linkFor(page, shop, email));
  await page.getByRole('heading', { name: 'Orders' }).textContent();
  return page;
}
