import { orderPaid, orderRefunded } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { immediateAccessText } from '@app/contracts/withdrawals';
import { findAccessViolations } from '@app/testing/browser/find-violations';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { beforeAll, describe, expect, test } from 'vitest';
import { buyPatiently } from './support/buyer.ts';
import { visitDashboard } from './support/dashboard-visits.ts';
import { letterTo, verifyAddress } from './support/letters.ts';
import { moneyByOrder } from './support/processor-books.ts';
import { scripts } from './support/scripts.ts';
import { made, placeOrder } from './support/seller.ts';
import { handle, platform, seller, signUpSeller } from './support/set-up.ts';
import { changeSettings, handled } from './support/waits.ts';

/**
 * Guarantee: anyone withdraws from a contract on a phone, without a log-in and without script, and gets it acknowledged. The seller
 * alone decides, and gives the money back by the refund that there is.
 */
signUpSeller();

beforeAll(async () => {
  await verifyAddress(platform.baseUrl, seller, platform.emails);
  await setUp({ businessName: 'Atelier Ada' });
  const club = { name: 'The open studio', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
  await made(seller, '/api/v1/products', { ...club, pricingType: 'subscription', billingInterval: 'month' });
  const affiliate = { code: 'PAT', name: 'Pat', email: 'pat@example.com', commissionPercent: 10 };
  await seller.call('POST', '/api/v1/affiliates', { body: affiliate });
});

const setUp = (settings: object) => changeSettings(seller, settings, 'checkout');

const newEmail = () => `${crypto.randomUUID()}@example.com`;

async function subscribe(email: string): Promise<string> {
  const wish = { handle, slug: 'club', email, affiliateCode: 'PAT' };
  const { orderId = '' } = await buyPatiently(platform.baseUrl, { wish, card: 'sim_ok' });
  await handled('affiliate', orderPaid, (data) => data.orderId === orderId);
  await handled('checkout', subscriptionStarted, (data) => data.orderId === orderId);
  return orderId;
}

type Page = Visit['page'];

/** On the narrowest phone nothing is scrolled sideways, and the page has no fault. Axe is a script itself. */
async function expectUsable(page: Page, script: boolean): Promise<void> {
  expect(
    Number(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')),
  ).toBeLessThanOrEqual(0);
  if (script) expect(await findAccessViolations(page)).toEqual([]);
}

async function visitShop(script: boolean): Promise<Page> {
  const { page } = await openVisit(platform.baseUrl, { script, statuses: [422] });
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`/c/${handle}/club`);
  return page;
}

async function declare(page: Page, bought: string, email: string): Promise<void> {
  await page.getByRole('link', { name: 'Withdraw from contract here' }).click();
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Order number, or what you bought').fill(bought);
  await page.getByLabel('Email address for the acknowledgement').fill(email);
  await page.getByRole('button', { name: 'Continue' }).click();
}

describe.each(scripts)('%s', (_, script) => {
  test('a buyer withdraws on a phone, and the seller accepts: refunded, commission voided, subscription canceled', async () => {
    const email = newEmail();
    const orderId = await subscribe(email);
    const page = await visitShop(script);
    await declare(page, '', email);
    await page.getByText('Enter the order number or what you bought').textContent();
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ada Lovelace');
    await expectUsable(page, script);
    await page.getByLabel('Order number, or what you bought').fill(orderId.slice(-8));
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Confirm withdrawal' }).textContent();
    await expectUsable(page, script);
    expect((await seller.call('GET', '/api/v1/withdrawals?status=requested')).json.data).toEqual([]);
    await page.getByRole('button', { name: 'Change it' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
    const form = { key: await page.locator('main [name=key]').inputValue(), do: 'confirm' };
    await page.getByRole('button', { name: 'Confirm withdrawal' }).click();
    await page.getByRole('heading', { name: 'Your withdrawal was received' }).textContent();
    const statement = `I withdraw from my contract with Atelier Ada about: ${orderId.slice(-8)}. Ada Lovelace`;
    await page.getByText(statement).textContent();
    const at = await page.locator('time').getAttribute('datetime');
    expect(await page.locator('time').textContent()).toMatch(/\d\d:\d\d:\d\d [AP]M UTC$/);
    await expectUsable(page, script);
    const letter = await letterTo(email, platform.emails, 'withdrawal_received_notice');
    for (const part of [statement, `on ${at?.slice(0, 10)} at ${at?.slice(11, 19)} UTC`])
      expect(letter).toContain(part);
    // A second click gets what the first one got.
    const again = { ...form, name: 'Ada Lovelace', bought: orderId.slice(-8), email };
    const second = await page.request.post(`/p/${handle}/withdraw`, {
      form: again,
      headers: { origin: platform.baseUrl },
    });
    expect([second.status(), (await second.text()).includes(at ?? '-')]).toEqual([200, true]);

    const office = await visitDashboard(platform.baseUrl, seller, '/app', { script, size: 'desktop', statuses: [422] });
    await office.getByRole('link', { name: 'Withdrawals to answer: 1' }).click();
    await office.getByText(statement).textContent();
    await office.getByRole('button', { name: 'Accept, and see the refund' }).click();
    expect((await moneyByOrder(platform.databaseUrl('billing'))).get(orderId)?.chargedCents).toBe(2_900);
    await office.getByRole('button', { name: `Refund $29.00 to ${email}` }).click();
    await office.getByText('The money is on its way back to the buyer.').textContent();
    await handled('affiliate', orderRefunded, (data) => data.orderId === orderId);
    expect((await moneyByOrder(platform.databaseUrl('billing'))).get(orderId)?.chargedCents).toBe(0);
    const commissions: { order_id: string; status: string }[] = (
      await seller.call('GET', '/api/v1/affiliates/PAT/commissions')
    ).json.data;
    expect(commissions.filter(({ order_id }) => order_id === orderId)).toMatchObject([{ status: 'voided' }]);
    const { data } = (await seller.call('GET', `/api/v1/subscriptions?email=${email}`)).json;
    expect(data).toMatchObject([{ order_id: orderId, status: 'canceled' }]);
    expect((await seller.call('GET', '/api/v1/withdrawals')).json.data[0]).toMatchObject({
      ...{ status: 'accepted', late: false, email },
      order: { id: orderId, status: 'refunded' },
    });
  });
});

test('a withdrawal of nothing is acknowledged alike, and declined with an answer that reaches the address', async () => {
  const email = newEmail();
  const page = await visitShop(false);
  await declare(page, 'a course that nobody bought', email);
  await page.getByRole('button', { name: 'Confirm withdrawal' }).click();
  await page.getByRole('heading', { name: 'Your withdrawal was received' }).textContent();
  const office = await visitDashboard(platform.baseUrl, seller, '/app/orders/withdrawals?status=requested', {
    statuses: [422],
  });
  await office.getByText('No order was found for it.').textContent();
  await office.getByRole('button', { name: 'Accept, and see the refund' }).click();
  await office.getByText('The order id must name the order that the withdrawal is about.').textContent();
  await office.getByText('Decline it').click();
  await office.getByLabel('Why').fill('Which address did you buy with?');
  await office.getByRole('button', { name: 'Decline', exact: true }).click();
  await office.getByText('Your answer').textContent();
  const letter = await letterTo(email, platform.emails, 'withdrawal_declined_notice');
  expect(letter).toContain('Which address did you buy with?');
});

test('a shop that the law of the EU does not bind links to no withdrawals, and its page says so', async () => {
  await setUp({ withdrawalDays: 0 });
  const page = await visitShop(false);
  expect(await page.getByRole('link', { name: 'Withdraw from contract here' }).count()).toBe(0);
  await page.goto(`/p/${handle}`);
  expect(await page.getByRole('link', { name: 'Withdraw from contract here' }).count()).toBe(0);
  await page.goto(`/p/${handle}/withdraw`);
  await page.getByRole('heading', { name: 'This shop takes no withdrawals here' }).textContent();
  await setUp({ withdrawalDays: 14 });
  await page.goto(`/p/${handle}`);
  await page.getByRole('link', { name: 'Withdraw from contract here' }).textContent();
});

test('a seller who asks for consent to immediate access sells to who ticks it, and the receipt has the words', async () => {
  await setUp({ immediateAccessConsent: true });
  const page = await visitShop(true);
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Pay' }).last().click();
  await page.getByText('Tick this to go on. Nothing was charged.').textContent();
  await expectUsable(page, true);
  await page.getByLabel('I want access at once').check();
  await page.getByRole('button', { name: 'Pay' }).last().click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  const { data } = (await seller.call('GET', `/api/v1/orders?q=${email}`)).json;
  expect(data).toMatchObject([{ immediate_access: immediateAccessText }]);
  await setUp({ immediateAccessConsent: false });
});

test('an order is found by the number on its receipt and by its whole id', async () => {
  for (const nameOf of [(id: string) => id.slice(-8), (id: string) => id]) {
    const email = newEmail();
    const orderId = await subscribe(email);
    // A second one of the address: nothing else of what is typed says which is meant.
    await placeOrder(seller, { productSlug: 'club', email });
    const page = await visitShop(false);
    await declare(page, `No. ${nameOf(orderId)}`, email);
    await page.getByRole('button', { name: 'Confirm withdrawal' }).click();
    await page.getByRole('heading', { name: 'Your withdrawal was received' }).textContent();
    const [withdrawal] = (await seller.call('GET', '/api/v1/withdrawals?status=requested')).json.data;
    expect(withdrawal).toMatchObject({ email, order: { id: orderId } });
  }
});
