import { StripeStandIn } from '@app/billing/stripe-stand-in';
import { createTestNats } from '@app/testing/nats';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startClusterOn } from './support/cluster.ts';
import { confirmAs, visitDashboard } from './support/dashboard-visits.ts';
import { placeOrder, signUp } from './support/seller.ts';

/** Guarantee: with a browser alone a seller stores the keys of a Stripe account, reads what is wrong with them, and never reads a secret again. */
let cluster: Cluster<Awaited<ReturnType<typeof createTestNats>>>;
let stripe: StripeStandIn;
beforeAll(async () => {
  stripe = await StripeStandIn.start({ nowMs: () => Date.now() });
  for (const key of ['sk_live_mara', 'sk_test_mara', 'rk_live_mara']) stripe.accept(key, 'acct_mara');
  stripe.restrict('rk_live_mara', ['charge_write']);
  stripe.accept('sk_live_other', 'acct_other');
  stripe.accept('sk_live_stopped', 'acct_stopped');
  const atStripe = { STRIPE_PROCESSOR: 'enabled', STRIPE_API_URL: stripe.url, PROCESSOR_DEADLINE_MS: '3000' };
  const settings = { SIMULATED_PROCESSOR: 'enabled', ...atStripe };
  cluster = await startClusterOn(await createTestNats(), { settings, apart: [] });
});
afterAll(async () => {
  await cluster?.close();
  await stripe?.close();
});

test('a new seller comes from the first steps to the keys of Stripe, and stores both pairs', async () => {
  const seller = await signUp(cluster.baseUrl);
  const page = await visitDashboard(cluster.baseUrl, seller, '/app', { statuses: [403, 422] });
  const field = (label: string) => page.getByLabel(label, { exact: true });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  const reads = async (name: string, error: string) =>
    void (await page.locator(`#${name}-error`, { hasText: error }).textContent());
  const stored = async () => (await seller.call('GET', '/api/v1/payment-processor')).json;
  await page.getByRole('link', { name: 'Choose how buyers pay' }).click();

  await page.getByRole('radio', { name: /^Stripe/ }).check();
  await field('Live secret key').fill('sk_test_mara');
  await field('Live publishable key').fill('pk_live_mara');
  await save();
  await confirmAs(page);
  await reads('liveSecretKey', 'is a key for test mode');
  expect(await field('Live secret key').inputValue()).toBe('');
  expect(await field('Live publishable key').inputValue()).toBe('pk_live_mara');

  await field('Live secret key').fill('sk_live_mara');
  await field('Live publishable key').fill('sk_live_mara');
  await save();
  await reads('livePublishableKey', 'is not a publishable key');
  expect(await page.content()).not.toContain('sk_live_mara');

  stripe.disturb(() => 'error_after');
  await field('Live secret key').fill('rk_live_mara');
  await field('Live publishable key').fill('pk_live_mara');
  await save();
  await reads('liveSecretKey', 'Stripe did not answer');
  stripe.mend();
  expect(await stored()).toMatchObject({ processor: 'none', stripe: null });

  await field('Live secret key').fill('rk_live_mara');
  await field('Test secret key').fill('sk_test_mara');
  await field('Test publishable key').fill('pk_test_mara');
  await save();
  await page.getByText('Saved.').textContent();
  const shown = await page.locator('main').textContent();
  const missing = /Missing permissions\s*Charges and Refunds: write/;
  const listed = ['Balance Transaction Sources: read', 'radar.early_fraud_warning.created'];
  expect(shown).toMatch(missing);
  for (const said of ['Shop of acct_mara (acct_mara)', 'pk_live_mara', 'pk_test_mara', ...listed]) {
    expect(shown).toContain(said);
  }
  expect(await page.content()).not.toMatch(/[sr]k_(?:live|test)_mara/);
  const [live, rehearsal] = ['pk_live_mara', 'pk_test_mara'].map((publishable_key) => ({ publishable_key }));
  expect(await stored()).toMatchObject({ processor: 'stripe', stripe: { live, test: rehearsal } });
});

test('a form that shows an earlier choice changes nothing, and keys of another Stripe account are refused where they were typed', async () => {
  const seller = await signUp(cluster.baseUrl);
  const put = (body: object) => seller.call('PUT', '/api/v1/payment-processor', { body });
  const page = await visitDashboard(cluster.baseUrl, seller, '/app/settings/payments', { statuses: [403, 422] });
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click();
  const keys = { secretKey: 'sk_live_mara', publishableKey: 'pk_live_mara' };
  expect((await put({ processor: 'stripe', live: keys })).status).toBe(200);
  await page.getByRole('radio', { name: /^Simulated/ }).check();
  await save();
  await confirmAs(page);
  await page.getByText('It was changed since you opened this page').textContent();
  expect((await seller.call('GET', '/api/v1/payment-processor')).json.processor).toBe('stripe');

  // A subscription that renews at the Stripe account keeps its keys.
  const club = { pricingType: 'subscription', billingInterval: 'month', priceCents: 1_900, currency: 'usd' };
  const product = { ...club, name: 'Club', slug: `club-${crypto.randomUUID()}`, status: 'live' };
  await seller.call('POST', '/api/v1/products', { body: product });
  const order = { productSlug: product.slug, email: 'ada@example.com', paymentMethod: 'cus_1/pm_card_visa' };
  const orderId = await placeOrder(seller, order);
  const renewing = `select id from subscriptions where order_id = $1 and collection = 'automatic'`;
  await expect
    .poll(() => query(cluster.databaseUrl('billing'), renewing, [orderId]), { timeout: 20_000 })
    .toHaveLength(1);
  await page.goto('/app/settings/payments');
  await page.getByLabel('Live secret key', { exact: true }).fill('sk_live_other');
  await page.getByLabel('Live publishable key', { exact: true }).fill('pk_live_other');
  await save();
  await page.getByText('Live secret key was not stored.').textContent();
  expect(await page.locator('main').textContent()).toContain('The key is of another Stripe account than acct_mara');
});

test('a seller whose Stripe account takes no payments reads it at Home, and under Payments what Stripe wants', async () => {
  const seller = await signUp(cluster.baseUrl);
  stripe.booksOf('sk_live_stopped').disabled = { reason: 'requirements.past_due', due: ['company.tax_id'] };
  const live = { secretKey: 'sk_live_stopped', publishableKey: 'pk_live_stopped' };
  const put = await seller.call('PUT', '/api/v1/payment-processor', { body: { processor: 'stripe', live } });
  expect(put.json).toMatchObject({ stripe: { live: { charges_enabled: false } } });
  const page = await visitDashboard(cluster.baseUrl, seller, '/app');
  await page.getByText('Your Stripe account takes no payments').textContent();
  await page.getByRole('link', { name: 'See what Stripe wants' }).click();
  await page.getByText('company.tax_id').textContent();
});
