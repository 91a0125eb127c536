import { orderPaid } from '@app/contracts/orders';
import type { Visit, VisitOptions } from '@app/testing/browser/visit';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { beforeAll, describe, expect, test } from 'vitest';
import { answerAt, verifyAddress } from './support/letters.ts';
import { enterPortal, linkFor, openLink, type PortalShop, visitPortal } from './support/portal-visits.ts';
import { scripts } from './support/scripts.ts';
import { addProduct, placeOrder, signUp } from './support/seller.ts';
import { handle, platform, seller, signUpSeller } from './support/set-up.ts';
import { handled } from './support/waits.ts';

type Page = Visit['page'];

/** Guarantee: a buyer with a browser finds what they bought by a link that only their email has, with script and without. */
signUpSeller();

beforeAll(async () => {
  await verifyAddress(platform.baseUrl, seller, platform.emails);
  await seller.call('PATCH', '/api/v1/settings', { body: { businessName: 'Atelier Ada' } });
  await answerAt(platform.baseUrl, seller, 'help@atelier.example', platform.emails);
  await addProduct(seller, 'course');
  const club = { name: 'The open studio', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
  const body = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  expect((await seller.call('POST', '/api/v1/products', { body })).status).toBe(200);
});

const newEmail = () => `${crypto.randomUUID()}@example.com`;

async function buy(email: string, of: object = {}): Promise<string> {
  const body = { productSlug: 'course', email, ...of };
  return await placeOrder(seller, body);
}

const subscriptionOf = async (email: string) =>
  (await seller.call('GET', `/api/v1/subscriptions?email=${encodeURIComponent(email)}`)).json.data[0];

async function giveCard(page: Page, card: string): Promise<void> {
  await page.getByLabel('Test card').selectOption({ label: card });
  await page.getByRole('button', { name: 'Save the card' }).click();
}

const visit = (path: string, options: VisitOptions = {}) => visitPortal(shop(), path, options);
const enter = (email: string, options: VisitOptions = {}) => enterPortal(shop(), email, options);
const shop = (): PortalShop => ({ baseUrl: platform.baseUrl, emails: platform.emails, handle });

describe.each(scripts.slice(0, volume(1, 2)))('%s', (_, script) => {
  test('a link by email opens the purchases, each with its receipt, until the buyer signs out', async () => {
    const email = newEmail();
    const orderId = await buy(email);
    const page = await visit('', { script, statuses: [401, 422] });
    await page.getByLabel('Email').fill('ada');
    await page.getByRole('button', { name: 'Email me a link' }).click();
    await page.getByText('Enter an email address, like ada@example.com.').textContent();
    const link = await linkFor(page, shop(), email);
    expect(await page.getByText(email).count()).toBe(1);
    await openLink(page, link);
    await page.getByRole('link', { name: 'Course' }).click();
    await page.getByRole('heading', { name: 'Receipt from Atelier Ada' }).textContent();
    for (const text of [orderId.slice(-8), 'help@atelier.example', '$99.00'])
      expect(await page.getByText(text).count()).toBeGreaterThan(0);
    expect(await page.getByRole('link', { name: 'Open what you bought' }).getAttribute('href')).toBe(
      'https://example.com/a',
    );
    expect(await page.getByRole('button', { name: 'Print' }).isVisible()).toBe(script);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').textContent();
    await page.goto(`/p/${handle}/orders/${orderId}`);
    await page.getByText('This page opens by a link that is sent to your email.').textContent();
  });

  test('a link that was used, or is too old, leads to the form with the address filled in', async () => {
    const email = newEmail();
    await buy(email);
    const first = await visit('', { script });
    const link = await linkFor(first, shop(), email);
    await openLink(first, link);
    await first.getByRole('link', { name: 'Course' }).textContent();
    const second = await visit('', { script });
    await openLink(second, link);
    await second.getByText('That link was used already, or is too old.').textContent();
    expect(await second.getByLabel('Email').inputValue()).toBe(email);
    const fresh = await linkFor(second, shop(), email);
    await query(
      platform.databaseUrl('gateway'),
      `update portal_links set expires_at = now() - interval '1 minute' where email = $1 and used_at is null`,
      [email],
    );
    await openLink(second, fresh);
    await second.getByText('That link was used already, or is too old.').textContent();
    expect(await second.getByLabel('Email').inputValue()).toBe(email);
  });

  test('a subscription is paused, resumed, canceled at the end of its period, kept, and canceled now', async () => {
    const email = newEmail();
    const orderId = await buy(email, { productSlug: 'club', paymentMethod: 'sim_ok' });
    await handled('billing', orderPaid, (data) => data.orderId === orderId);
    const page = await enter(email, { script });
    await page.getByRole('link', { name: 'every month' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('The subscription is paused.').textContent();
    // A paused one ends at once, so no later end is promised.
    await page.getByRole('link', { name: 'Cancel the subscription' }).click();
    await page.getByText('It ends at once').textContent();
    expect(await page.getByRole('radio').count()).toBe(0);
    await page.getByRole('link', { name: 'The open studio' }).click();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByText('The subscription goes on.').textContent();
    await page.getByRole('link', { name: 'Cancel the subscription' }).click();
    const cancelForm = { key: await page.locator('main [name=key]').last().inputValue(), address: page.url() };
    await page.getByRole('button', { name: 'Cancel the subscription' }).click();
    await page.getByText('Until then it stays as it is, and nothing more is charged.').textContent();
    expect(await subscriptionOf(email)).toMatchObject({ status: 'active', cancel_at: expect.any(String) });
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await page.getByText('You keep the subscription.').textContent();
    expect(await subscriptionOf(email)).toMatchObject({ status: 'active', cancel_at: null });
    // The Back button shows the form as it was sent before.
    await page.request.post(cancelForm.address, { form: { key: cancelForm.key, at: 'period_end' } });
    expect(await subscriptionOf(email)).toMatchObject({ status: 'active', cancel_at: expect.any(String) });
    await page.reload();
    await page.getByRole('button', { name: 'Keep the subscription' }).click();
    await page.getByText('You keep the subscription.').textContent();
    await page.getByRole('link', { name: 'Cancel the subscription' }).click();
    await page.getByLabel(/^Now/).check();
    await page.getByRole('button', { name: 'Cancel the subscription' }).click();
    await page.getByText('It ended on').textContent();
    expect(await subscriptionOf(email)).toMatchObject({ status: 'canceled' });
  });

  test('a new card that is declined changes nothing; the next one is confirmed at the bank', async () => {
    const email = newEmail();
    const orderId = await buy(email, { productSlug: 'club', paymentMethod: 'sim_ok' });
    await handled('billing', orderPaid, (data) => data.orderId === orderId);
    const page = await enter(email, { script, statuses: [422] });
    await page.getByRole('link', { name: 'every month' }).click();
    await page.getByRole('link', { name: 'Use another card' }).click();
    await page.getByText('The new card is charged $29.00 on').textContent();
    await giveCard(page, 'Card that is declined');
    await page.getByText('This card was declined. Nothing was charged, and the earlier card stays.').textContent();
    await giveCard(page, 'Card that asks the bank');
    await page.getByRole('heading', { name: 'Your bank asks you to confirm' }).textContent();
    await page.getByRole('link', { name: 'Confirm at your bank' }).click();
    await page.getByText('Your new card is saved.').textContent();
  });

  test('ids of another buyer are those of nothing', async () => {
    const [ada, bob] = [newEmail(), newEmail()];
    const [, theirs] = [await buy(ada), await buy(bob)];
    const page = await enter(ada, { script, statuses: [404] });
    for (const path of [`orders/${theirs}`, `subscriptions/sub_${theirs.slice(4)}`, 'orders/1']) {
      await page.goto(`/p/${handle}/${path}`);
      await page.getByText('No purchase of yours has this address.').textContent();
    }
    await page.getByRole('link', { name: 'Your purchases' }).click();
    expect(await page.getByRole('link', { name: 'Course' }).count()).toBe(1);
  });
});

test('a session is found again at the shop’s new handle, and its old one leads there', async () => {
  const mover = await signUp(platform.baseUrl);
  await verifyAddress(platform.baseUrl, mover, platform.emails);
  await addProduct(mover, 'course');
  const email = newEmail();
  await placeOrder(mover, { productSlug: 'course', email });
  const old = (await mover.call('GET', '/api/v1/settings')).json.handle;
  const page = await enterPortal({ ...shop(), handle: old }, email);
  const settings = { handle: `moved-${crypto.randomUUID()}` };
  expect((await mover.call('PATCH', '/api/v1/settings', { body: settings })).status).toBe(200);
  await page.goto(`/p/${old}?from=email`);
  expect(page.url()).toBe(`${platform.baseUrl}/p/${settings.handle}?from=email`);
  await page.getByRole('link', { name: 'Course' }).click();
  await page.getByRole('heading', { name: 'Receipt' }).textContent();
});

test('a link to one subscription’s card opens that subscription, twice, and nothing else of the buyer', async () => {
  const email = newEmail();
  const orderId = await buy(email, { productSlug: 'club', paymentMethod: 'sim_ok' });
  await handled('billing', orderPaid, (data) => data.orderId === orderId);
  const body = { email, subscriptionId: (await subscriptionOf(email)).id };
  const { url } = (await seller.call('POST', '/api/v1/portal-links', { body })).json;
  for (let times = 1; times <= 2; times += 1) {
    const page = await visit('', { statuses: [401] });
    await openLink(page, new URL(url).pathname);
    await page.getByRole('heading', { name: 'Use another card' }).textContent();
    await page.getByRole('link', { name: 'The open studio' }).click();
    await page.getByRole('heading', { name: 'The open studio' }).textContent();
    expect(await page.getByRole('link', { name: 'Cancel the subscription' }).count()).toBe(0);
    await page.goto(`/p/${handle}/orders/${orderId}`);
    await page.getByText('This page opens by a link that is sent to your email.').textContent();
  }
});

test('a past-due payment is confirmed at the bank from the link to its card, without script', async () => {
  const rehearsing = await signUp(platform.baseUrl);
  const product = { name: 'Club', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
  const monthly = { ...product, pricingType: 'subscription', billingInterval: 'month' };
  expect((await rehearsing.call('POST', '/api/v1/products', { body: monthly })).status).toBe(200);
  await rehearsing.call('PATCH', '/api/v1/settings', { body: { testMode: true } });
  const email = newEmail();
  const order = { productSlug: 'club', email, paymentMethod: 'sim_renewal_requires_action', test: true };
  const orderId = await placeOrder(rehearsing, order);
  await handled('billing', orderPaid, (data) => data.orderId === orderId);
  const advanced = await rehearsing.call('POST', '/api/v1/rehearsal/advance', { body: { days: 31 } });
  expect(advanced.json).toMatchObject({ ok: true, rebills: { charged: 0 } });
  const { data } = (await rehearsing.call('GET', `/api/v1/subscriptions?email=${email}&test=true`)).json;
  const body = { email, subscriptionId: data[0].id };
  const { url } = (await rehearsing.call('POST', '/api/v1/portal-links', { body })).json;
  const page = await visit('', { script: false });
  await openLink(page, new URL(url).pathname);
  await page.getByText('Enter your card once more, and your bank asks you.').textContent();
  await giveCard(page, 'Card that asks the bank each time');
  await page.getByText('Confirm the new card at your bank.').textContent();
  await page.getByRole('link', { name: 'Confirm at your bank' }).click();
  await page.getByText('Confirm the payment of $29.00 at your bank.').textContent();
  await page.getByRole('link', { name: 'Confirm at your bank' }).click();
  await page.getByText('The payment went through.').textContent();
  await page.getByText('Active', { exact: true }).textContent();
});

test('an ended session leads to the form with its address filled in', async () => {
  const email = newEmail();
  await buy(email);
  const page = await enter(email, { statuses: [401] });
  await query(platform.databaseUrl('gateway'), `delete from portal_sessions where email = $1`, [email]);
  await page.reload();
  await page.getByText('You were signed out, because the link was opened long ago.').textContent();
  expect(await page.getByLabel('Email').inputValue()).toBe(email);
});

test('a form of another site opens nothing and ends nothing', async () => {
  for (const path of [`/p/${handle}`, `/p/${handle}/open/token`]) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://elsewhere.example' };
    const answer = await fetch(platform.baseUrl + path, { method: 'POST', headers, body: 'do=sign-out' });
    expect(answer.status).toBe(403);
  }
});
