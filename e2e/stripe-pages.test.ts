import { createHmac } from 'node:crypto';
import type { PaymentIntent, SetupIntent, StripeStandIn } from '@app/billing/stripe-stand-in';
import { orderPaid } from '@app/contracts/orders';
import { serviceNames } from '@app/contracts/services';
import { openVisit, type Visit } from '@app/testing/browser/visit';
import { startSmtpServer } from '@app/testing/smtp-server';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { verifyAddress } from './support/letters.ts';
import { serveOwnPage } from './support/own-page.ts';
import { addProduct, type Seller, signUp } from './support/seller.ts';
import { cardNumber, serveStripeJs, stripeApiOrigin, stripeCalls, stripeOrigin } from './support/stripe-js.ts';
import { type StripeShop, startStripeShop } from './support/stripe-shop.ts';
import { handled } from './support/waits.ts';

/** Guarantee: a buyer pays a Stripe account's seller on the hosted pages, under their real policy. */
let shop: StripeShop;
let stripe: StripeStandIn;
let platform: StripeShop['platform'];
let seller: Seller;
let handle: string;
let mails: Awaited<ReturnType<typeof startSmtpServer>>;
let secretKey: string;
const webhookSecret = 'whsec_of_the_pages';

beforeAll(async () => {
  mails = await startSmtpServer();
  const settings = { SMTP_URL: mails.url, EMAIL_FROM: 'mail@platform.example', LOG_LEVEL: 'trace' };
  shop = await startStripeShop('pages', { settings, webhookSecret });
  ({ stripe, platform, seller, handle, secretKey } = shop);
});
afterAll(async () => {
  await shop?.close();
  await mails?.close();
});

const visit: StripeShop['visit'] = (...args) => shop.visit(...args);
const intents = () => shop.intents();
const ordersOf = (email: string) => shop.ordersOf(email);
const newEmail = () => `${crypto.randomUUID()}@example.com`;

test('a buyer adds a bump and a code while the card stays as typed, and pays the new total once', async () => {
  const product = await addProduct(seller, 'bump');
  const code = { code: 'SPRING', percentOff: 50 };
  expect((await seller.call('POST', `/api/v1/products/${product.productId}/discounts`, { body: code })).status).toBe(
    200,
  );
  const { page, requested, policy } = await visit('bump');
  for (const source of ['script-src', 'frame-src']) {
    expect(policy).toMatch(new RegExp(`${source} [^;]*https://js\\.stripe\\.com https://\\*\\.js\\.stripe\\.com`));
  }
  expect(policy).toMatch(/connect-src 'self' https:\/\/api\.stripe\.com/);
  await cardNumber(page).fill('card_visa');
  await page.getByText('Guide').click();
  await page.getByRole('button', { name: 'Pay $118.00' }).textContent();
  await page.getByText('Add a code').click();
  await page.getByLabel('Code', { exact: true }).fill('SPRING');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('button', { name: 'Pay $68.50' }).textContent();
  expect(await cardNumber(page).inputValue()).toBe('card_visa');
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  const before = intents().length;
  await page.getByRole('button', { name: 'Pay $68.50' }).dblclick();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await page.getByText('Card ending in 4242').count()).toBe(1);
  expect(intents().slice(before)).toMatchObject([{ amount: 6_850, status: 'succeeded', setup_future_usage: null }]);
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 6_850 }]);
  const calls = await stripeCalls(page);
  expect(calls.filter(({ call }) => call === 'elements')).toMatchObject([
    {
      key: 'pk_live_pages',
      mode: 'payment',
      amount: 9_900,
      currency: 'usd',
      allowedPaymentMethodTypes: ['card'],
      setupFutureUsage: null,
    },
  ]);
  expect(calls.findLast(({ call }) => call === 'update')).toMatchObject({ amount: 6_850 });
  expect(requested).toEqual(['/endive/stripe.js', '/endive/fields']);
});

