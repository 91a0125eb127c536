import { findAccessViolations, findMarkupFaults } from '@app/testing/browser/find-violations';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { expect, test } from 'vitest';
import { openedPortal } from './support/opened-portal.ts';
import { startShop } from './support/shop.ts';

/** Guarantee: every page that the platform serves is valid HTML, and people with disabilities can use it. */
test('axe and html-validate find nothing wrong with any page that is served', async () => {
  const { baseUrl, path } = await startShop();
  const { page } = await openVisit(baseUrl, { statuses: [404] });
  const found: Record<string, string[]> = {};
  for (const each of [path, '/c/no-shop/nothing', '/nothing-here']) await inspect(page, each, found);
  expect(found).toEqual({});
});

/** What stands in `main` and is wider than its place, in pixels: inline text has no place of its own. */
const overflow = `Math.max(
  document.documentElement.scrollWidth - document.documentElement.clientWidth,
  ...[...document.querySelectorAll('main *')]
    .filter((each) => !getComputedStyle(each).display.startsWith('inline'))
    .map((each) => each.scrollWidth - each.clientWidth),
)`;

test('the pages for developers are valid, and on a narrow phone nothing is scrolled sideways', async () => {
  const { baseUrl } = await startShop();
  const { page } = await openVisit(baseUrl);
  await page.goto('/llms.txt');
  const list = (await page.locator('body').textContent()) ?? '';
  const paths = [...list.matchAll(/\]\(http:\/\/[^/]+(\/\S+)\.md\)/g)].map(([, path = '']) => path);
  expect(paths.length).toBeGreaterThan(20);
  await page.setViewportSize({ width: 320, height: 844 });
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    const response = await page.goto(path);
    const faults = await findMarkupFaults((await response?.text()) ?? '');
    const pixels = Number(await page.evaluate(overflow));
    if (faults.length > 0 || pixels > 0) found[path] = { faults, pixels };
  }
  expect(found).toEqual({});
});

test('axe finds nothing wrong with a page for developers of each kind', async () => {
  const { baseUrl } = await startShop();
  const { page } = await openVisit(baseUrl);
  const found: Record<string, string[]> = {};
  // The gallery has every page, with all kinds of fields.
  for (const path of ['/developers', '/developers/client', '/developers/reference', '/developers/reference/orders'])
    await inspect(page, path, found);
  expect(found).toEqual({});
});

test('the script of the pages for developers copies samples, colours them, and searches the page', async () => {
  const { baseUrl } = await startShop();
  const { page, context } = await openVisit(baseUrl, { size: 'desktop' });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/developers/reference/orders');
  const sample = page
    .locator('section', { has: page.locator('#listOrders') })
    .locator('.sample')
    .first();
  await sample.getByRole('button', { name: 'Copy: Shell' }).click();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await sample.locator('code').textContent());
  expect(Number(await page.evaluate('CSS.highlights.get("string").size'))).toBeGreaterThan(10);
  await page.getByRole('searchbox', { name: 'Search this page' }).fill('refund preview');
  expect(await page.locator('#previewRefund').isVisible()).toBe(true);
  expect(await page.locator('#listOrders').isVisible()).toBe(false);
});

test('axe and html-validate find nothing wrong with a page of the portal, and each is 30 KB at most', async () => {
  const { baseUrl, cookie, pages } = await openedPortal();
  const found: Record<string, string[]> = {};
  const weights: number[] = [];
  for (const { path } of pages) {
    const { page, context } = await openVisit(baseUrl);
    await context.addCookies([cookie]);
    const weigh = weighing(page);
    await inspect(page, path, found);
    expect(new URL(page.url()).pathname).toBe(path);
    weights.push(await weigh());
  }
  expect(found).toEqual({});
  expect(Math.min(...weights)).toBeGreaterThan(3_000);
  expect(Math.max(...weights)).toBeLessThanOrEqual(30_000);
});

test('a checkout is 30 KB at most, with all that it loads', async () => {
  const { baseUrl, path } = await startShop();
  const { page } = await openVisit(baseUrl);
  const weigh = weighing(page);
  await page.goto(path, { waitUntil: 'networkidle' });
  await page.locator('input[type=email]').focus();
  const bytes = await weigh();
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThanOrEqual(30_000);
});

type Page = Visit['page'];

async function inspect(page: Page, path: string, found: Record<string, string[]>): Promise<void> {
  const response = await page.goto(path, { waitUntil: 'networkidle' });
  const faults = await findMarkupFaults((await response?.text()) ?? '');
  faults.push(...(await findAccessViolations(page)));
  if (faults.length > 0) found[path] = faults;
}

/** Adds up what the page loads from now on. @returns what it was so far, in bytes */
function weighing(page: Page): () => Promise<number> {
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    sizes.push(
      request.sizes().then(({ responseHeadersSize, responseBodySize }) => responseHeadersSize + responseBodySize),
    );
  });
  return async () => (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
