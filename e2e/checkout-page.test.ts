import { openVisit } from '@app/testing/browser/visit';
import { expect, test } from 'vitest';
import { addProduct, signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';

/** Guarantee: a buyer with a browser buys on the hosted checkout. */
test('a buyer on a phone chooses a bump, pays and sees that it is paid', async () => {
  const { baseUrl } = await sharedPlatform();
  const seller = await signUp(baseUrl);
  const { json: settings } = await seller.call('GET', '/api/v1/settings');
  const { slug } = await addProduct(seller, 'browser');
  const { page } = await openVisit(baseUrl);

  await page.goto(`/c/${settings.handle}/${slug}`);
  await page.getByText('Guide').click();
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByRole('button', { name: 'Pay $118.00' }).click();
  expect(await page.locator('.done').textContent()).toContain('Your order is paid.');

  const { json: orders } = await seller.call('GET', '/api/v1/orders');
  expect(orders.data).toMatchObject([{ status: 'paid', total_cents: 11_800, customer_email: 'ada@example.com' }]);
});
