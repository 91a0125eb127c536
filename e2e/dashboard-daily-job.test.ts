import { orderPaid } from '@app/contracts/orders';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { beforeAll, describe, expect, test } from 'vitest';
import { visitDashboard } from './support/dashboard-visits.ts';
import { scripts } from './support/scripts.ts';
import { placeOrder, type Seller, signUp } from './support/seller.ts';
import { type SharedPlatform, sharedPlatform } from './support/shared-platform.ts';
import { handled } from './support/waits.ts';

/** Guarantee: a seller with a browser sees what the daily job would charge, to whom, runs it, and watches it to its result. */
let platform: SharedPlatform;

beforeAll(async () => {
  platform = await sharedPlatform();
});

/** Whose daily job has not run yet. */
async function sellerOfClub(): Promise<Seller> {
  const seller = await signUp(platform.baseUrl);
  const club = { name: 'The open studio', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
  const body = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  expect((await seller.call('POST', '/api/v1/products', { body })).status).toBe(200);
  return seller;
}

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('a daily run is watched', async () => {
    const seller = await sellerOfClub();
    const email = `${crypto.randomUUID()}@example.com`;
    const order = { productSlug: 'club', email, paymentMethod: 'sim_ok' };
    const orderId = await placeOrder(seller, order);
    await handled('billing', orderPaid, (data) => data.orderId === orderId);
    await query(
      platform.databaseUrl('billing'),
      `update subscriptions set anchor = anchor - interval '40 days', next_charge_at = next_charge_at - interval '40 days',
         current_period_end = current_period_end - interval '40 days' where order_id = $1`,
      [orderId],
    );
    const page = await visitDashboard(platform.baseUrl, seller, '/app/daily-job', { script });
    await page.getByText('No run yet.').textContent();
    expect(await page.getByText(`${platform.baseUrl}/api/cron/daily`).count()).toBe(1);
    expect(await page.getByRole('row').filter({ hasText: email }).textContent()).toContain('$29.00');
    await page.getByRole('button', { name: 'Charge $29.00 now' }).click();

    await page.getByRole('heading', { name: '1 charged' }).textContent();
    await page.getByText('Your records and the payment processor’s agree.').textContent();
    await page.getByRole('link', { name: 'Runs' }).click();
    expect(await page.getByRole('row').filter({ hasText: '1 charged' }).textContent()).toContain('$29.00');
    await page.getByRole('link', { name: 'Daily job' }).last().click();
    await page.getByText('Nothing is due now.').textContent();
    expect(await page.getByText('No run yet.').count()).toBe(0);
  });
});
