import { checkoutResource, checkoutVisited } from '@app/contracts/checkouts';
import { orderPaid, orderRefunded, paymentRefunded } from '@app/contracts/orders';
import {
  orderExpiredPayload,
  orderPaidPayload,
  orderRefundedPayload,
  upsellAcceptedPayload,
} from '@app/contracts/webhook-payloads';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { moneyByOrder } from './support/processor-books.ts';
import { addProduct } from './support/seller.ts';
import { handle, platform, seller, signUpSeller } from './support/set-up.ts';
import { handled, handledAll } from './support/waits.ts';

/** Guarantee: what a buyer pays on a checkout is one order, one charge, one webhook and one number in the metrics. */
signUpSeller();

let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  const endpoint = await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: `${receiver.url}/hook` } });
  expect(endpoint.status).toBe(200);
});

afterAll(() => receiver?.close());

const open = (slug: string, more: object = {}) =>
  openCheckout(platform.baseUrl, { handle, slug, email: `${crypto.randomUUID()}@example.com`, ...more });

async function chargedFor(orderId: string): Promise<number> {
  return (await moneyByOrder(platform.databaseUrl('billing'))).get(orderId)?.chargedCents ?? 0;
}

async function webhooks(event: string, orderId: string, count: number) {
  const sent = await receiver.received(
    count,
    ({ headers, body }) => headers['x-service-event'] === event && JSON.parse(body).orderId === orderId,
  );
  return sent.map(({ body }) => JSON.parse(body));
}

const webhook = async (event: string, orderId: string) => (await webhooks(event, orderId, 1))[0];

const summaryOf = async (productId: string) => (await seller.call('GET', `/api/metrics/${productId}`)).json.summary;

test('a checkout is opened, changed, paid and seen everywhere, and charged once however often pay is called', async () => {
  const { productId, slug, bumpId } = await addProduct(seller, 'journey');
  const checkout = await open(slug);
  const changed = await checkout.call('PATCH', '', { bumpIds: [bumpId], name: 'Ada Lovelace', country: 'GB' });
  expect(checkoutResource.parse(changed.json)).toMatchObject({ status: 'open', totalCents: 11_800 });

  const pay = () => checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' });
  const answers = await Promise.all([pay(), pay(), pay()]);
  const again = await pay();
  const orderId: string = again.json.orderId;
  for (const { json } of [...answers, again].filter(({ json }) => json.status !== 'processing')) {
    expect(json).toEqual({ status: 'paid', orderId, totalCents: 11_800 });
  }
  expect(again.json.status).toBe('paid');
  expect(await chargedFor(orderId)).toBe(11_800);

  const order = await seller.call('GET', `/api/v1/orders/${orderId}`);
  expect(order.json).toMatchObject({ status: 'paid', total_cents: 11_800, customer_name: 'Ada Lovelace' });
  expect(order.json.payments).toMatchObject([{ step: 'main', status: 'succeeded', amount_cents: 11_800 }]);
  expect(orderPaidPayload.parse(await webhook('order.paid', orderId))).toMatchObject({
    firstName: 'Ada',
    countryCode: 'GB',
  });
  await handled('metrics', orderPaid, (data) => data.orderId === orderId);
  await handled('metrics', checkoutVisited, (data) => data.productId === productId);
  expect(await summaryOf(productId)).toMatchObject({
    ...{ orders: 1, views: 1 },
    revenueCents: 11_800,
    conversionRate: 1,
  });
});

