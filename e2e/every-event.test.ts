import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orderPaid, orderRefunded } from '@app/contracts/orders';
import { subscriptionRebilled } from '@app/contracts/subscriptions';
import { freePort } from '@app/embedded/ports';
import { type ReceivedRequest, type Receiver, startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BuyersCheckout, openCheckout } from './support/buyer.ts';
import { copyMadeData } from './support/made-data.ts';
import { type Answer, call } from './support/seller.ts';
import { type Credentials, readCredentials, type Standalone, startStandalone } from './support/standalone.ts';
import { handled } from './support/waits.ts';

/** Guarantee: each published event is sent by what is said to cause it, with the published fields and no unknown ones, live and rehearsed. */
const [text, integer] = ['string', 'integer'] as const;
const money = { amountCents: integer, amount: text, currency: text };
const orderTotal = { orderId: text, product: text, email: text, totalCents: integer, total: text, currency: text };
const dispute = {
  ...{ orderId: text, product: text, productId: text, email: text, disputeId: text, paymentId: text },
  ...{ subscriptionId: text, reason: text, evidenceDueBy: text, ...money },
};
const subscription = { subscriptionId: text, product: text, email: text };
const subscriptionChanged = { ...subscription, mrrCents: integer };

/** Each event's fields beside `event` and `sentAt`, as they were published first. Later additions stand in the API's description. */
const published: Record<string, Record<string, 'string' | 'integer' | 'boolean'>> = {
  'order.paid': {
    ...{ orderId: text, product: text, productId: text, email: text, name: text, firstName: text, country: text },
    ...{ countryCode: text, totalCents: integer, total: text, currency: text, affiliate: text, accessUrl: text },
    supportEmail: text,
  },
  'order.refunded': orderTotal,
  'order.reopened': { ...orderTotal, reason: text },
  'order.expired': { ...orderTotal, reason: text },
  'payment.refunded': { orderId: text, product: text, email: text, paymentId: text, subscriptionId: text, ...money },
  'dispute.opened': dispute,
  'dispute.closed': { ...dispute, outcome: text },
  'upsell.accepted': { orderId: text, upsell: text, ...money, email: text },
  'subscription.rebilled': { ...subscription, ...money },
  'subscription.payment_failed': { ...subscription, ...money, attempt: integer, nextTryDays: integer },
  'subscription.canceled': subscriptionChanged,
  'subscription.paused': subscriptionChanged,
  'subscription.resumed': subscriptionChanged,
  'affiliate.paid': {
    ...{ affiliate: text, name: text, email: text, amountCents: integer, commissionCount: integer, payoutId: text },
  },
  'withdrawal.requested': {
    ...{ withdrawalId: text, orderId: text, product: text, productId: text, name: text, email: text, bought: text },
    ...{ statement: text, late: 'boolean' },
  },
  'funnel.email.sync': {
    ...{ productId: text, productSlug: text, product: text, position: integer, sendDay: integer, subject: text },
    body: text,
  },
};

let directory: string;
let standalone: Standalone;
let receiver: Receiver;
let seller: Credentials;
let handle: string;
let supportEmail: string;
/** By event, the names of all fields in the served description. */
let described: Map<string, string[]>;

