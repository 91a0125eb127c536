import { orderPaid } from '@app/contracts/orders';
import { volume } from '@app/testing/long';
import { beforeAll, describe, expect, test } from 'vitest';
import { downloaded, visitDashboard } from './support/dashboard-visits.ts';
import { scripts } from './support/scripts.ts';
import { addProduct, placeOrder } from './support/seller.ts';
import { platform, seller, signUpSeller } from './support/set-up.ts';
import { handled } from './support/waits.ts';

/** Guarantee: a seller adds an affiliate in the browser, and records a payout of exactly the sum that the button names, once. */
signUpSeller();

beforeAll(async () => {
  await addProduct(seller, 'course');
});

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('an affiliate is added, earns by a sale, and is paid', async () => {
    const code = script ? 'grace' : 'grace-2';
    const page = await visitDashboard(platform.baseUrl, seller, '/app/affiliates', { script, statuses: [422] });
    await page.getByRole('link', { name: 'Add an affiliate' }).click();
    await page.getByLabel('Code').fill('grace hopper');
    await page.getByLabel('Name').fill('Grace Hopper');
    await page.getByLabel('Email').fill('grace@example.com');
    await page.getByLabel('Share in percent').fill('30');
    await page.getByRole('button', { name: 'Add an affiliate' }).click();
    await page.getByText('Code must be letters').textContent();
    expect(await page.getByLabel('Share in percent').inputValue()).toBe('30');
    await page.getByLabel('Code').fill(code);
    await page.getByRole('button', { name: 'Add an affiliate' }).click();
    await page.getByText('Nothing was earned yet.').textContent();

    const body = { productSlug: 'course', email: 'ada@example.com', affiliateCode: code };
    const orderId = await placeOrder(seller, body);
    await handled('affiliate', orderPaid, (data) => data.orderId === orderId);
    await page.getByRole('link', { name: 'Record a payout' }).click();
    await page.getByText('Nothing is due.').textContent();
    await page.getByRole('link', { name: 'Pending commissions too' }).click();
    const address = page.url();
    const key = await page.locator('main [name=key]').inputValue();
    await page.getByRole('button', { name: 'Record the payout of $29.70 to Grace Hopper' }).click();
    await page.getByText('The payout is recorded. It moved no money').textContent();
    // The Back button shows the form as it was sent before.
    const again = { form: { key, currency: 'usd', cents: '2970' }, maxRedirects: 0 };
    const second = await page.request.post(address, again);
    expect([second.status(), second.headers().location]).toEqual([303, `/app/affiliates/code/${code}?did=payout`]);
    const other = await page.request.post(address, { form: { ...again.form, key: 'other tab' } });
    expect(other.status()).toBe(422);
    const { data } = (await seller.call('GET', `/api/v1/payouts?code=${code}`)).json;
    const file = await downloaded(page);
    expect(file.name).toMatch(new RegExp(`^statement-${code}-`));
    expect(file.lines.map((line) => /(payout|commission),.*/.exec(line)?.[0])).toEqual([
      undefined,
      expect.stringMatching(/^payout,.*,-29\.70,0\.00,usd$/),
      expect.stringMatching(/^commission,.*,29\.70,29\.70,usd$/),
    ]);
    expect(data).toMatchObject([{ affiliate_code: code, amount_cents: 2_970, commission_count: 1 }]);
  });
});
