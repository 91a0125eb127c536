import { findAccessViolations, findMarkupFaults } from '@app/testing/browser/find-violations';
import { openVisit } from '@app/testing/browser/visit';
import { expect, test } from 'vitest';
import { startShop } from './support/shop.ts';

/** Guarantee: every page that the platform serves is valid HTML, and people with disabilities can use it. */
test('axe and html-validate find nothing wrong with any page that is served', async () => {
  const { baseUrl, path } = await startShop();
  const { page } = await openVisit(baseUrl, { statuses: [404] });
  const found: Record<string, string[]> = {};
  for (const each of [path, '/c/no-shop/nothing', '/nothing-here', '/developers', '/developers/errors']) {
    const response = await page.goto(each, { waitUntil: 'networkidle' });
    const faults = await findMarkupFaults((await response?.text()) ?? '');
    faults.push(...(await findAccessViolations(page)));
    if (faults.length > 0) found[each] = faults;
  }
  expect(found).toEqual({});
});

test('a checkout is 30 KB at most, with all that it loads', async () => {
  const { baseUrl, path } = await startShop();
  const { page } = await openVisit(baseUrl);
  const sizes: Promise<number>[] = [];
  page.on('requestfinished', (request) => {
    sizes.push(
      request.sizes().then(({ responseHeadersSize, responseBodySize }) => responseHeadersSize + responseBodySize),
    );
  });
  await page.goto(path, { waitUntil: 'networkidle' });
  await page.locator('input[type=email]').focus();
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  expect(bytes).toBeGreaterThan(3_000);
  expect(bytes).toBeLessThanOrEqual(30_000);
});