test('a card that is not whole, not read or declined is said, and another one pays', async () => {
  await addProduct(seller, 'declined');
  const { page } = await visit('declined');
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  const pay = page.getByRole('button', { name: 'Pay $99.00' });
  await pay.click();
  await page.frameLocator('iframe').getByText('Your card number is incomplete.').textContent();
  expect(await ordersOf(email)).toEqual([]);
  await cardNumber(page).fill('refused');
  await pay.click();
  await page.getByText('Stripe cannot read this card.').textContent();
  expect(await ordersOf(email)).toEqual([]);
  await cardNumber(page).fill('card_chargeDeclined');
  await pay.click();
  await page.getByText('Your card was declined. Nothing was charged.').textContent();
  expect(await page.getByText('Stripe cannot read this card.').count()).toBe(0);
  await cardNumber(page).fill('card_visa');
  await pay.click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid' }]);
});

test('fields that could not be loaded are said, and loaded by another click', async () => {
  await addProduct(seller, 'not-loaded');
  const { page, context } = await visit('not-loaded', { statuses: [404] }, handle, async (route) => {
    await route.fulfill({ status: 404 });
  });
  await page.getByText('The card fields could not be loaded from Stripe. Nothing was charged.').textContent();
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await context.unroute(`${stripeOrigin}/endive/stripe.js`);
  await page.getByRole('button', { name: 'Try again' }).click();
  await cardNumber(page).fill('card_visa');
  expect(await page.getByText('could not be loaded').isVisible()).toBe(false);
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid' }]);
});

test('a bank that asks is shown over the page: one click pays, without another page, link or click', async () => {
  await addProduct(seller, 'bank');
  const { page } = await visit('bank');
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await cardNumber(page).fill('card_authenticationRequired');
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  // The same document all the time: the calls of its script are still known.
  expect((await stripeCalls(page)).filter(({ call }) => call === 'handleNextAction')).toEqual([
    { call: 'handleNextAction', key: 'pk_live_pages' },
  ]);
  expect(page.url()).toBe(`${platform.baseUrl}/c/${handle}/bank`);
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 9_900 }]);
});

test('a bank that Stripe’s script shows on a page of its own leads back to the receipt, and no secret stays in the address', async () => {
  await addProduct(seller, 'bank-page');
  const { page } = await visit('bank-page');
  const referers: (string | undefined)[] = [];
  page.on('request', (request) => referers.push(request.headers().referer));
  await page.getByLabel('Email').fill(newEmail());
  await cardNumber(page).fill('standin_page');
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(page.url()).toBe(`${platform.baseUrl}/c/${handle}/bank-page?back=1`);
  expect(referers.join(' ')).not.toContain('secret');
});

/** Pays with a card whose bank asks. */
async function payAtBank(page: Visit['page'], card: string): Promise<string> {
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await cardNumber(page).fill(card);
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  return email;
}
const confirming = (page: Visit['page']) => page.getByRole('button', { name: 'Confirm at your bank' });
const lastIntent = () => intents().at(-1) as PaymentIntent;

