import { orderPaid } from '@app/contracts/orders';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { startReceiver } from '@app/testing/http-receiver';
import { volume } from '@app/testing/long';
import { announced } from '@app/testing/points';
import { attemptsRecorded } from '@app/webhook-dispatcher/points';
import { beforeAll, describe, expect, test } from 'vitest';
import { confirmAs, visitDashboard } from './support/dashboard-visits.ts';
import { letterPath, letterTo } from './support/letters.ts';
import { scripts } from './support/scripts.ts';
import { placeOrder, signUp } from './support/seller.ts';
import { type SharedPlatform, sharedPlatform } from './support/shared-platform.ts';
import { handled } from './support/waits.ts';

type Page = Visit['page'];

/** Guarantee: with a browser alone a seller comes from the sign-up to a sale, back in after a forgotten password, and sees a year pass. */
let platform: SharedPlatform;

beforeAll(async () => {
  platform = await sharedPlatform();
});

const fill = async (page: Page, values: Record<string, string>) => {
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
};
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const open = (page: Page, name: string) => page.getByRole('link', { name, exact: true }).click();

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('a new seller sells within some minutes, and sees the webhook of the sale arrive', async () => {
    const receiver = await startReceiver();
    const { page } = await openVisit(platform.baseUrl, { script, statuses: [403, 422] });
    await page.goto('/');
    await open(page, 'Make an account');
    const email = `${crypto.randomUUID()}@example.com`;
    await fill(page, {
      'Your name, or your business’s': 'Ada’s bakery',
      Email: email,
      Password: 'a long enough password',
    });
    await press(page, 'Make the account');
    await open(page, 'Send sales to another tool (optional)');
    await open(page, 'Add an endpoint');
    await fill(page, { URL: `${receiver.url}/sales` });
    await press(page, 'Add the endpoint');
    await confirmAs(page);
    expect(await page.getByLabel('Signing secret').inputValue()).toMatch(/^whsec_/);
    const endpoint = (await page.getByRole('link', { name: 'Open the endpoint' }).getAttribute('href')) ?? '';

    await page.goto('/app');
    await open(page, 'Make a product and set it live');
    await open(page, 'New product');
    await fill(page, { Name: `Bread ${crypto.randomUUID()}`, Price: '149' });
    await press(page, 'Make the product');
    await press(page, 'Make it live');
    await press(page, 'Make it live without one');
    await page.getByText('The product is live').textContent();
    const link = await page.getByLabel('Link to the checkout').inputValue();

    const { page: buyer } = await openVisit(platform.baseUrl, { script });
    const buyersEmail = `${crypto.randomUUID()}@example.com`;
    await buyer.goto(new URL(link).pathname);
    await fill(buyer, { Email: buyersEmail });
    await press(buyer, 'Pay $149.00');
    const [paid] = await receiver.received(1, ({ headers }) => headers['x-service-event'] === 'order.paid');
    const { orderId } = JSON.parse(paid?.body ?? '{}');
    await announced(attemptsRecorded, ({ attempts }) =>
      attempts.some(({ endpointId, delivered }) => delivered && endpoint.endsWith(endpointId)),
    );

    await page.goto('/app');
    const steps = page.locator('.steps li');
    for (const step of [
      'Make a product and set it live',
      'Send sales to another tool (optional)',
      'Share the link and get a first visitor',
    ])
      expect(await steps.filter({ hasText: step }).textContent()).toContain('Done');
    await page.goto(`/app/search?q=${orderId}`);
    await page.waitForURL(`**/app/orders/${orderId}`);
    await page.locator('summary', { hasText: 'Emails and webhooks' }).click();
    const webhook = page.getByRole('listitem').filter({ hasText: 'Webhook order.paid' });
    expect(await webhook.textContent()).toContain('Delivered');
  });

  test('a forgotten password is replaced: other browsers are logged out, and a letter reports it', async () => {
    const seller = await signUp(platform.baseUrl);
    const elsewhere = await visitDashboard(platform.baseUrl, seller, '/app/settings/account', { script });
    const { page } = await openVisit(platform.baseUrl, { script, statuses: [422] });
    await page.goto('/login');
    await open(page, 'Forgot your password?');
    await fill(page, { Email: seller.email });
    await press(page, 'Send the link');
    await page.getByRole('heading', { name: 'Check your email' }).textContent();
    await page.goto(letterPath(await letterTo(seller.email, platform.emails, 'password_reset'), 'password-reset'));
    await fill(page, { 'New password': 'password123' });
    await press(page, 'Set the password');
    expect(await page.locator('#password-error').textContent()).toMatch(/^The password /);
    await fill(page, { 'New password': 'an even longer password' });
    await press(page, 'Set the password');
    await open(page, 'Log in');
    await fill(page, { Email: seller.email, Password: 'an even longer password' });
    await press(page, 'Log in');
    await page.getByRole('heading', { name: 'Home' }).textContent();

    await elsewhere.reload();
    await elsewhere.getByText('Log in to see this page.').textContent();
    const notice = await letterTo(seller.email, platform.emails, 'password_notice');
    expect(notice).toContain('Subject: Your password was changed');
    expect(notice).not.toContain('an even longer password');
  });

  test('a year of test subscriptions passes, and each has its history', async () => {
    const seller = await signUp(platform.baseUrl);
    const club = { name: 'Bread club', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
    const body = { ...club, pricingType: 'subscription', billingInterval: 'month' };
    expect((await seller.call('POST', '/api/v1/products', { body })).status).toBe(200);
    const page = await visitDashboard(platform.baseUrl, seller, '/app/settings/test-mode', { script, statuses: [422] });
    await seller.call('PATCH', '/api/v1/settings', { body: { businessName: 'Changed meanwhile' } });
    await press(page, 'Switch test mode on');
    await page.getByText('Your settings were changed since you opened this page').textContent();
    await press(page, 'Switch test mode on');
    await page.getByText('Test mode is on: your checkouts take test purchases only.').textContent();
    for (const [email, paymentMethod] of [
      ['pays@example.com', 'sim_ok'],
      ['declines@example.com', 'sim_renewal_declined'],
    ]) {
      const order = { productSlug: 'club', email, paymentMethod, test: true };
      const orderId = await placeOrder(seller, order);
      await handled('billing', orderPaid, (data) => data.orderId === orderId);
    }

    await fill(page, { Days: '3650' });
    await press(page, 'Let the days pass');
    await page.getByText(/^Days .+366/).textContent();
    await fill(page, { Days: '366' });
    await press(page, 'Let the days pass');
    const said = await page.getByText('Days that have passed: 366.').textContent();
    expect(said).toMatch(/Renewals charged: 12, \$348\.00 together\. .+ tried again: 3\. Subscriptions ended: 1\./);
    await page.getByText('366 days ahead').textContent();
    await open(page, 'Test subscriptions');
    expect(await page.getByRole('row').filter({ hasText: 'declines@example.com' }).textContent()).toContain('Ended');
    await page.getByRole('row').filter({ hasText: 'pays@example.com' }).getByRole('link').click();
    await page.waitForURL('**/app/subscriptions/sub_*');
    expect(await page.getByText('$29.00').count()).toBeGreaterThanOrEqual(13);
  });
});
