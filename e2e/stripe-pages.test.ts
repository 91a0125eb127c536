import { type PaymentIntent, StripeStandIn } from '@app/billing/stripe-stand-in';
import { openVisit, type Visit, type VisitOptions } from '@app/testing/browser/visit';
import { createTestNats } from '@app/testing/nats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startClusterOn } from './support/cluster.ts';
import { addProduct, type Seller, signUp } from './support/seller.ts';
import { cardNumber, serveStripeJs, stripeApiOrigin, stripeCalls, stripeOrigin } from './support/stripe-js.ts';

/** Guarantee: a buyer pays a Stripe account's seller on the hosted pages, under their real policy. */
let stripe: StripeStandIn;
let platform: Cluster<Awaited<ReturnType<typeof createTestNats>>>;
let seller: Seller;
let handle: string;
const secretKey = 'sk_live_pages';

beforeAll(async () => {
  stripe = await StripeStandIn.start({ nowMs: () => Date.now() });
  stripe.accept(secretKey, 'acct_pages');
  const settings = { STRIPE_API_URL: stripe.url };
  platform = await startClusterOn(await createTestNats(), { settings, apart: [] });
  seller = await signUp(platform.baseUrl, 'Atelier');
  handle = (await seller.call('GET', '/api/v1/settings')).json.handle;
  const body = { processor: 'stripe', live: { secretKey, publishableKey: 'pk_live_pages' } };
  const put = await seller.call('PUT', '/api/v1/payment-processor', { body });
  expect([put.status, put.text]).toEqual([200, expect.anything()]);
});
afterAll(async () => {
  await platform?.close();
  await stripe?.close();
});

async function visit(slug: string, options: VisitOptions = {}) {
  const origins = [stripeOrigin, stripeApiOrigin, new URL(stripe.url).origin];
  const { page, context } = await openVisit(platform.baseUrl, { ...options, origins });
  const requested = await serveStripeJs(context, stripe);
  const response = await page.goto(`/c/${handle}/${slug}`);
  return { page, context, requested, policy: (await response?.allHeaders())?.['content-security-policy'] ?? '' };
}
const intents = (): PaymentIntent[] => stripe.booksOf(secretKey).all<PaymentIntent>('payment_intent');
const newEmail = () => `${crypto.randomUUID()}@example.com`;
const ordersOf = async (email: string) =>
  (await seller.call('GET', '/api/v1/orders')).json.data.filter(
    (order: { customer_email: string }) => order.customer_email === email,
  );

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
  await cardNumber(page).focus();
  await pay.click();
  await expect.poll(() => pay.getAttribute('aria-busy')).toBe(null);
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

test('the bank’s confirmation leads back to the receipt, and no secret stays in the address', async () => {
  await addProduct(seller, 'bank');
  const { page } = await visit('bank');
  await page.getByLabel('Email').fill(newEmail());
  await cardNumber(page).fill('card_authenticationRequired');
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByRole('heading', { name: 'Your bank asks you to confirm' }).textContent();
  const referers: (string | undefined)[] = [];
  page.on('request', (request) => referers.push(request.headers().referer));
  await page.getByRole('link', { name: 'Confirm at your bank' }).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(page.url()).toBe(`${platform.baseUrl}/c/${handle}/bank?back=1`);
  expect(referers.join(' ')).not.toContain('secret');
});

/** The cards of buyers whose bank asks them at its page, and by Stripe's script. */
const ways = [
  { way: 'the page of the bank', refusing: 'standin_refuses', leaving: 'standin_leaves' },
  { way: 'Stripe’s script', refusing: 'standin_script_refuses', leaving: 'standin_script_leaves' },
];
/** Pays with a card whose bank asks; resolves on the page that says so. */
async function payAtBank(page: Visit['page'], card: string): Promise<string> {
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await cardNumber(page).fill(card);
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
  await page.getByRole('heading', { name: 'Your bank asks you to confirm' }).textContent();
  return email;
}
const confirming = (page: Visit['page']) =>
  page
    .getByRole('link', { name: 'Confirm at your bank' })
    .or(page.getByRole('button', { name: 'Confirm at your bank' }));