test('a held order that its seller releases ends without a charge: its buyer, its webhook and its page say so', async () => {
  const { productId, slug } = await addProduct(seller, 'to-release');
  const offer = { headline: 'The workbook', priceCents: 2_900 };
  await seller.call('POST', `/api/v1/products/${productId}/upsells`, { body: offer });
  const checkout = await open(slug);
  const { orderId } = (await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json;
  const release = () => seller.call('POST', `/api/v1/orders/${orderId}/release`);
  const released = { ok: true, orderId, status: 'released' };
  expect((await release()).json).toMatchObject(released);
  expect((await release()).json).toMatchObject(released);
  expect(await chargedFor(orderId)).toBe(0);
  expect((await checkout.call('POST', '/upsell', { accept: true })).json).toMatchObject({ status: 'expired' });
  const order = await seller.call('GET', `/api/v1/orders/${orderId}`);
  expect(order.json).toMatchObject({ status: 'expired', total_cents: 9_900 });
  expect(order.json.payments).toMatchObject([{ step: 'main' }, { step: 'release', status: 'succeeded' }]);
  const { data } = (await seller.call('GET', '/api/v1/orders')).json;
  expect(data.map(({ id }: { id: string }) => id)).not.toContain(orderId);
  expect(orderExpiredPayload.parse(await webhook('order.expired', orderId))).toMatchObject({ reason: 'released' });
  const refund = await seller.call('POST', `/api/v1/orders/${orderId}/refund`, { body: {} });
  expect([refund.status, refund.json.code]).toEqual([409, 'invalid_transition']);
});

test('an accepted upsell captures the hold and charges the upsell apart; a refund gives both back', async () => {
  const { productId, slug } = await addProduct(seller, 'with-upsell');
  const offer = { headline: 'The workbook', priceCents: 2_900 };
  await seller.call('POST', `/api/v1/products/${productId}/upsells`, { body: offer });
  const checkout = await open(slug);
  const held = await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' });
  expect(held.json).toMatchObject({
    status: 'authorized',
    totalCents: 9_900,
    upsell: { status: 'offered', amountCents: 2_900 },
  });
  const shown = await checkout.call('GET');
  expect(shown.json).toMatchObject({ lastFour: '4242', paidAt: null, upsell: held.json.upsell });
  const { orderId } = held.json;
  expect(await chargedFor(orderId)).toBe(0);
  expect((await seller.call('GET', `/api/v1/orders/${orderId}`)).json.status).toBe('authorized');

  const refundHeld = await seller.call('POST', `/api/v1/orders/${orderId}/refund`, { body: {} });
  expect([refundHeld.status, refundHeld.json.code]).toEqual([409, 'invalid_transition']);
  const accepted = await checkout.call('POST', '/upsell', { accept: true });
  expect(accepted.json).toMatchObject({ status: 'paid', orderId, totalCents: 12_800, upsell: { status: 'accepted' } });
  const tooLate = await checkout.call('POST', '/upsell', { accept: false });
  expect(tooLate.json).toMatchObject({ status: 'paid', totalCents: 12_800, upsell: { status: 'accepted' } });
  expect(await chargedFor(orderId)).toBe(12_800);
  expect(upsellAcceptedPayload.parse(await webhook('upsell.accepted', orderId))).toMatchObject({
    upsell: 'The workbook',
    amount: '$29.00',
  });
  expect(await webhook('order.paid', orderId)).toMatchObject({ totalCents: 12_800 });

  const refund = () => seller.call('POST', `/api/v1/orders/${orderId}/refund`, { body: {} });
  expect((await refund()).json).toMatchObject({ status: 'refunded', refundedCents: 12_800 });
  expect((await refund()).json).toMatchObject({ status: 'refunded', refundedCents: 12_800 });
  expect(await chargedFor(orderId)).toBe(0);
  expect(orderRefundedPayload.parse(await webhook('order.refunded', orderId))).toMatchObject({ totalCents: 12_800 });
  await handled('metrics', orderPaid, (data) => data.orderId === orderId);
  await handled('metrics', orderRefunded, (data) => data.orderId === orderId);
  // Each kind of event has a consumer of its own: the order's may be handled before those of its charges.
  const givenBack = await webhooks('payment.refunded', orderId, 2);
  await handledAll(
    'metrics',
    paymentRefunded,
    'paymentId',
    givenBack.map(({ paymentId }) => paymentId),
  );
  expect(await summaryOf(productId)).toMatchObject({
    ...{ orders: 1, refunds: 1 },
    revenueCents: 12_800,
    refundedCents: 12_800,
    refundRate: 1,
    upsellTakeRate: 1,
  });
  const sent = receiver.requests.filter(
    ({ headers, body }) => headers['x-service-event'] === 'order.refunded' && body.includes(orderId),
  );
  expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('a declined upsell charge leaves a paid order without it, and the buyer is notified', async () => {
  const { productId, slug } = await addProduct(seller, 'upsell-declined');
  await seller.call('POST', `/api/v1/products/${productId}/upsells`, { body: { headline: 'More', priceCents: 500 } });
  const checkout = await open(slug);
  const { orderId } = (await checkout.call('POST', '/pay', { paymentMethod: 'sim_renewal_declined' })).json;
  const accepted = await checkout.call('POST', '/upsell', { accept: true });
  expect(accepted.json).toMatchObject({ status: 'paid', totalCents: 9_900, upsell: { status: 'card_declined' } });
  expect(await chargedFor(orderId)).toBe(9_900);
});

test('a declined card costs nothing and leaves the checkout open; another card pays', async () => {
  const { slug } = await addProduct(seller, 'second-card');
  const checkout = await open(slug);
  const declined = await checkout.call('POST', '/pay', { paymentMethod: 'sim_lost_card' });
  expect(declined.json).toMatchObject({ status: 'declined', reason: 'card_declined' });
  expect(declined.json.orderId).toBeUndefined();
  expect((await checkout.call('GET')).json).toMatchObject({ status: 'open', reason: 'card_declined' });
  expect((await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json.status).toBe('paid');
});

test('a price that changed since it was shown is a question, not a charge', async () => {
  const { productId, slug } = await addProduct(seller, 'price-change');
  const checkout = await open(slug);
  await seller.call('PATCH', `/api/v1/products/${productId}`, { body: { priceCents: 19_900 } });
  const refused = await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' });
  expect([refused.status, refused.json.code]).toEqual([409, 'price_changed']);
  expect((await checkout.call('GET')).json).toMatchObject({ status: 'open', totalCents: 19_900 });
  expect((await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json).toMatchObject({
    status: 'paid',
    totalCents: 19_900,
  });
});

test('a payment that the bank wants confirmed goes on when the buyer comes back', async () => {
  const { slug } = await addProduct(seller, 'bank');
  const checkout = await open(slug);
  const body = { paymentMethod: 'sim_requires_action', returnUrl: 'https://shop.example.com/thanks' };
  const foreign = await checkout.call('POST', '/pay', body);
  expect([foreign.status, foreign.json.errors?.[0]?.field]).toEqual([422, 'returnUrl']);
  body.returnUrl = `${platform.baseUrl}/c/shop/${slug}`;
  const requested = await checkout.call('POST', '/pay', body);
  expect(requested.json).toMatchObject({
    status: 'requires_action',
    action: { url: expect.stringMatching(/^https?:/) },
  });
  const paid = await checkout.call('POST', '/continue', {});
  expect(paid.json.status).toBe('paid');
  expect(await chargedFor(paid.json.orderId)).toBe(9_900);
});

test('two tabs that pay in the same moment are one charge; the buyer who wants it twice says so', async () => {
  const { slug } = await addProduct(seller, 'two-tabs');
  const email = `${crypto.randomUUID()}@example.com`;
  const tabs = [await open(slug, { email }), await open(slug, { email })];
  const pay = (tab: (typeof tabs)[number], more: object = {}) =>
    tab.call('POST', '/pay', { paymentMethod: 'sim_ok', ...more });
  const answers = await Promise.all(tabs.map((tab) => pay(tab)));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const refused = answers.findIndex(({ status }) => status === 409);
  expect(answers[refused]?.json.code).toBe('already_bought');
  const second = await pay(tabs[refused] as (typeof tabs)[number], { confirmRepeat: true });
  expect(second.json.status).toBe('paid');
  const orders = [answers[1 - refused]?.json.orderId, second.json.orderId];
  expect(await Promise.all(orders.map(chargedFor))).toEqual([9_900, 9_900]);
});

test('a rehearsal charges no card, sends its events marked as a test, and is in no list and no metric', async () => {
  const { productId, slug } = await addProduct(seller, 'rehearsal');
  await seller.call('PATCH', '/api/v1/settings', { body: { testMode: true } });
  const [checkout, left] = [await open(slug), await open(slug)];
  const { orderId } = (await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json;
  await seller.call('PATCH', '/api/v1/settings', { body: { testMode: false } });
  // Going live: what was opened as a rehearsal is not given away.
  const refused = await left.call('POST', '/pay', { paymentMethod: 'sim_ok' });
  expect([refused.status, refused.json.code]).toEqual([409, 'test_mode_changed']);
  await webhook('order.paid', orderId);
  await handled('metrics', orderPaid, (data) => data.orderId === orderId);
  const sent = receiver.requests.find(({ body }) => body.includes(orderId));
  expect(sent?.headers['x-service-test']).toBe('1');
  const { data } = (await seller.call('GET', '/api/v1/orders')).json;
  expect(data.some(({ id }: { id: string }) => id === orderId)).toBe(false);
  expect(await summaryOf(productId)).toMatchObject({ orders: 0, revenueCents: 0 });
});

test('an order of the seller’s own code is refunded without moving money, and the answer says so', async () => {
  const { slug } = await addProduct(seller, 'recorded');
  const { orderId } = (
    await seller.call('POST', '/api/v1/orders', { body: { productSlug: slug, email: 'a@example.com' } })
  ).json;
  const refund = await seller.call('POST', `/api/v1/orders/${orderId}/refund`, { body: {} });
  expect(refund.json).toMatchObject({ ok: true, status: 'refunded', refundedCents: 0 });
  expect(await webhook('order.refunded', orderId)).toMatchObject({ totalCents: 9_900 });
});
