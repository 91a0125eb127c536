import type { EventData } from '@app/contracts/define';
import { orderPaid } from '@app/contracts/orders';
import { subscriptionCanceled } from '@app/contracts/subscriptions';
import { operations } from '@app/gateway/operations';
import { beforeAll, expect, test } from 'vitest';
import { portalSession } from './support/portal-session.ts';
import { type Answer, addProduct, call, made, placeOrder } from './support/seller.ts';
import { platform, seller, signUpSeller } from './support/set-up.ts';
import { handled } from './support/waits.ts';

/**
 * Guarantee: a buyer reaches nothing of another buyer of the same seller, and a session of a subscription's card nothing beside
 * that card. Every operation of the portal is called; one that is missing in `inputs` fails the test.
 */
signUpSeller('Shop of two buyers');

/** Of the buyer `owner@example.com`. */
let orderId: string;
let subscriptionId: string;
let secrets: Record<'owner' | 'other' | 'card' | 'otherCard', string>;

beforeAll(async () => {
  await addProduct(seller, 'course');
  const club = { name: 'Club', slug: 'club', priceCents: 900, currency: 'usd', pricingType: 'subscription' };
  await made(seller, '/api/v1/products', { ...club, billingInterval: 'month', status: 'live' });
  const buys = (productSlug: string, email: string) => placeOrder(seller, { productSlug, email });
  orderId = await buys('club', 'owner@example.com');
  await buys('course', 'owner@example.com.au');
  await handled('billing', orderPaid, (data) => data.orderId === orderId);
  subscriptionId = (await seller.call('GET', '/api/v1/subscriptions')).json.data[0].id;
  const session = (email: string, ofCard?: string) =>
    portalSession(platform, seller.accountId, { email, ...(ofCard && { subscriptionId: ofCard }) });
  secrets = {
    owner: await session('owner@example.com'),
    other: await session('other@example.com'),
    card: await session('owner@example.com', subscriptionId),
    otherCard: await session('owner@example.com', unknown(subscriptionId)),
  };
});

/** An id of the right form that never was. */
const unknown = (id: string): string => `${id.slice(0, -4)}zzzz`;

interface Input {
  readonly id?: string;
  readonly body?: unknown;
}

const inputs = (): Record<string, Input> => ({
  listPortalOrders: {},
  getPortalOrder: { id: orderId },
  listPortalSubscriptions: {},
  getPortalSubscription: { id: subscriptionId },
  cancelPortalSubscription: { id: subscriptionId, body: { at: 'now' } },
  keepPortalSubscription: { id: subscriptionId },
  pausePortalSubscription: { id: subscriptionId },
  resumePortalSubscription: { id: subscriptionId },
  putPortalPaymentMethod: { id: subscriptionId, body: { paymentMethod: 'sim_ok' } },
  continuePortalPaymentMethod: { id: subscriptionId },
});

/** What a session of a subscription's card is for. */
const ofCard = ['getPortalSubscription', 'putPortalPaymentMethod', 'continuePortalPaymentMethod'];

async function callPortal(operationId: string, secret: string, change: Input = {}): Promise<Answer> {
  const operation = operations.find(({ id }) => id === operationId);
  const { id = '', body } = { ...inputs()[operationId], ...change };
  const path = operation?.path.replace(/\{\w+\}/, id) ?? '';
  const headers = { 'x-portal-session': secret };
  return await call(platform.baseUrl, operation?.method ?? '', path, {
    headers,
    ...(body === undefined ? {} : { body }),
  });
}

/** The very answer that an id gets which never was, but for the id itself and the request's own. */
async function expectUnknown(operationId: string, secret: string): Promise<void> {
  const { id = '' } = inputs()[operationId] ?? {};
  const answer = await callPortal(operationId, secret);
  const never = await callPortal(operationId, secret, id === '' ? {} : { id: unknown(id) });
  const bare = (one: Answer, own: string) => one.text.replace(/"requestId":"[^"]*"/, '').replaceAll(own || '-', '…');
  expect([operationId, answer.status]).toEqual([operationId, 404]);
  expect([operationId, bare(answer, id)]).toEqual([operationId, bare(never, unknown(id))]);
}

const stored = async () => [
  (await seller.call('GET', `/api/v1/orders/${orderId}`)).json,
  (await seller.call('GET', `/api/v1/subscriptions/${subscriptionId}`)).json,
];

test('every operation that takes a session of the portal is tried', () => {
  const ofSessions = operations.filter(({ id, auth }) => auth === 'portal' && id !== 'closePortal');
  expect(Object.keys(inputs()).sort()).toEqual(ofSessions.map(({ id }) => id).sort());
});