const lastIntent = () => intents().at(-1) as PaymentIntent;

test('Stripe’s script asks the bank where Stripe wants that, and the page with its secret is kept nowhere', async () => {
  await addProduct(seller, 'script');
  const { page } = await visit('script');
  const email = await payAtBank(page, 'standin_script');
  const { client_secret: secret } = lastIntent();
  const again = await page.reload();
  expect([await page.content(), page.url()]).toEqual([
    expect.stringContaining(secret),
    expect.not.stringContaining('secret'),
  ]);
  expect((await again?.allHeaders())?.['cache-control']).toBe('no-store');
  expect((await seller.call('GET', '/api/v1/payments')).text).not.toContain(secret);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(`${request.url()} ${request.headers().referer} ${request.postData()}`));
  await confirming(page).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await page.content()).not.toContain(secret);
  expect(sent.filter((each) => each.includes(secret))).toEqual([
    expect.stringMatching(/^https:\/\/api.stripe.com\/bank /),
  ]);
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 9_900 }]);
});

test.each(ways)(
  '$way: who refuses there is declined, once nothing can be paid with it any more',
  async ({ refusing }) => {
    const slug = refusing.replaceAll('_', '-');
    await addProduct(seller, slug);
    const { page } = await visit(slug);
    const email = await payAtBank(page, refusing);
    await confirming(page).click();
    await page.getByText('Your card was declined. Nothing was charged.').textContent();
    expect(lastIntent().status).toBe('canceled');
    await cardNumber(page).fill('card_visa');
    await page.getByRole('button', { name: 'Pay $99.00' }).click();
    await page.getByRole('heading', { name: 'You’re in.' }).textContent();
    expect(await ordersOf(email)).toMatchObject([{ status: 'paid' }]);
  },
);

test.each(ways)('$way: a closed window loses nothing, and a success that comes later counts', async ({ leaving }) => {
  const slug = leaving.replaceAll('_', '-');
  await addProduct(seller, slug);
  const { page, context } = await visit(slug);
  const email = await payAtBank(page, leaving);
  await confirming(page).click();
  await page.close();
  const later = await context.newPage();
  await later.goto(`/c/${handle}/${slug}`);
  await confirming(later).textContent();
  stripe.booksOf(secretKey).succeed(lastIntent());
  if (leaving.includes('script')) await later.reload();
  else await later.getByRole('button', { name: 'I have confirmed' }).click();
  await later.getByRole('heading', { name: 'You’re in.' }).textContent();
  expect(await ordersOf(email)).toMatchObject([{ status: 'paid', total_cents: 9_900 }]);
});

test('where the script cannot reach the bank the page says so, and another click tries again', async () => {
  await addProduct(seller, 'offline');
  const { page, context } = await visit('offline');
  await payAtBank(page, 'standin_script');
  const headers = { 'access-control-allow-origin': '*' };
  const json = { error: { type: 'api_connection_error', message: 'No connection.' } };
  await context.route(`${stripeApiOrigin}/bank`, (route) => route.fulfill({ json, headers }), { times: 1 });
  await confirming(page).click();
  await page.getByText('Your bank cannot be reached from here. Nothing was charged.').textContent();
  await confirming(page).click();
  await page.getByRole('heading', { name: 'You’re in.' }).textContent();
});

test('another card pays in place of a confirmation at the bank', async () => {
  await addProduct(seller, 'refuses');
  const { page } = await visit('refuses');
  const email = newEmail();
  await page.getByLabel('Email').fill(email);
  await cardNumber(page).fill('standin_refuses');
  await page.getByRole('button', { name: 'Pay $99.00' }).click();
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

test('an order of 0 asks for no card and loads nothing of Stripe', async () => {
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
