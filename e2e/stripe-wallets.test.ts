import { orderPaid } from '@app/contracts/orders';
import type { Visit } from '@app/testing/browser/visit';
import { openPortalSession } from '@app/testing/portal-session';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct } from './support/seller.ts';
import { called, cardNumber, confirmInSheet, stripeCalls } from './support/stripe-js.ts';
import { type StripeShop, startStripeShop } from './support/stripe-shop.ts';
import { handled } from './support/waits.ts';

/** Guarantee: a buyer pays with the wallet of their phone or browser what its sheet shows, and reads its name afterwards. */
let shop: StripeShop;
beforeAll(async () => {
  shop = await startStripeShop('wallets');
});
afterAll(() => shop?.close());

type Page = Visit['page'];
const newEmail = () => `${crypto.randomUUID()}@example.com`;
/** Clicks, and checks that the sheet was asked for while the click was handled. */
async function openSheet(page: Page, button: string): Promise<void> {
  const submitted = called(page, 'submit');
  await page.getByRole('button', { name: button }).click();
  await submitted;
  expect((await stripeCalls(page)).findLast(({ call }) => call === 'submit')).toEqual({
    call: 'submit',
    during: 'submit',
  });
}
const created = async (page: Page) => (await stripeCalls(page)).findLast(({ call }) => call === 'create');

test('Apple Pay and Google Pay are offered and Link is not; the sheet opens with the click, and the browser may ask for the payment', async () => {
  await addProduct(shop.seller, 'wallet');
  const { page, permissions } = await shop.visit('wallet', { statuses: [422] });
  expect(permissions).toContain(
    'payment=(self "https://js.stripe.com" "https://*.js.stripe.com" "https://hooks.stripe.com")',
  );
  // Of a form that browsers take for none.
  const email = `adé-${newEmail()}`;
  await cardNumber(page).fill('standin_google_pay');
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByText('Enter an email address, like ada@example.com.').textContent();
  expect((await stripeCalls(page)).filter(({ call }) => call === 'submit')).toEqual([]);
  await page.getByLabel('Email').fill(email);
  await openSheet(page, 'Pay $99.00');
  expect(await created(page)).toMatchObject({
    wallets: { applePay: 'auto', googlePay: 'auto', link: 'never' },
    applePay: { recurringPaymentRequest: null },
  });
  await confirmInSheet(page);
  await page.getByText('Google Pay ···· 5678').textContent();
  expect(await shop.ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 9_900 }]);
});

test('a total that changes while the sheet is open charges nothing, and the buyer is asked again', async () => {
  const product = await addProduct(shop.seller, 'sheet');
  const { page } = await shop.visit('sheet', { statuses: [422] });
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await cardNumber(page).fill('standin_apple_pay');
  const before = shop.intents().length;
  await openSheet(page, 'Pay $99.00');
  // On the page itself, as an answer that was on its way does.
  const updated = called(page, 'update');
  await page.getByText('Guide').evaluate((label) => (label as { click(): void }).click());
  await updated;
  await confirmInSheet(page);
  await page.getByText('The total changed while you paid. Nothing was charged.').textContent();
  // By the seller: the server compares what the page showed.
  await openSheet(page, 'Pay $118.00');
  const raised = { priceCents: 10_900 };
  expect((await shop.seller.call('PATCH', `/api/v1/products/${product.productId}`, { body: raised })).status).toBe(200);
  await confirmInSheet(page);
  await page.getByText('The total is $128.00 now. Nothing was charged.').textContent();
  expect([shop.intents().length, await shop.ordersOf(email)]).toEqual([before, []]);
  await openSheet(page, 'Pay $128.00');
  await confirmInSheet(page);
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(shop.intents().slice(before)).toMatchObject([{ amount: 12_800, status: 'succeeded' }]);
});

test('receipt, order, subscription and portal name the wallet that gave the card', async () => {
  const salon = { name: 'Salon', slug: 'salon', priceCents: 2_900, currency: 'usd', status: 'live' };
  const body = { ...salon, pricingType: 'subscription', billingInterval: 'month' };
  expect((await shop.seller.call('POST', '/api/v1/products', { body })).status).toBe(200);
  const { page, context } = await shop.visit('salon');
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await cardNumber(page).fill('standin_apple_pay');
  const regularBilling = {
    ...{ label: 'Salon', amount: 2_900 },
    ...{ recurringPaymentIntervalUnit: 'month', recurringPaymentIntervalCount: 1 },
  };
  const managementURL = `${shop.platform.baseUrl}/p/${shop.handle}`;
  expect(await created(page)).toMatchObject({
    applePay: { recurringPaymentRequest: { paymentDescription: 'Salon', managementURL, regularBilling } },
  });
  await openSheet(page, 'Pay $29.00');
  await confirmInSheet(page);
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  await page.getByText('Apple Pay ···· 1234').textContent();
  await handled('billing', orderPaid, (data) => data.customerEmail === email);
  const [payment] = (await shop.seller.call('GET', `/api/v1/payments?email=${email}`)).json.data;
  expect(payment).toMatchObject({ last_four: '1234', wallet: 'apple_pay' });
  const [subscription] = (await shop.seller.call('GET', `/api/v1/subscriptions?email=${email}`)).json.data;
  expect(subscription).toMatchObject({ last_four: '1234', wallet: 'apple_pay' });
  const session = await openPortalSession(shop.platform.databaseUrl('gateway'), shop.seller.accountId, { email });
  const value = encodeURIComponent(`${session}.${shop.handle}.${email}`);
  await context.addCookies([{ name: `fnl_portal_${shop.handle}`, value, url: shop.platform.baseUrl }]);
  for (const path of [`orders/${payment.order_id}`, `subscriptions/${subscription.id}`]) {
    await page.goto(`/p/${shop.handle}/${path}`);
    await page.getByText('Apple Pay ···· 1234').textContent();
  }
});