test('the page with the secret for Stripe’s script is kept nowhere, and is left once the bank was asked', async () => {
  await addProduct(seller, 'script');
  const { page } = await visit('script');
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.headers().referer} ${request.postData()}`));
  await payAtBank(page, 'standin_leaves');
  await page.getByRole('heading', { name: 'Your bank asks you to confirm' }).textContent();
  const { client_secret: secret } = lastIntent();
  const again = await page.reload();
  expect([await page.content(), page.url()]).toEqual([
    expect.stringContaining(secret),
    expect.not.stringContaining('secret'),
  ]);
  expect((await again?.allHeaders())?.['cache-control']).toBe('no-store');
  expect((await seller.call('GET', '/api/v1/payments')).text).not.toContain(secret);
  // Who comes back to the page is asked again by a click alone.
  expect(await stripeCalls(page)).toEqual([]);
  stripe.booksOf(secretKey).succeed(lastIntent());
  await confirming(page).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await page.content()).not.toContain(secret);
  expect(sent.filter((each) => each.includes(secret))).toEqual(
    Array(2).fill(expect.stringMatching(/^https:\/\/api.stripe.com\/bank /)),
  );
});

test('who refuses at the bank is declined, once nothing can be paid with it any more', async () => {
  await addProduct(seller, 'refuses');
  const { page } = await visit('refuses');
  const email = await payAtBank(page, 'standin_refuses');
  await page.getByText('Your card was declined. Nothing was charged.').textContent();
  expect(lastIntent().status).toBe('canceled');
  await cardNumber(page).fill('card_visa');
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid' }]);
});

test('a closed window loses nothing, and a success that comes later counts', async () => {
  await addProduct(seller, 'leaves');
  const { page, context } = await visit('leaves');
  const email = await payAtBank(page, 'standin_leaves');
  await page.getByRole('heading', { name: 'Your bank asks you to confirm' }).textContent();
  await page.close();
  const later = await context.newPage();
  await later.goto(`/c/${handle}/leaves`);
  await confirming(later).textContent();
  stripe.booksOf(secretKey).succeed(lastIntent());
  await later.reload();
  await later.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 9_900 }]);
});

test('where the script cannot reach the bank the page says so, and another click tries again', async () => {
  await addProduct(seller, 'offline');
  const { page, context } = await visit('offline');
  const headers = { 'access-control-allow-origin': '*' };
  const json = { error: { type: 'api_connection_error', message: 'No connection.' } };
  await context.route(`${stripeApiOrigin}/bank`, (route) => route.fulfill({ json, headers }), { times: 1 });
  await payAtBank(page, 'card_authenticationRequired');
  await page.getByText('Your bank cannot be reached from here. Nothing was charged.').textContent();
  await confirming(page).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
});

test('another card pays in place of a confirmation at the bank', async () => {
  await addProduct(seller, 'otherwise');
  const { page } = await visit('otherwise');
  const email = await payAtBank(page, 'standin_leaves');
  await page.getByText('Pay with another card').click();
  await cardNumber(page).fill('card_visa');
  await page.getByRole('button', { name: 'Pay $99.00 with this card' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 9_900 }]);
});

test('a subscription saves its card, and the page says so', async () => {
  const club = { name: 'Club', slug: 'club', priceCents: 2_900, currency: 'usd', status: 'live' };
  const body = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  expect((await seller.call('POST', '/api/v1/products', { body })).status).toBe(200);
  const { page } = await visit('club');
  await page.getByText('Your card is saved, to charge the renewals until you cancel.').textContent();
  await page.getByLabel('Email').fill(newEmail());
  await cardNumber(page).fill('card_visa');
  expect(await stripeCalls(page)).toContainEqual(expect.objectContaining({ setupFutureUsage: 'off_session' }));
  await page.getByRole('button', { name: 'Pay $29.00' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(intents().at(-1)).toMatchObject({ amount: 2_900, setup_future_usage: 'off_session' });
});

test('an order of 0 needs no card and loads nothing of Stripe', async () => {
  const free = { name: 'Free', slug: 'free', priceCents: 0, currency: 'usd', status: 'live', pricingType: 'onetime' };
  expect((await seller.call('POST', '/api/v1/products', { body: free })).status).toBe(200);
  const { page, requested } = await visit('free');
  await page.getByLabel('Email').fill(newEmail());
  await page.getByRole('button', { name: 'Get it' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(requested).toEqual([]);
});

test('without script the page says that a card needs it, and charges nothing', async () => {
  await addProduct(seller, 'no-script');
  const { page } = await visit('no-script', { script: false, statuses: [422] });
  expect(await page.locator('#card-form .notice').isVisible()).toBe(true);
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByText('Enter your card. It needs JavaScript').textContent();
  expect(await ordersOf(email)).toEqual([]);
});

test('rehearsals without test keys are simulated: neither Stripe’s script nor its sources are there', async () => {
  await addProduct(seller, 'rehearsed');
  await seller.call('PATCH', '/api/v1/settings', { body: { testMode: true } });
  try {
    const { page, requested, policy } = await visit('rehearsed');
    await page.getByLabel('Test card').selectOption('Card that succeeds');
    expect(policy).not.toContain('stripe');
    expect(await page.content()).not.toContain('stripe-card');
    const offer = await fetch(`${platform.baseUrl}/api/checkout/offers/${handle}/rehearsed`);
    expect(await offer.json()).toMatchObject({ processor: 'simulated', publishableKey: null, test: true });
    expect(requested).toEqual([]);
  } finally {
    await seller.call('PATCH', '/api/v1/settings', { body: { testMode: false } });
  }
});

const club = { name: 'Club', slug: 'circle', priceCents: 2_900, currency: 'usd', status: 'live' } as const;

/** The path of the link in the email about a renewal that was not charged. Emails of rehearsals go to the seller. */
async function cardLink({ email }: Seller): Promise<string> {
  const [sent] = await mails.receivedEmails(1, ({ to, text }) => to === email && text.includes('did not go through'));
  return /\/p\/[\w-]+\/open\/[\w-]{43}/.exec(sent?.text.replaceAll('=\r\n', '') ?? '')?.[0] ?? '';
}

/** A buyer on the card page that the email of a renewal leads to which the bank wants confirmed, in a rehearsal with test keys alone. */
async function onCardPage(name: string) {
  const other = await signUp(platform.baseUrl, name);
  await verifyAddress(platform.baseUrl, other, mails);
  const testKey = `sk_test_${name}`;
  stripe.accept(testKey, `acct_${name}`);
  const keys = { processor: 'stripe', test: { secretKey: testKey, publishableKey: `pk_test_${name}` } };
  expect((await other.call('PUT', '/api/v1/payment-processor', { body: keys })).status).toBe(200);
  const product = { ...club, pricingType: 'subscription', billingInterval: 'month' };
  expect((await other.call('POST', '/api/v1/products', { body: product })).status).toBe(200);
  const settings = (await other.call('PATCH', '/api/v1/settings', { body: { testMode: true } })).json;
  const { page } = await visit('circle', {}, settings.handle);
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await cardNumber(page).fill('card_authenticationRequired');
  expect(await stripeCalls(page)).toContainEqual(expect.objectContaining({ call: 'elements', key: `pk_test_${name}` }));
  await page.getByRole('button', { name: 'Pay $29.00' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  await handled('billing', orderPaid, (data) => data.customerEmail === email);
  expect((await other.call('POST', '/api/v1/rehearsal/advance', { body: { days: 31 } })).json.rebills.charged).toBe(0);
  const books = stripe.booksOf(testKey);
  const before = books.all('payment_intent').length;
  await page.goto(await cardLink(other));
  await page.getByRole('button', { name: 'Open my purchases' }).click();
  await page.getByRole('heading', { name: 'Confirm your card' }).textContent();
  await cardNumber(page).fill('');
  const shown = (await stripeCalls(page)).findLast(({ call }) => call === 'create');
  const { id } = (await other.call('GET', `/api/v1/subscriptions?email=${email}&test=true`)).json.data[0];
  const regularBilling = {
    ...{ label: 'Club', amount: 2_900 },
    ...{ recurringPaymentIntervalUnit: 'month', recurringPaymentIntervalCount: 1 },
  };
  const managementURL = `${platform.baseUrl}/p/${settings.handle}/subscriptions/${id}`;
  expect(shown?.applePay).toEqual({
    recurringPaymentRequest: { paymentDescription: 'Club', managementURL, regularBilling },
  });
  return {
    page,
    books,
    /** What was charged since then. */
    charges: () => books.all<PaymentIntent>('payment_intent').slice(before),
    seenBySeller: () => other.call('GET', `/api/v1/subscriptions/${id}`),
    give: async (card: string) => {
      await cardNumber(page).fill(card);
      await page.getByRole('button', { name: 'Save the card and pay $29.00' }).click();
    },
  };
}
const atBank = { name: 'Your bank asks you to confirm', exact: true };
const paymentAtBank = { name: 'Your bank asks you to confirm the payment' };

test('a card that the bank wants confirmed is saved from the email of its renewal, and its page is kept nowhere', async () => {
  const { page, books, charges, seenBySeller, give } = await onCardPage('studio');
  await give('standin_leaves');
  await page.getByRole('heading', atBank).textContent();
  const setup = books.all<SetupIntent>('setup_intent').at(-1) as SetupIntent;
  const response = await page.reload();
  expect((await response?.allHeaders())?.['cache-control']).toBe('no-store');
  const seen = await seenBySeller();
  expect([seen.json.card_change, seen.text]).toEqual([
    { status: 'requires_action', url: null },
    expect.not.stringContaining(setup.client_secret),
  ]);
  books.succeed(setup);
  await confirming(page).click();
  await page.getByText('Your new card is saved.').textContent();
  expect(setup.status).toBe('succeeded');
  expect(charges()).toMatchObject([{ amount: 2_900, status: 'succeeded' }]);
  await page.getByText('Active', { exact: true }).textContent();
});

test('a renewal whose bank wants card and charge confirmed is paid after both, by the one click that gave the card', async () => {
  const { page, charges, give } = await onCardPage('gallery');
  await give('card_authenticationRequired');
  await page.getByText('The payment went through.').textContent();
  await page.getByText('Active', { exact: true }).textContent();
  expect(page.url()).not.toContain('secret');
  expect(charges()).toMatchObject([{ amount: 2_900, status: 'succeeded' }]);
  expect(await rowsWith(['/authenticate/'])).toEqual([]);
});

test('a charge that waits for its buyer is confirmed on the page alone: its secret is kept nowhere', async () => {
  const { page, books, charges, seenBySeller, give } = await onCardPage('workshop');
  await give('standin_later_leaves');
  await page.getByRole('heading', paymentAtBank).textContent();
  await page.getByText('Confirm the payment of $29.00 at your bank.').textContent();
  const [charge] = charges();
  const { client_secret: secret = '' } = charge ?? {};
  const again = await page.reload();
  expect((await again?.allHeaders())?.['cache-control']).toBe('no-store');
  const seen = await seenBySeller();
  expect([await page.content(), seen.text]).toEqual([
    expect.stringContaining(secret),
    expect.not.stringContaining(secret),
  ]);
  expect(seen.json.payments[0].status).toBe('requires_action');
  expect([await rowsWith([secret]), platform.process('gateway').output().includes(secret)]).toEqual([[], false]);
  await page.getByRole('link', { name: 'Club' }).click();
  await page.getByText('Your bank waits for your confirmation of the payment.').textContent();
  await page.getByRole('link', { name: 'Confirm the payment' }).click();
  books.succeed(charge as PaymentIntent);
  await confirming(page).click();
  await page.getByText('The payment went through.').textContent();
  expect(await page.content()).not.toContain(secret);
  expect(charges()).toMatchObject([{ amount: 2_900, status: 'succeeded' }]);
});

test('who refuses a renewal at the bank gets a card form, and pays with another', async () => {
  const { page, charges, give } = await onCardPage('foundry');
  await give('standin_later_refuses');
  await page.getByText('The payment did not go through, and nothing was charged.').textContent();
  expect(charges()).toMatchObject([{ status: 'canceled' }]);
  await give('card_visa');
  await page.getByText('Your new card is saved.').textContent();
  await page.getByText('Active', { exact: true }).textContent();
  expect(charges().map(({ status }) => status)).toEqual(['canceled', 'succeeded']);
});

test('another card pays a renewal in place of a confirmation that its buyer leaves open', async () => {
  const { page, charges, give } = await onCardPage('bindery');
  await give('standin_later_leaves');
  await page.getByRole('heading', paymentAtBank).textContent();
  await page.getByText('Use another card instead').click();
  await give('card_visa');
  await page.getByText('The payment went through.').textContent();
  expect(charges().map(({ status }) => status)).toEqual(['canceled', 'succeeded']);
});

test('a seller’s own page pays with what the public checkout says, by Stripe’s script too', async () => {
  await addProduct(seller, 'own-page');
  const own = await serveOwnPage(platform.baseUrl);
  const origins = [stripeOrigin, stripeApiOrigin, own];
  const { page, context } = await openVisit(platform.baseUrl, { origins });
  await serveStripeJs(context, stripe);
  await page.goto(own);
  const email = newEmail();
  await page.evaluate(`sell(${JSON.stringify({ handle, slug: 'own-page', email })})`);
  await cardNumber(page).fill('standin_script');
  await page.getByRole('button', { name: 'Buy' }).click();
  await page.getByText('It is paid.').textContent();
  expect(await stripeCalls(page)).toContainEqual({ call: 'handleNextAction', key: 'pk_live_pages' });
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 9_900 }]);
});

/** Buys by the API with a card whose bank asks, as a page would. */
async function buy(slug: string, card: string, how: { readonly confirmsByScript?: true } = {}) {
  const checkout = await openCheckout(platform.baseUrl, { handle, slug, email: newEmail() });
  const returnUrl = `${platform.baseUrl}/c/${handle}/${slug}?back=1`;
  const body = { paymentMethod: `ctoken_${card}--${crypto.randomUUID()}`, returnUrl, ...how };
  const requested = (await checkout.call('POST', '/pay', body)).json;
  return { ...requested, proceed: async () => (await checkout.call('POST', '/continue', {})).json };
}

test('on a page without Stripe’s script who refuses at the bank is declined, and a success that comes after a closed window counts', async () => {
  await addProduct(seller, 'bank-alone');
  const refused = await buy('bank-alone', 'standin_refuses');
  await fetch(refused.action.url, { redirect: 'manual' });
  expect(await refused.proceed()).toMatchObject({ status: 'declined', reason: 'card_declined' });
  expect(lastIntent().status).toBe('canceled');
  const left = await buy('bank-alone', 'standin_leaves');
  await fetch(left.action.url, { redirect: 'manual' });
  expect(await left.proceed()).toMatchObject({ status: 'requires_action' });
  stripe.booksOf(secretKey).succeed(lastIntent());
  expect(await left.proceed()).toMatchObject({ status: 'paid' });
});

/** Rows of any table of any service that hold one of these texts. */
async function rowsWith(texts: readonly string[]): Promise<string[]> {
  const pattern = `%(${texts.join('|')})%`;
  const found = await Promise.all(
    serviceNames.map(async (service) => {
      const url = platform.databaseUrl(service);
      const list = `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`;
      const tables = (await query<{ name: string }>(url, list)).map(({ name }) => name);
      const counted = tables.map((name) => `select '${name}' as name from ${name} as t where t::text similar to $1`);
      const rows = await query<{ name: string }>(url, counted.join(' union '), [pattern]);
      return rows.map(({ name }) => `${service} ${name}`);
    }),
  );
  return found.flat();
}

test('no log, no event and no table keeps a secret of purchases that the bank confirms', async () => {
  await addProduct(seller, 'secrets');
  const byScript = await buy('secrets', 'card_authenticationRequired', { confirmsByScript: true });
  expect(byScript).toMatchObject({ status: 'requires_action' });
  const { clientSecret } = await byScript.proceed();
  expect(await rowsWith([clientSecret])).toEqual([]);
  stripe.buyerDecides(clientSecret);
  expect(await byScript.proceed()).not.toHaveProperty('clientSecret');
  const byPage = await buy('secrets', 'card_authenticationRequired');
  // While it waits its row has the address: the search finds what there is.
  expect(await rowsWith(['/authenticate/'])).not.toEqual([]);
  const back = (await fetch(byPage.action.url, { redirect: 'manual' })).headers.get('location') ?? '';
  expect(new URL(back).searchParams.get('payment_intent_client_secret')).toBe(lastIntent().client_secret);
  await fetch(back, { redirect: 'manual' });
  expect(await byPage.proceed()).toMatchObject({ status: 'paid' });
  const event = stripe.booksOf(secretKey).all('event').at(-1);
  const [bytes, seconds] = [JSON.stringify({ ...event, livemode: true }), Math.floor(Date.now() / 1_000)];
  expect(bytes).toContain('_secret_');
  const signed = createHmac('sha256', webhookSecret).update(`${seconds}.${bytes}`).digest('hex');
  const headers = { 'stripe-signature': `t=${seconds},v1=${signed}`, 'content-type': 'application/json' };
  const address = `${platform.baseUrl}/api/processors/stripe/${seller.accountId}`;
  expect((await fetch(address, { method: 'POST', headers, body: bytes })).status).toBe(200);

  const secrets = [secretKey, webhookSecret, signed, '_secret_x', '/authenticate/'];
  expect(await rowsWith(secrets)).toEqual([]);
  const [{ events = 0 } = {}] = await query<{ events: number }>(
    platform.databaseUrl('checkout'),
    'select count(*)::int as events from outbox',
  );
  const logs = platform.process('gateway').output();
  // Otherwise the search proves nothing.
  expect([events > 0, logs.includes('/api/checkout/'), logs.includes('/c/:handle/:slug')]).toEqual([true, true, true]);
  expect(secrets.filter((secret) => logs.includes(secret))).toEqual([]);
});
