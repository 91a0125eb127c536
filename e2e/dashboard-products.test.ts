import { openVisit, type Visit } from '@app/testing/browser/visit';
import { volume } from '@app/testing/long';
import { describe, expect, test } from 'vitest';
import { visitDashboard } from './support/dashboard-visits.ts';
import { photo } from './support/photo.ts';
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

const choosePicture = (page: Page, buffer: Buffer) =>
  page.getByLabel('Picture', { exact: true }).setInputFiles({ name: 'bread.png', mimeType: 'image/png', buffer });

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
  await fill(page, { Headline: 'A season of classes', Price: '$49', 'Earlier price': '$49' });
  await choosePicture(page, picture);
  await press(page, 'Add the upsell');
  await page.getByText('Earlier price must be above the price').textContent();
  await fill(page, { 'Earlier price': '$79' });
  await choosePicture(page, picture);
  await press(page, 'Add the upsell');
  await page.locator('#upsells').getByText('Added.').textContent();
  await open(page, 'Add a code');
  await fill(page, { Code: 'spring', Discount: '15' });
  await press(page, 'Add the code');
  await page.getByText('15% off').textContent();
  await page.locator('#discounts').getByRole('link', { name: 'SPRING' }).click();
  await page.getByLabel('Percent or amount').selectOption({ label: 'USD off' });
  await press(page, 'Save');
  await page.getByText('$15.00 off').textContent();
  const box = await page.locator('#discounts').getByText('Saved.').boundingBox();
  expect([(box?.y ?? -1) >= 0, (box?.y ?? 900) < (page.viewportSize()?.height ?? 0)]).toEqual([true, true]);
  await open(page, 'Add an email');
  await fill(page, { Subject: 'Keep your starter', Text: 'Every day.\nAt the same time.', Day: '3' });
  await press(page, 'Add the email');
  await open(page, 'Add a picture');
  await choosePicture(page, picture);
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
    // The frame runs no script: what is for browsers without one would be shown to every seller.
    expect(await preview(page).getByRole('button', { name: 'Update the total' }).count()).toBe(0);
    await press(page, 'Make it live');
    await press(page, 'Make it live without one');
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
    expect(await buyer.locator('s').textContent()).toBe('Earlier price: $79.00');
    const [pictured] = (await funnelOf(page.url())).upsells;
    expect(await buyer.locator('img.picture').getAttribute('src')).toBe(pictured.image_url);
    await press(buyer, 'Add it for $49.00');
    await buyer.getByText('$1,558.00').first().textContent();

    await page.locator('#upsells').getByRole('link', { name: 'A season of classes' }).click();
    await page.getByLabel('Remove the picture').check();
    await press(page, 'Save');
    await page.locator('#upsells').getByText('Saved.').textContent();
    expect((await funnelOf(page.url())).upsells[0]).toMatchObject({ image_url: null, compare_at_cents: 7_900 });
    await press(page, 'Archive the product');
    await page.getByText('The product is archived').textContent();
    await page.goto(new URL(link).pathname);
    await page.getByRole('heading', { name: 'This product is no longer for sale' }).textContent();
  });
});

test('a form tells all that is wrong at once, keeps it, leads to each field and opens at the first', async () => {
  const page = await logIn(false);
  const told = async () => [
    await page.getByRole('alert').getByRole('link').allTextContents(),
    await page.locator('.error').count(),
    await page.locator(':focus').getAttribute('id'),
  ];
  await open(page, 'New product');
  await fill(page, { Price: 'much', 'Access link': 'https://site.com/my course', Address: 'My Course' });
  await choosePicture(page, Buffer.alloc(160 * 1024));
  await press(page, 'Make the product');
  expect(await told()).toEqual([['Name', 'Price', 'Access link', 'Address', 'Picture'], 5, 'name']);
  expect(await page.getByLabel('Price', { exact: true }).inputValue()).toBe('much');
  expect(await page.getByRole('alert').getByRole('link', { name: 'Price' }).getAttribute('href')).toBe('#price');
  await fill(page, { Name: `Corrected ${crypto.randomUUID()}`, Price: '10', 'Access link': '', Address: '' });
  await press(page, 'Make the product');
  await page.getByText('The product is a draft.').textContent();
  const product = page.url();
  await open(page, 'Add a bump');
  await fill(page, { Price: 'some', 'Earlier price': 'more' });
  await press(page, 'Add the bump');
  expect(await told()).toEqual([['Headline', 'Price', 'Earlier price'], 3, 'headline']);
  await page.goto(product);
  await open(page, 'Add a code');
  await fill(page, { Discount: '15.5', Uses: 'few' });
  await press(page, 'Add the code');
  expect(await told()).toEqual([['Code', 'Discount', 'Uses'], 3, 'code']);
});

