import { orderPaid } from '@app/contracts/orders';
import { openVisit } from '@app/testing/browser/visit';
import { volume } from '@app/testing/long';
import { beforeAll, describe, expect, test } from 'vitest';
import { downloaded, visitDashboard } from './support/dashboard-visits.ts';
import { openLink } from './support/portal-visits.ts';
import { scripts } from './support/scripts.ts';
import { placeOrder, type Seller, signUp } from './support/seller.ts';
import { type SharedPlatform, sharedPlatform } from './support/shared-platform.ts';
import { handled } from './support/waits.ts';

/** Guarantee: a seller finds a renewal that failed, reads why, and gets it paid by a link for the buyer's card. */
let platform: SharedPlatform;

beforeAll(async () => {
  platform = await sharedPlatform();
});

/** A shop in a rehearsal of its own, a month after a buyer's card began to be declined. */
async function pastDue(email: string): Promise<Seller> {
  const seller = await signUp(platform.baseUrl);
  // The portal shows rehearsals in test mode alone.
  expect((await seller.call('PATCH', '/api/v1/settings', { body: { testMode: true } })).status).toBe(200);
  const club = { name: 'Club', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
  const product = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  expect((await seller.call('POST', '/api/v1/products', { body: product })).status).toBe(200);
  const order = { productSlug: 'club', email, paymentMethod: 'sim_renewal_declined' };
  const orderId = await placeOrder(seller, order);
  await handled('billing', orderPaid, (data) => data.orderId === orderId);
  expect((await seller.call('POST', '/api/v1/rehearsal/advance', { body: { days: 32 } })).status).toBe(200);
  return seller;
}

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('a failed renewal is found, explained, and paid with another card', async () => {
    const email = `${crypto.randomUUID()}@example.com`;
    const seller = await pastDue(email);
    const read = async () => (await seller.call('GET', '/api/v1/subscriptions?test=true')).json.data[0];
    const page = await visitDashboard(platform.baseUrl, seller, '/app/subscriptions/test', { script });
    await page.getByLabel('Status').selectOption({ label: 'Past due' });
    await page.getByRole('button', { name: 'Search' }).last().click();
    const file = await downloaded(page);
    expect([file.name, file.lines.length, file.lines[1]]).toEqual([
      expect.stringMatching(/^subscriptions-.*\.csv$/),
      2,
      expect.stringContaining(`,past_due,`),
    ]);
    await page.getByRole('link', { name: email }).click();
    await page.getByRole('alert').getByText('The renewal of $29.00 failed.').textContent();
    await page.getByRole('alert').getByText('Next try:').textContent();
    await page.getByRole('link', { name: 'Send the buyer a link for another card' }).click();
    await page.getByRole('button', { name: 'Make the link' }).click();
    const link = await page.getByLabel('Link', { exact: true }).inputValue();

    const buyer = (await openVisit(platform.baseUrl, { script })).page;
    await openLink(buyer, new URL(link).pathname);
    await buyer.getByLabel('Test card').selectOption({ label: 'Card that succeeds' });
    await buyer.getByRole('button', { name: 'Save the card and pay $29.00' }).click();
    await buyer.getByText('Your new card is saved.').textContent();

    await page.goto(`/app/subscriptions/${(await read()).id}`);
    await page.getByText('$29.00 charged to the saved card for the renewal').textContent();
    expect((await read()).status).toBe('active');

    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The subscription is paused.').textContent();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The subscription goes on.').textContent();
    await page.getByRole('link', { name: 'Cancel the subscription' }).click();
    await page.getByRole('button', { name: `Cancel the subscription of ${email}` }).click();
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await page.getByText('The subscription is kept').textContent();
    await page.getByRole('link', { name: 'Cancel the subscription' }).click();
    await page.getByLabel(/^Now/).check();
    await page.getByRole('button', { name: `Cancel the subscription of ${email}` }).click();
    await page.getByText('The subscription is canceled.').textContent();
    expect((await read()).status).toBe('canceled');
  });
});
