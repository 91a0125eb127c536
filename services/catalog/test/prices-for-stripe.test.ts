import { createOffer, getFunnel, updateOffer } from '@app/contracts/funnels';
import { newIdSuffix } from '@app/contracts/ids';
import { getPaymentProcessor } from '@app/contracts/payment-processors';
import { createProduct, listProducts, type ProductResource, updateProduct } from '@app/contracts/products';
import { onRequest, serveRequests } from '@app/messaging/serve-requests';
import { silentLogger } from '@app/service-kit/logger';
import { beforeAll, expect, test } from 'vitest';
import { catalog, startService } from './set-up.ts';

startService();

let processor: 'stripe' | 'simulated' | 'none' | 'failing' = 'stripe';
const live = {
  ...{ account: 'acct_1', account_name: null, publishable_key: 'pk_live_1', stored_at: '2026-03-15T12:00:00.000Z' },
  ...{
    settlement_currency: 'usd',
    charges_enabled: true,
    disabled_reason: null,
    requirements_due: [],
    account_checked_at: null,
    missing_permissions: [],
    left_endpoints: [],
    last_event_at: null,
  },
  webhooks: 'active' as const,
};
/** The accounts that billing was queried about. */
const requested: string[] = [];

beforeAll(async () => {
  const get = onRequest(getPaymentProcessor, async (_, { accountId }) => {
    requested.push(accountId);
    if (processor === 'failing') throw new Error('billing fails');
    return { processor, secrets: [], updated_at: null, version: 1, stripe: { live, test: null } };
  });
  const billing = await catalog.connectAs('billing');
  await serveRequests(billing, { version: '0.1.0', description: 'billing', handlers: [get], logger: silentLogger() });
});

let products = 0;
function create(body: { priceCents: number; currency?: string }, context: object = {}): Promise<ProductResource> {
  const rest = { name: 'Guide', slug: `guide-${++products}`, pricingType: 'onetime' as const };
  return catalog.request(createProduct, { body: { ...rest, ...body }, defaultCurrency: 'mga' }, context);
}
const refused = (field: string, words: RegExp) => ({
  code: 'validation_failed',
  errors: [{ field, message: expect.stringMatching(words) }],
});

test.each([
  { price: { priceCents: 150 }, field: 'priceCents', words: /multiple of 100, at least 100/ },
  { price: { priceCents: 100_000_000, currency: 'usd' }, field: 'priceCents', words: /at most 99999999/ },
  { price: { priceCents: 4_900, currency: 'iqd' }, field: 'currency', words: /no payments in IQD/ },
  { price: { priceCents: 49, currency: 'usd' }, field: 'priceCents', words: /0 or at least 50: Stripe/ },
])('a product that Stripe cannot charge is refused and names $field', async ({ price, field, words }) => {
  processor = 'stripe';
  requested.length = 0;
  const before = await catalog.request(listProducts, {});
  await expect(create(price)).rejects.toMatchObject(refused(field, words));
  expect(await catalog.request(listProducts, {})).toEqual(before);
  expect(requested).toEqual([catalog.accountId]);
});

test('a price that Stripe may take, and none at all, needs no request to billing', async () => {
  requested.length = 0;
  await create({ priceCents: 50, currency: 'usd' });
  const { id: productId } = await create({ priceCents: 0, currency: 'iqd' });
  await catalog.request(updateProduct, { productId, body: { name: 'Free guide' } });
  expect(requested).toEqual([]);
});

test('new prices of a product, a bump and an upsell are refused, and kept ones are not', async () => {
  processor = 'simulated';
  const { id: productId } = await create({ priceCents: 150 });
  const bump = { productId, kind: 'bump' as const };
  const offer = await catalog.request(createOffer, { ...bump, body: { headline: 'More', priceCents: 250 } });
  processor = 'stripe';
  const words = /multiple of 100/;
  const update = catalog.request(updateProduct, { productId, body: { priceCents: 160 } });
  await expect(update).rejects.toMatchObject(refused('priceCents', words));
  const bumped = catalog.request(updateOffer, { ...bump, offerId: offer.id, body: { priceCents: 260 } });
  await expect(bumped).rejects.toMatchObject(refused('priceCents', words));
  const upsell = { productId, kind: 'upsell' as const, body: { headline: 'Most', priceCents: 350 } };
  await expect(catalog.request(createOffer, upsell)).rejects.toMatchObject(refused('priceCents', words));
  // A form sends every field, the price that was saved before as well.
  await catalog.request(updateProduct, { productId, body: { priceCents: 150, name: 'Renamed' } });
  await catalog.request(updateOffer, { ...bump, offerId: offer.id, body: { priceCents: 250, headline: 'Renamed' } });
  await catalog.request(updateProduct, { productId, body: { priceCents: 200 } });
  const funnel = await catalog.request(getFunnel, { productId });
  expect(funnel).toMatchObject({ bumps: [{ headline: 'Renamed', price_cents: 250 }], upsells: [] });
});

test('below the smallest charge a product and an upsell are refused; a bump, and what is converted first, are not', async () => {
  processor = 'stripe';
  // Worth less than the smallest charge or more: the rate of the day says which.
  await create({ priceCents: 20, currency: 'eur' });
  const { id: productId } = await create({ priceCents: 4_900, currency: 'usd' });
  const words = /0 or at least 50/;
  const update = catalog.request(updateProduct, { productId, body: { priceCents: 20 } });
  await expect(update).rejects.toMatchObject(refused('priceCents', words));
  const offer = { productId, body: { headline: 'More', priceCents: 20 } };
  const upsell = catalog.request(createOffer, { ...offer, kind: 'upsell' });
  await expect(upsell).rejects.toMatchObject(refused('priceCents', words));
  expect(await catalog.request(createOffer, { ...offer, kind: 'bump' })).toMatchObject({ price_cents: 20 });
});

test.each(['simulated', 'none', 'failing'] as const)('with billing’s answer %s the price is saved', async (answer) => {
  processor = answer;
  expect(await create({ priceCents: 4_900, currency: 'iqd' })).toMatchObject({ price_cents: 4_900, currency: 'iqd' });
});

test('a repeated command gets its first outcome, though the account chose Stripe meanwhile', async () => {
  processor = 'simulated';
  const commandId = newIdSuffix(Date.now());
  const slug = 'repeated';
  const body = { name: 'Guide', slug, pricingType: 'onetime' as const, priceCents: 150 };
  const first = await catalog.request(createProduct, { body, defaultCurrency: 'mga' }, { commandId });
  processor = 'stripe';
  expect(await catalog.request(createProduct, { body, defaultCurrency: 'mga' }, { commandId })).toEqual(first);
});
