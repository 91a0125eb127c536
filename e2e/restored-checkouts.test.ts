import { openVisit } from '@app/testing/browser/visit';
import { beforeAll, expect, test } from 'vitest';
import { type BuyersCheckout, openCheckout } from './support/buyer.ts';
import { verifyAddress } from './support/letters.ts';
import { remindedOf } from './support/reminders.ts';
import { scripts } from './support/scripts.ts';
import { addProduct } from './support/seller.ts';
import { handle, platform, seller, signUpSeller } from './support/set-up.ts';

/** Guarantee: a buyer comes back by the link of a reminder, and reads what they had filled in. */
signUpSeller();

beforeAll(() => verifyAddress(platform.baseUrl, seller, platform.emails));

async function stalled(slug: string): Promise<BuyersCheckout & { email: string; restore: string }> {
  await addProduct(seller, slug);
  const email = `${slug}@example.com`;
  const opened = await openCheckout(platform.baseUrl, { handle, slug, email, bumpIds: [] });
  return { ...opened, email, restore: await remindedOf(platform, seller, opened.id, email) };
}

test.each(scripts)('%s, the button of the link leads back to the order, which is paid', async (_, script) => {
  const slug = `back-${script}`;
  const { email, restore } = await stalled(slug);
  const { page } = await openVisit(platform.baseUrl, { script });
  await page.goto(`/c/restore/${restore}.${handle}.${slug}`);
  expect(page.url()).toContain('/c/restore/');
  await page.getByRole('button', { name: 'Continue your order' }).click();
  await page.waitForURL(`**/c/${handle}/${slug}`);
  expect(await page.getByLabel('Email').inputValue()).toBe(email);
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
});

test('links of earlier emails, with the id of the checkout or with the # lead to the same button', async () => {
  const { id, restore, email } = await stalled('earlier');
  const { page } = await openVisit(platform.baseUrl);
  await page.goto(`/c/restore/${id}.${restore}.${handle}.earlier`);
  await page.getByRole('button', { name: 'Continue your order' }).textContent();
  await page.goto(`/c/${handle}/earlier?checkout=${id}#secret=${restore}`);
  await page.getByRole('button', { name: 'Continue your order' }).click();
  expect(await page.getByLabel('Email').inputValue()).toBe(email);
});