test('a buyer’s session reaches nothing of another buyer of the same seller', async () => {
  const before = await stored();
  for (const [operationId, { id }] of Object.entries(inputs())) {
    if (id !== undefined) await expectUnknown(operationId, secrets.other);
    else expect((await callPortal(operationId, secrets.other)).json).toEqual({ data: [] });
  }
  const list = (before: string) =>
    call(platform.baseUrl, 'GET', `/api/portal/orders?before=${before}`, {
      headers: { 'x-portal-session': secrets.other },
    });
  for (const id of [orderId, unknown(orderId)]) {
    const { status, json } = await list(id);
    expect([status, json]).toMatchObject([422, { errors: [{ field: 'before', code: 'unknown_id' }] }]);
  }
  expect(await stored()).toEqual(before);
});

test('a session of a subscription’s card reaches that subscription alone, and does no more than change its card', async () => {
  const before = await stored();
  for (const operationId of Object.keys(inputs())) {
    await expectUnknown(operationId, secrets.otherCard);
    if (!ofCard.includes(operationId)) await expectUnknown(operationId, secrets.card);
  }
  expect((await callPortal('getPortalSubscription', secrets.card)).json).toMatchObject({ id: subscriptionId });
  expect(await stored()).toEqual(before);
});

test('a buyer’s own session shows what the others do not reach', async () => {
  const read = async (operationId: string) => (await callPortal(operationId, secrets.owner)).json;
  expect((await read('listPortalOrders')).data).toMatchObject([{ id: orderId, product_name: 'Club' }]);
  expect(await read('getPortalOrder')).toMatchObject({
    id: orderId,
    customer_email: 'owner@example.com',
    items: [{ kind: 'main', label: 'Club', amount_cents: 900 }],
    access_url: '',
    last_four: null,
    refunds: [],
    seller: { name: 'Shop of two buyers' },
  });
  const subscription = { id: subscriptionId, order_id: orderId, status: 'active', may_cancel: true, may_resume: false };
  expect((await read('listPortalSubscriptions')).data).toMatchObject([subscription]);
  expect(await read('getPortalSubscription')).toMatchObject({ ...subscription, charges: [], processor: 'simulated' });
});

test('a buyer pauses, resumes, cancels at the end, keeps and cancels, as far as the seller lets them', async () => {
  const does = async (operationId: string, change: Input = {}) => {
    const { status, json } = await callPortal(operationId, secrets.owner, change);
    return [status, json.code ?? json.status, json.cancel_at !== null, json.renewal_under_way];
  };
  const settings = (body: object) => seller.call('PATCH', '/api/v1/settings', { body });
  await settings({ portalPause: false, portalCancel: false });
  const refused = [403, 'not_allowed_by_seller', true, undefined];
  for (const operationId of Object.keys(inputs()).filter((id) => /^(cancel|keep|pause|resume)/.test(id)))
    expect([operationId, ...(await does(operationId))]).toEqual([operationId, ...refused]);
  await settings({ portalPause: true });
  expect(await does('pausePortalSubscription')).toEqual([200, 'paused', false, false]);
  // A form that promised a later end must not end a subscription that another tab has paused since.
  await settings({ portalCancel: true });
  const later = await does('cancelPortalSubscription', { body: { at: 'period_end' } });
  expect(later.slice(0, 2)).toEqual([409, 'invalid_transition']);
  await settings({ portalCancel: false });
  expect(await does('resumePortalSubscription')).toEqual([200, 'active', false, false]);
  const bySeller = (action: string) => seller.call('POST', `/api/v1/subscriptions/${subscriptionId}/${action}`);
  await bySeller('pause');
  expect((await does('resumePortalSubscription')).slice(0, 2)).toEqual(refused.slice(0, 2));
  await bySeller('resume');
  expect(await does('cancelPortalSubscription')).toEqual(refused);
  await settings({ portalCancel: true });
  expect(await does('cancelPortalSubscription', { body: { at: 'period_end' } })).toEqual([200, 'active', true, false]);
  expect(await does('keepPortalSubscription')).toEqual([200, 'active', false, false]);
  expect(await does('cancelPortalSubscription')).toEqual([200, 'canceled', false, false]);
  const isBuyers = (data: EventData<typeof subscriptionCanceled>) =>
    data.subscriptionId === subscriptionId && data.reason === 'buyer' && data.sendWebhook !== false;
  await handled('webhook-dispatcher', subscriptionCanceled, isBuyers);
});

test('the seller’s own site makes a link for a buyer, whole or to the card of a subscription of that buyer alone', async () => {
  const make = (body: object) => seller.call('POST', '/api/v1/portal-links', { body });
  const open = async (body: object) => {
    const { url } = (await make(body)).json;
    const token = url.slice(url.lastIndexOf('/') + 1);
    return (await call(platform.baseUrl, 'POST', '/api/portal/sessions', { body: { token } })).json;
  };
  const email = 'Owner@example.com';
  expect(await open({ email })).toMatchObject({ email: 'owner@example.com', subscriptionId: null });
  expect(await open({ email, subscriptionId })).toMatchObject({ email: 'owner@example.com', subscriptionId });
  for (const body of [
    { email, subscriptionId: unknown(subscriptionId) },
    { email: 'owner@example.com.au', subscriptionId },
  ])
    expect((await make(body)).json).toMatchObject({ code: 'validation_failed', errors: [{ field: 'subscriptionId' }] });
});
