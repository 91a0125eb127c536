import { openVisit, type Visit } from '@app/testing/browser/visit';
import { volume } from '@app/testing/long';
import { describe, expect, test } from 'vitest';
import { visitDashboard } from './support/dashboard-visits.ts';
import { scripts } from './support/scripts.ts';
import { signUp } from './support/seller.ts';
import { platform, seller, signUpSeller } from './support/set-up.ts';

type Page = Visit['page'];

/** Guarantee: a seller makes a product with its funnel on pages alone, and buyers meet all of it in the checkout. */
signUpSeller();

/** One pixel of a PNG. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

const fill = async (page: Page, values: Record<string, string>) => {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
};
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const open = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();
const preview = (page: Page) => page.frameLocator('iframe[name=preview]');

const logIn = (script: boolean): Promise<Page> =>
  visitDashboard(platform.baseUrl, seller, '/app/products', { script, statuses: [404, 410, 422] });

/** A draft whose name alone distinguishes it from others. */
async function makeProduct(page: Page, name: string): Promise<void> {
  await open(page, 'New product');
  await fill(page, { Name: name, Price: '1.490', Description: 'Bread from flour, water and time.' });
  await press(page, 'Make the product');
  await page.getByText('Price can be read in two ways: type 1490 or 1.49.').textContent();
  expect(await page.getByLabel('Description').inputValue()).toBe('Bread from flour, water and time.');
  if (await page.getByRole('button', { name: 'Update the preview' }).isHidden()) {
    const requested = page.waitForEvent('dialog');
    const left = page.locator('main').getByRole('link', { name: 'Products' }).click();
    await (await requested).dismiss();
    await left;
  }
  await fill(page, { Price: '1.490,00' });
  if (await page.getByRole('button', { name: 'Update the preview' }).isVisible())
    await press(page, 'Update the preview');
  await preview(page).getByText('Pay $1,490.00').textContent();
  await press(page, 'Make the product');
  await page.getByText('The product is a draft.').textContent();
}

async function addFunnel(page: Page): Promise<void> {
  await open(page, 'Add a bump');
  await fill(page, { Headline: 'A banneton', Price: '19' });
  await press(page, 'Add the bump');
  await open(page, 'Add an upsell');
  await fill(page, { Headline: 'A season of classes', Price: '$49' });
  await press(page, 'Add the upsell');
  await open(page, 'Add a code');
  await fill(page, { Code: 'spring', Discount: '10 %' });
  await press(page, 'Add the code');
  await open(page, 'Add an email');
  await fill(page, { Subject: 'Keep your starter', Text: 'Every day.\nAt the same time.', Day: '3' });
  await press(page, 'Add the email');
  await open(page, 'Add a picture');
  await page.getByLabel('Picture').setInputFiles({ name: 'bread.png', mimeType: 'image/png', buffer: picture });
  await press(page, 'Save the picture');
  await page.getByText('Saved.').textContent();
}

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('a product with bump, upsell, code, email and picture is made, made live, and bought', async () => {
    const name = `Sourdough school ${crypto.randomUUID()}`;
    const page = await logIn(script);
    await makeProduct(page, name);
    await addFunnel(page);
    expect(await preview(page).getByText('A banneton').count()).toBe(1);
    await press(page, 'Make it live');
    await page.getByText('The product is live').textContent();
    const link = await page.getByLabel('Link to the checkout').inputValue();
    const funnel = await funnelOf(page.url());
    expect(funnel.emails).toMatchObject([
      { send_day: 3, subject: 'Keep your starter', body: 'Every day.\nAt the same time.' },
    ]);

    const { page: buyer } = await openVisit(platform.baseUrl, { script });
    await buyer.goto(new URL(link).pathname);
    await buyer.getByLabel('Email').fill(`${crypto.randomUUID()}@example.com`);
    await buyer.getByLabel('A banneton').check();
    if (!script) await press(buyer, 'Update the total');
    await press(buyer, 'Pay $1,509.00');
    await buyer.getByRole('heading', { name: 'A season of classes' }).textContent();
    await press(buyer, 'Add it for $49.00');
    await buyer.getByText('$1,558.00').first().textContent();

    await press(page, 'Archive the product');
    await page.getByText('The product is archived').textContent();
    await page.goto(new URL(link).pathname);
    await page.getByRole('heading', { name: 'This product is no longer for sale' }).textContent();
  });
});

const productOf = async (address: string) => {
  const [productId] = /prd_\w+/.exec(address) ?? [];
  return (await seller.call('GET', `/api/v1/products/${productId}`)).json;
};

const funnelOf = async (address: string) => {
  const [productId] = /prd_\w+/.exec(address) ?? [];
  return (await seller.call('GET', `/api/products/${productId}/funnel`)).json;
};

test.each(scripts.slice(0, volume(1, 2)))(
  '%s: a draft changes its currency and billing, and a product that was live does not',
  async (_, script) => {
    const page = await logIn(script);
    await makeProduct(page, `Proofing ${crypto.randomUUID()}`);
    expect(await page.getByLabel('Currency').inputValue()).toBe('USD');
    await fill(page, { Currency: 'e1r', Price: '12,50' });
    await press(page, 'Save');
    await page.getByText('Currency is three letters').textContent();
    await fill(page, { Currency: 'eur' });
    await page.getByLabel('Billing').selectOption({ label: 'Every month' });
    if (await page.getByRole('button', { name: 'Update the preview' }).isVisible())
      await press(page, 'Update the preview');
    await preview(page).getByText('€12.50').first().textContent();
    await press(page, 'Save');
    await page.getByText('Saved.').textContent();
    expect(await page.getByLabel('Currency').inputValue()).toBe('EUR');
    expect(await productOf(page.url())).toMatchObject({
      ...{ currency: 'eur', price_cents: 1_250, pricing_type: 'subscription', billing_interval: 'month' },
    });
    await page.getByLabel('Billing').selectOption({ label: 'Once' });
    await press(page, 'Save');
    await page.getByText('Saved.').textContent();
    expect(await productOf(page.url())).toMatchObject({ pricing_type: 'onetime', billing_interval: null });
    await press(page, 'Make it live');
    await page.getByText('The product is live').textContent();
    expect(await page.getByLabel('Currency').count()).toBe(0);
    expect(await page.getByLabel('Billing').count()).toBe(0);
    await fill(page, { Price: '13' });
    await press(page, 'Save');
    await page.getByText('Saved.').textContent();
    expect(await productOf(page.url())).toMatchObject({ currency: 'eur', price_cents: 1_300 });
  },
);

test('a product of another account is a page that there is not, with all that belongs to it', async () => {
  const other = await signUp(platform.baseUrl);
  const body = { name: 'Theirs', slug: 'theirs', priceCents: 100, pricingType: 'onetime' };
  const { id } = (await other.call('POST', '/api/v1/products', { body })).json;
  const page = await logIn(true);
  await page.getByRole('heading', { name: 'Products' }).textContent();
  const parts = ['', '/preview', '/picture', '/qr.svg', '/bumps/new', '/upsells/new', '/emails/new', '/discounts/new'];
  for (const part of parts) {
    const answer = await page.request.get(`/app/products/${id}${part}`);
    expect([part, answer.status()]).toEqual([part, 404]);
    expect(await answer.text()).not.toContain('Theirs');
  }
});