test('a photo of a camera is made smaller before its form is sent, also where Save is pressed at once', async () => {
  const page = await logIn(true);
  await open(page, 'New product');
  await fill(page, { Name: `Photographed ${crypto.randomUUID()}`, Price: '10' });
  await choosePicture(page, photo());
  await press(page, 'Make the product');
  await page.getByText('The product is a draft. Add what').textContent();
  expect((await productOf(page.url())).image_url).toMatch(/\.webp$/);
  await open(page, 'Change the picture');
  await choosePicture(page, photo());
  await press(page, 'Save the picture');
  await page.getByText('Saved.').textContent();
  await open(page, 'Change the picture');
  await choosePicture(page, Buffer.alloc(300 * 1024));
  await page.getByText('This file cannot be made small enough.').textContent();
  await choosePicture(page, picture);
  await page.getByRole('img', { name: 'The chosen picture' }).textContent();
  await choosePicture(page, Buffer.from('no picture'));
  await press(page, 'Save the picture');
  await page.locator('#picture-error').textContent();
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
    expect(await page.getByLabel('Currency').inputValue()).toBe('usd');
    await fill(page, { Price: '12,50' });
    await page.getByLabel('Currency').selectOption('eur');
    await page.getByLabel('Billing').selectOption({ label: 'Every month' });
    if (await page.getByRole('button', { name: 'Update the preview' }).isVisible())
      await press(page, 'Update the preview');
    await preview(page).getByText('€12.50').first().textContent();
    await press(page, 'Save');
    await page.getByText('Saved.').textContent();
    expect(await page.getByLabel('Currency').inputValue()).toBe('eur');
    expect(await productOf(page.url())).toMatchObject({
      ...{ currency: 'eur', price_cents: 1_250, pricing_type: 'subscription', billing_interval: 'month' },
    });
    await page.getByLabel('Billing').selectOption({ label: 'Once' });
    await press(page, 'Save');
    await page.getByText('Saved.').textContent();
    expect(await productOf(page.url())).toMatchObject({ pricing_type: 'onetime', billing_interval: null });
    await press(page, 'Make it live');
    await press(page, 'Make it live without one');
    await page.getByText('The product is live').textContent();
    expect(await page.getByLabel('Currency').count()).toBe(0);
    expect(await page.getByLabel('Billing').count()).toBe(0);
    await fill(page, { Price: '13' });
    expect(await page.getByText('Not saved yet.').isVisible()).toBe(script);
    await press(page, 'Save');
    await page.getByText('Saved.').textContent();
    expect(await productOf(page.url())).toMatchObject({ currency: 'eur', price_cents: 1_300 });
  },
);

test('the preview of the checkout pages follows what is typed, and draws the nearest colour that works', async () => {
  const page = await logIn(true);
  await page.goto('/app/settings/pages');
  await preview(page).getByRole('button', { name: /^Pay / }).textContent();
  await fill(page, { Terms: 'https://bakery.example/terms', 'Accent colour': '#ffcc00' });
  await preview(page).getByRole('link', { name: 'terms' }).textContent();
  const accent = preview(page).locator('link[href*="/accent/"]');
  expect(await accent.getAttribute('href')).toContain('/ae8b00.css');
  await fill(page, { 'Accent colour': '', 'Refund policy': 'https://bakery.example/refunds' });
  await preview(page).getByRole('link', { name: 'refund policy' }).textContent();
  expect(await accent.count()).toBe(0);
  await fill(page, { 'Accent colour': '#ffcc00', Terms: '', 'Refund policy': '' });
  await press(page, 'Save');
  await press(page, 'Use #ae8b00');
  await page.getByText('Saved.').textContent();
  expect(await page.getByLabel('Accent colour').inputValue()).toBe('#ae8b00');
});

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