beforeAll(async () => {
  receiver = await startReceiver();
  directory = await mkdtemp(join(tmpdir(), 'funnelry-events-'));
  const dataDir = join(directory, 'data');
  await copyMadeData(dataDir);
  const settings = { CLOCK_CONTROL: 'enabled', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'warn' };
  standalone = startStandalone(dataDir, await freePort(), settings);
  await standalone.until(/^ready /);
  seller = await readCredentials(dataDir);
  described = await describedFields();
  ({ handle, supportEmail } = await ok('GET', '/api/v1/settings'));
  await ok('PUT', '/api/v1/webhook-endpoint', { url: `${receiver.url}/hook` });
});
afterAll(async () => {
  await standalone?.end('SIGKILL');
  await receiver?.close();
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

async function ok(method: string, path: string, body?: object, key = seller.apiKey): Promise<Answer['json']> {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await call(seller.baseUrl, method, path, { headers, ...(body && { body }) });
  expect([path, answer.status, answer.text]).toEqual([path, 200, answer.text]);
  return answer.json;
}

async function describedFields(): Promise<Map<string, string[]>> {
  const { webhooks, components } = (await call(seller.baseUrl, 'GET', '/developers/openapi.json')).json;
  return new Map(
    Object.entries(webhooks as Record<string, { post: Answer['json'] }>).map(([event, { post }]) => {
      const { $ref } = post.requestBody.content['application/json'].schema;
      const schema = components.schemas[$ref.replace('#/components/schemas/', '')];
      expect(schema.additionalProperties, `${event} may gain fields`).not.toBe(false);
      return [event, Object.keys(schema.properties).toSorted()];
    }),
  );
}

/** What the receiver got: the body as an object, and whether it is marked as a rehearsal's. */
interface Sent {
  readonly body: Answer['json'];
  readonly test: boolean;
}

function sentOf({ headers, body }: ReceivedRequest): Sent {
  const payload = JSON.parse(body);
  expect(headers['x-service-event']).toBe(payload.event);
  const fields = { event: text, ...published[payload.event], sentAt: text };
  expect(Object.keys(payload).toSorted(), payload.event).toEqual(described.get(payload.event));
  for (const [name, type] of Object.entries(fields)) {
    const is = Number.isSafeInteger(payload[name]) ? integer : typeof payload[name];
    expect([payload.event, name, is]).toEqual([payload.event, name, type]);
  }
  expect(payload.sentAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const [name, prefix] of [
    ['orderId', 'ord_'],
    ['productId', 'prd_'],
    ['subscriptionId', 'sub_'],
    ['payoutId', 'pay_'],
  ] as const) {
    // Of a refund it is empty unless a renewal went back.
    if (payload[name]) expect(payload[name]).toMatch(new RegExp(`^${prefix}`));
  }
  return { body: payload, test: headers['x-service-test'] === '1' };
}

/** Does something, waits for the events of these names that it causes, and returns them sorted by name; others fail. */
async function causes(names: readonly string[], action: () => Promise<unknown>): Promise<Sent[]> {
  const before = receiver.requests.length;
  await action();
  const wanted = names.toSorted();
  await receiver.received(before + wanted.length);
  const sent = receiver.requests.slice(before).map(sentOf);
  expect(sent.map(({ body }) => body.event).toSorted()).toEqual(wanted);
  return sent.toSorted((a, b) => (a.body.event < b.body.event ? -1 : 1));
}

async function addProduct(slug: string, more: object = {}): Promise<string> {
  const product = { name: `The ${slug}`, slug, priceCents: 9_900, currency: 'usd', status: 'live', ...more };
  return (await ok('POST', '/api/v1/products', { pricingType: 'onetime', ...product })).id;
}

async function pay(slug: string, email: string, card = 'sim_ok', more: object = {}): Promise<BuyersCheckout> {
  const checkout = await openCheckout(seller.baseUrl, { handle, slug, email, ...more });
  const answer = await checkout.call('POST', '/pay', { paymentMethod: card });
  expect(['paid', 'authorized']).toContain(answer.json.status);
  return checkout;
}

const runDaily = async (): Promise<Answer['json']> => await ok('POST', '/api/cron/daily');
const passDays = (days: number) => ok('PUT', '/api/dev/clock', { advance: `P${days}D` }, seller.platformKey);

async function subscriptionOf(email: string, rehearsed = false): Promise<string> {
  await handled('billing', orderPaid, ({ customerEmail }) => customerEmail === email);
  const { data } = await ok('GET', `/api/v1/subscriptions${rehearsed ? '?test=true' : ''}`);
  return data.find((one: { customer_email: string }) => one.customer_email === email).id;
}

test('orders, checkouts, upsells and refunds', async () => {
  await addProduct('course', { accessUrl: 'https://example.com/course' });
  const withUpsell = await addProduct('masterclass');
  const call = { headline: 'A year of calls', accessUrl: 'https://example.com/calls' };
  await ok('POST', `/api/v1/products/${withUpsell}/upsells`, { ...call, priceCents: 2_900 });
  const anna = { code: 'ANNA', name: 'Anna', email: 'a@example.com' };
  await ok('POST', '/api/v1/affiliates', { ...anna, commissionPercent: 10, renewalMonths: 1 });
  const buyer = { email: 'maya@example.com', name: 'Maya Lindqvist', country: 'SE', affiliateCode: 'anna' };
  let orderId = '';
  const [recorded] = await causes(['order.paid'], async () => {
    ({ orderId } = await ok('POST', '/api/v1/orders', { productSlug: 'course', ...buyer }));
  });
  const { event, sentAt, productId, items, lastFour, wallet, immediateAccess, ...rest } = recorded?.body ?? {};
  expect([lastFour, wallet, immediateAccess]).toEqual(['', '', '']);
  expect(rest).toEqual({
    ...{ orderId, product: 'The course', email: 'maya@example.com', name: 'Maya Lindqvist', firstName: 'Maya' },
    ...{ country: 'Sweden', countryCode: 'SE', totalCents: 9_900, total: '$99.00', currency: 'usd' },
    ...{ affiliate: 'ANNA', accessUrl: 'https://example.com/course', supportEmail },
  });
  const theCourse = { label: 'The course', amountCents: 9_900, accessUrl: 'https://example.com/course' };
  expect(items).toEqual([{ id: productId, kind: 'main', ...theCourse }]);
  const [refunded] = await causes(['order.refunded'], () => ok('POST', `/api/v1/orders/${orderId}/refund`, {}));
  expect(refunded?.body).toMatchObject({ orderId, totalCents: 9_900, total: '$99.00' });
  // The payout below is without its commission.
  await handled('affiliate', orderPaid, (data) => data.orderId === orderId);
  await handled('affiliate', orderRefunded, (data) => data.orderId === orderId);

  await causes(['order.paid'], () => pay('course', 'plain@example.com'));
  const checkout = await pay('masterclass', 'accepts@example.com');
  const [paid, accepted] = await causes(['order.paid', 'upsell.accepted'], () =>
    checkout.call('POST', '/upsell', { accept: true }),
  );
  expect(paid?.body).toMatchObject({ totalCents: 12_800 });
  expect(accepted?.body).toMatchObject({ orderId: paid?.body.orderId, upsell: 'A year of calls', amount: '$29.00' });
  const added = { kind: 'upsell', label: call.headline, amountCents: 2_900, accessUrl: call.accessUrl };
  expect(accepted?.body.items).toMatchObject([added]);
  expect(paid?.body.items).toMatchObject([{ id: withUpsell, kind: 'main', accessUrl: '' }, added]);
  await causes(['order.paid'], async () =>
    (await pay('masterclass', 'refuses@example.com')).call('POST', '/upsell', { accept: false }),
  );
  await pay('masterclass', 'leaves@example.com');
  // The window ends without a decision.
  await causes(['order.paid'], () => passDays(1));
  expect(await runDaily()).toMatchObject({ holdsSettled: 0 });

  const [bought] = await causes(['order.paid'], () => pay('course', 'fails@example.com', 'sim_refund_fails'));
  const { payments } = await ok('GET', `/api/v1/orders/${bought?.body.orderId}`);
  const paymentId = payments[0].id;
  const [part] = await causes(['payment.refunded'], () =>
    ok('POST', `/api/v1/payments/${paymentId}/refund`, { amountCents: 900 }),
  );
  expect(part?.body).toMatchObject({ paymentId, subscriptionId: '', amountCents: 900, amount: '$9.00' });
  const preview = await ok('GET', `/api/v1/orders/${bought?.body.orderId}/refund/preview`);
  expect(preview).toMatchObject({
    charges: [{ paymentId, renewal: false, amountCents: 9_900, refundedCents: 900, refundCents: 9_000 }],
    ...{ possible: true, subscription: null, commissions: [] },
    webhooks: [
      { event: 'payment.refunded', count: 1 },
      { event: 'order.refunded', count: 1 },
    ],
  });
  await causes(['payment.refunded', 'order.refunded'], () =>
    ok('POST', `/api/v1/orders/${bought?.body.orderId}/refund`, {}),
  );
  const [reopened] = await causes(['order.reopened'], async () => {
    await passDays(1);
    await runDaily();
  });
  expect(reopened?.body).toMatchObject({ orderId: bought?.body.orderId, totalCents: 9_900 });
  await expectDispute();
  await pay('masterclass', 'lost@example.com', 'sim_renewal_declined');
  // The hold ends before it is captured, and the card declines the charge instead of it.
  const [expired] = await causes(['order.expired'], () => passDays(8));
  expect(expired?.body).toMatchObject({ email: 'lost@example.com', total: '$99.00', reason: 'expired' });
});

/** The simulated bank disputes it at once, and the seller gives no evidence; daily runs find out, as there are no webhooks. */
async function expectDispute(): Promise<void> {
  const [sold] = await causes(['order.paid'], () => pay('course', 'disputes@example.com', 'sim_disputed'));
  const { orderId } = sold?.body ?? {};
  const [opened] = await causes(['dispute.opened'], runDaily);
  expect(opened?.body).toMatchObject({ orderId, email: 'disputes@example.com', amountCents: 9_900, amount: '$99.00' });
  const { disputeId, paymentId, evidenceDueBy } = opened?.body ?? {};
  const { disputes } = await ok('GET', `/api/v1/orders/${orderId}`);
  const open = { id: disputeId, payment_id: paymentId, evidence_due_by: evidenceDueBy, amount_cents: 9_900 };
  expect(disputes).toMatchObject([{ ...open, status: 'needs_response', outcome: null, closed_at: null }]);
  for (const path of [`/api/v1/orders/${orderId}/refund`, `/api/v1/payments/${paymentId}/refund`]) {
    const headers = { authorization: `Bearer ${seller.apiKey}` };
    const answer = await call(seller.baseUrl, 'POST', path, { headers, body: {} });
    expect([answer.status, answer.json.code]).toEqual([409, 'payment_disputed']);
    expect(answer.json.detail).toContain('product_not_received');
  }
  await passDays(7);
  const [closed] = await causes(['dispute.closed'], runDaily);
  expect(closed?.body).toMatchObject({ disputeId, orderId, outcome: 'lost', reason: 'product_not_received' });
  const after = await ok('GET', `/api/v1/orders/${orderId}`);
  expect(after).toMatchObject({ status: 'paid', refunded_cents: 9_900 });
  expect(after.disputes).toMatchObject([{ ...open, status: 'lost', outcome: 'lost' }]);
}

const club = { pricingType: 'subscription', billingInterval: 'month', priceCents: 1_900 };

test('renewals that are charged and declined, and what sellers do with subscriptions', async () => {
  await addProduct('club', club);
  await causes(['order.paid', 'order.paid'], async () => {
    await pay('club', 'renews@example.com', 'sim_ok', { affiliateCode: 'anna' });
    await pay('club', 'declines@example.com', 'sim_renewal_declined');
  });
  const renewing = await subscriptionOf('renews@example.com');
  await subscriptionOf('declines@example.com');
  const [failed, rebilled] = await causes(['subscription.payment_failed', 'subscription.rebilled'], async () => {
    await passDays(32);
    expect(await runDaily()).toMatchObject({ rebills: { charged: 1 } });
  });
  expect(rebilled?.body).toMatchObject({ subscriptionId: renewing, amountCents: 1_900, amount: '$19.00' });
  expect(failed?.body).toMatchObject({ attempt: 1, nextTryDays: 3, email: 'declines@example.com' });
  await handled('affiliate', orderPaid, ({ customerEmail }) => customerEmail === 'renews@example.com');
  await handled('affiliate', subscriptionRebilled, ({ subscriptionId }) => subscriptionId === renewing);
  const { data } = await ok('GET', '/api/v1/affiliates/ANNA/commissions');
  const ofClub = data.filter(({ amount_cents }: { amount_cents: number }) => amount_cents === 190);
  expect(ofClub.map(({ kind }: { kind: string }) => kind).toSorted()).toEqual(['renewal', 'sale']);
  await expectRefundOfSubscription(renewing);
  for (const [attempt, nextTryDays] of [
    [2, 3],
    [3, 3],
    [4, 0],
  ]) {
    const [again] = await causes(['subscription.payment_failed'], async () => {
      await passDays(3);
      await runDaily();
    });
    expect(again?.body).toMatchObject({ attempt, nextTryDays });
  }
  const does = (what: string) => () => ok('POST', `/api/v1/subscriptions/${renewing}/${what}`);
  const changed = { subscriptionId: renewing, product: 'The club', email: 'renews@example.com', mrrCents: 1_900 };
  for (const [what, name] of [
    ['pause', 'subscription.paused'],
    ['resume', 'subscription.resumed'],
    ['cancel', 'subscription.canceled'],
  ] as const) {
    const [sent] = await causes([name], does(what));
    expect(sent?.body).toMatchObject({ event: name, ...changed });
    expect(sent?.test).toBe(false);
  }
  const [bought] = await causes(['order.paid'], () => pay('club', 'regrets@example.com'));
  const regretted = await subscriptionOf('regrets@example.com');
  const declared = { name: 'Reg Rets', bought: 'the club', email: 'regrets@example.com' };
  const [withdrawn] = await causes(['withdrawal.requested'], () =>
    ok('POST', '/api/withdrawals/confirm', { handle, ...declared }),
  );
  expect(withdrawn?.body).toMatchObject({
    ...declared,
    orderId: bought?.body.orderId,
    product: 'The club',
    late: false,
  });
  const [, , ended] = await causes(['order.refunded', 'payment.refunded', 'subscription.canceled'], () =>
    ok('POST', `/api/v1/orders/${bought?.body.orderId}/refund`, {}),
  );
  expect(ended?.body).toMatchObject({ subscriptionId: regretted });
});

/** What its refund would do, without its renewal and with it. */
async function expectRefundOfSubscription(id: string): Promise<void> {
  const { order_id } = await ok('GET', `/api/v1/subscriptions/${id}`);
  for (const renewals of [false, true]) {
    const preview = await ok('GET', `/api/v1/orders/${order_id}/refund/preview?renewals=${renewals}`);
    const commission = { affiliateCode: 'ANNA', amountCents: 190, currency: 'usd' };
    expect(preview).toMatchObject({
      possible: true,
      charges: [
        { renewal: false, refundCents: 1_900 },
        { renewal: true, refundCents: renewals ? 1_900 : 0 },
      ],
      subscription: { id, status: 'active' },
      commissions: [{ ...commission, renewal: false }, ...(renewals ? [{ ...commission, renewal: true }] : [])],
      emails: [
        { name: 'Notice of a refund to the buyer', to: 'buyer' },
        ...(renewals ? [{ name: 'Notice of a refund in part to the buyer', to: 'buyer' }] : []),
        { name: 'Notice of a cancellation to the buyer', to: 'buyer' },
      ],
      webhooks: [
        { event: 'payment.refunded', count: renewals ? 2 : 1 },
        { event: 'order.refunded', count: 1 },
        { event: 'subscription.canceled', count: 1 },
      ],
    });
  }
}

test('payouts and emails that are pushed', async () => {
  const productId = await addProduct('letters');
  const [sale] = await causes(['order.paid'], () =>
    ok('POST', '/api/v1/orders', { productSlug: 'letters', email: 'b@example.com', affiliateCode: 'ANNA' }),
  );
  await handled('affiliate', orderPaid, ({ orderId }) => orderId === sale?.body.orderId);
  const [payout] = await causes(['affiliate.paid'], () =>
    ok('POST', '/api/v1/affiliates/ANNA/payouts?includePending=true'),
  );
  // With those of the club: a tenth of its sale and of its renewal.
  expect(payout?.body).toMatchObject({ affiliate: 'ANNA', name: 'Anna', amountCents: 1_370, commissionCount: 3 });
  for (const [position, subject] of [
    [1, 'Welcome'],
    [2, 'How is it going?'],
  ])
    await ok('POST', `/api/v1/products/${productId}/emails`, { position, sendDay: 0, subject, body: '<p>Hello</p>' });
  const emails = await causes(['funnel.email.sync', 'funnel.email.sync'], async () => {
    expect(await ok('POST', `/api/v1/products/${productId}/emails/push`)).toEqual({ ok: true, sent: 2 });
  });
  expect(emails.map(({ body }) => body.position).toSorted()).toEqual([1, 2]);
  expect(emails[0]?.body).toMatchObject({ productId, productSlug: 'letters', body: '<p>Hello</p>' });
});

test('a rehearsal has the same events, each marked', async () => {
  await ok('PATCH', '/api/v1/settings', { testMode: true });
  const rehearsed: Sent[] = [];
  const causesTests = async (names: readonly string[], action: () => Promise<unknown>) => {
    rehearsed.push(...(await causes(names, action)));
  };
  let checkout: BuyersCheckout | undefined;
  await causesTests(['order.paid', 'upsell.accepted'], async () => {
    checkout = await pay('masterclass', 'rehearsed@example.com');
    await checkout.call('POST', '/upsell', { accept: true });
  });
  const { orderId } = (await checkout?.call('GET'))?.json ?? {};
  await causesTests(['order.refunded', 'payment.refunded', 'payment.refunded'], () =>
    ok('POST', `/api/v1/orders/${orderId}/refund`, {}),
  );
  await causesTests(['order.paid', 'order.paid'], async () => {
    await pay('club', 'rehearsed-ok@example.com');
    await pay('club', 'rehearsed-declined@example.com', 'sim_renewal_declined');
  });
  const id = await subscriptionOf('rehearsed-ok@example.com', true);
  await subscriptionOf('rehearsed-declined@example.com', true);
  // To the end of the month and no further: the declined card is tried again three days later, on the 31st of a February's.
  const [{ current_period_end: end }] = (await ok('GET', '/api/v1/subscriptions?test=true')).data;
  const { now } = await ok('GET', '/api/v1/rehearsal');
  const days = Math.ceil((Date.parse(end) - Date.parse(now)) / 86_400_000);
  await causesTests(['subscription.payment_failed', 'subscription.rebilled'], () =>
    ok('POST', '/api/v1/rehearsal/advance', { days }),
  );
  for (const [what, name] of [
    ['pause', 'subscription.paused'],
    ['resume', 'subscription.resumed'],
    ['cancel', 'subscription.canceled'],
  ] as const)
    await causesTests([name], () => ok('POST', `/api/v1/subscriptions/${id}/${what}`));
  expect(rehearsed.map(({ test }) => test)).toEqual(rehearsed.map(() => true));
  // Payouts and emails are no part of a rehearsal.
  expect(new Set(receiver.requests.map(({ headers }) => headers['x-service-event']))).toEqual(
    new Set(Object.keys(published)),
  );
  expect([...described.keys()].toSorted()).toEqual(Object.keys(published).toSorted());
});
