import { orderPaid } from '@app/contracts/orders';
import { createTestNats } from '@app/testing/nats';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { type Cluster, startClusterOn } from './support/cluster.ts';
import { addProduct, placeOrder, type Seller, signUp } from './support/seller.ts';
import { handled } from './support/waits.ts';

/** Guarantee: where the deployment forbids the simulated processor, nothing is sold live through it, and rehearsals work. */
let cluster: Cluster<Awaited<ReturnType<typeof createTestNats>>>;
let seller: Seller;
let handle: string;

beforeAll(async () => {
  const settings = { SIMULATED_PROCESSOR: 'disabled' };
  cluster = await startClusterOn(await createTestNats(), { settings, apart: [] });
});
beforeEach(async () => {
  seller = await signUp(cluster.baseUrl);
  handle = (await seller.call('GET', '/api/v1/settings')).json.handle;
});
afterAll(() => cluster?.close());

const buy = async (slug: string) => {
  const checkout = await openCheckout(cluster.baseUrl, { handle, slug, email: 'ada@example.com' });
  return (await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json;
};

test('an account without a processor sells nothing live, and reads why', async () => {
  const { slug } = await addProduct(seller, 'live');
  expect((await seller.call('GET', '/api/v1/payment-processor')).json).toMatchObject({ processor: 'none' });
  expect(await buy(slug)).toMatchObject({ status: 'declined', reason: 'try_again_later' });
  expect((await seller.call('GET', '/api/v1/payments')).json.data).toMatchObject([
    { status: 'declined', reason: 'no_payment_processor', processor: 'none', explanation: expect.any(String) },
  ]);
  expect((await seller.call('GET', '/api/v1/orders')).json.data).toEqual([]);
  const live = 'select payment_id from simulated_processor.entries where not test';
  expect(await query(cluster.databaseUrl('billing'), live)).toEqual([]);
});

test('the simulated processor cannot be chosen, and the error says what forbids it', async () => {
  const refused = await seller.call('PUT', '/api/v1/payment-processor', { body: { processor: 'simulated' } });
  expect([refused.status, refused.json.code]).toEqual([422, 'validation_failed']);
  expect(refused.json.errors).toMatchObject([
    { field: 'processor', code: 'not_allowed', message: expect.stringContaining('SIMULATED_PROCESSOR') },
  ]);
  expect((await seller.call('GET', '/api/v1/payment-processor')).json).toMatchObject({ processor: 'none' });
});

test('a live subscription takes no card of it, and a rehearsal of one is paid and renewed', async () => {
  const club = { pricingType: 'subscription', billingInterval: 'month', priceCents: 1_900, currency: 'usd' };
  const body = { ...club, name: 'Club', slug: 'club', status: 'live' };
  expect((await seller.call('POST', '/api/v1/products', { body })).status).toBe(200);
  const record = async (test: boolean) => {
    const order = { productSlug: 'club', email: 'ada@example.com', test, ...(test && { paymentMethod: 'sim_ok' }) };
    const orderId = await placeOrder(seller, order);
    await handled('billing', orderPaid, (data) => data.orderId === orderId);
  };
  await record(false);
  const [live] = (await seller.call('GET', '/api/v1/subscriptions')).json.data;
  const card = await seller.call('PUT', `/api/v1/subscriptions/${live.id}/payment-method`, {
    body: { paymentMethod: 'sim_ok' },
  });
  expect([card.status, card.json.code]).toEqual([409, 'no_payment_processor']);
  await record(true);
  const advanced = await seller.call('POST', '/api/v1/rehearsal/advance', { body: { days: 40 } });
  expect(advanced.json).toMatchObject({ ok: true, rebills: { charged: 1 } });
});

test('in test mode a checkout is paid', async () => {
  const { slug } = await addProduct(seller, 'rehearsed');
  await seller.call('PATCH', '/api/v1/settings', { body: { testMode: true } });
  expect(await buy(slug)).toMatchObject({ status: 'paid', totalCents: 9_900 });
});
