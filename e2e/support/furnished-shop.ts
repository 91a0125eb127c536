import { affiliatePaid } from '@app/contracts/affiliates';
import { checkoutVisited } from '@app/contracts/checkouts';
import { orderPaid } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { withdrawalRequested } from '@app/contracts/withdrawals';
import { announced } from '@app/testing/points';
import { recoveryFinished } from '@app/webhook-dispatcher/points';
import { expect } from 'vitest';
import { addProduct, call, made, placeOrder, type Seller } from './seller.ts';
import { attempted, handled } from './waits.ts';

/** The deliveries of two orders, a payout and a withdrawal to the endpoint, and of the orders to the automation. */
const madeDeliveries = 6;

/** Days that a read of the shop names: those that it takes by itself end today, which may end between two reads. */
const day = new Date().toISOString().slice(0, 10);
export const daysRead: Readonly<Record<string, string>> = {
  getOverview: `?from=${day}&to=${day}`,
  getFees: `?from=${day}&to=${day}`,
};

/** Where the shop is, and what receives its webhooks. */
export interface Surroundings {
  readonly baseUrl: string;
  readonly receiverUrl: string;
}

/** A buyer’s checkout at the victim’s shop. */
export async function openCheckoutAt(
  baseUrl: string,
  seller: Seller,
  email: string,
): Promise<{ id: string; secret: string }> {
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const opened = await call(baseUrl, 'POST', '/api/checkout', {
    body: { handle, slug: 'victim-course', email, name: 'Victim Secret buyer' },
  });
  if (opened.status !== 200) throw new Error(`checkout: ${opened.status} ${opened.text}`);
  return opened.json;
}

/** Gives the victim one of everything. */
export async function furnish({ baseUrl, receiverUrl }: Surroundings, seller: Seller): Promise<Record<string, string>> {
  const { productId, bumpId } = await addProduct(seller, 'victim-course');
  const under = `/api/v1/products/${productId}`;
  const upsellId = await made(seller, `${under}/upsells`, { headline: 'Victim Secret upsell', priceCents: 100 });
  const emailId = await made(seller, `${under}/emails`, {
    position: 1,
    sendDay: 0,
    subject: 'Victim Secret',
    body: 'x',
  });
  const discountId = await made(seller, `${under}/discounts`, { code: 'VICTIM', percentOff: 10 });
  await made(seller, '/api/v1/affiliates', {
    code: 'victimleaf',
    name: 'Leaf',
    email: 'leaf@example.com',
    commissionPercent: 10,
  });
  await made(seller, '/api/v1/products', {
    name: 'Victim Secret club',
    slug: 'victim-club',
    priceCents: 900,
    currency: 'usd',
    pricingType: 'subscription',
    billingInterval: 'month',
    status: 'live',
  });
  const connected = await seller.call('PUT', '/api/v1/webhook-endpoint', { body: { url: `${receiverUrl}/victim` } });
  const endpointId: string = connected.json.id;
  const automationId = await made(seller, '/api/v1/automations', {
    name: 'Victim Secret automation',
    event: 'order.paid',
    action: { type: 'post', url: `${receiverUrl}/victim-automation` },
  });
  const order = { email: 'victim-buyer@example.com', affiliateCode: 'victimleaf' };
  const orderId = await placeOrder(seller, { productSlug: 'victim-course', bumpIds: [bumpId], ...order });
  const clubOrderId = await placeOrder(seller, { productSlug: 'victim-club', ...order });
  for (const service of ['billing', 'affiliate', 'metrics'] as const)
    for (const id of [orderId, clubOrderId]) await handled(service, orderPaid, (data) => data.orderId === id);
  await handled('metrics', subscriptionStarted, (data) => data.orderId === clubOrderId);
  const subscriptionId: string = (await seller.call('GET', '/api/v1/subscriptions')).json.data[0].id;
  const customerId: string = (await seller.call('GET', '/api/v1/customers')).json.data[0].id;
  const payoutId = await made(seller, '/api/v1/affiliates/victimleaf/payouts?includePending=true', undefined);
  await handled('webhook-dispatcher', affiliatePaid, (data) => data.payoutId === payoutId);
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const withdrawal = { handle, name: 'Victim Secret', bought: orderId, email: order.email };
  await call(baseUrl, 'POST', '/api/withdrawals/confirm', { body: withdrawal });
  const withdrawalId: string = (await seller.call('GET', '/api/v1/withdrawals')).json.data[0].id;
  await handled('gateway', withdrawalRequested, (data) => data.withdrawalId === withdrawalId);
  const bySession = await call(baseUrl, 'POST', '/api/v1/api-keys', {
    ...{ headers: { cookie: seller.session }, body: { name: 'Victim Secret key' } },
  });
  const keyId: string = bySession.json.id;
  const auditEntryId = (await seller.call('GET', '/api/v1/audit-log')).json.data[0].id;
  await attempted(seller.accountId, madeDeliveries);
  const deliveryId: string = (await seller.call('GET', '/api/v1/webhook-deliveries')).json.data[0].id;
  const since = new Date(Date.now() - 60_000).toISOString();
  const recoveryId = await made(seller, `/api/v1/webhook-endpoints/${endpointId}/recover`, { since, which: 'all' });
  const { id: checkoutId, secret } = await openCheckoutAt(baseUrl, seller, 'victim-buyer@example.com');
  const held = await call(baseUrl, 'POST', `/api/checkout/${checkoutId}/pay`, {
    headers: { 'x-checkout-secret': secret },
    body: { paymentMethod: 'sim_ok' },
  });
  if (held.json?.status !== 'authorized') throw new Error(`paying: ${held.status} ${held.text}`);
  const heldOrderId: string = held.json.orderId;
  const paymentId: string = (await seller.call('GET', `/api/v1/payments?orderId=${heldOrderId}`)).json.data[0].id;
  await made(seller, '/api/cron/daily', undefined);
  const runId: string = (await seller.call('GET', '/api/v1/daily-runs')).json.data[0].id;
  return {
    ...{ productId, bumpId, upsellId, emailId, discountId, orderId, subscriptionId, keyId, auditEntryId, customerId },
    ...{
      clubOrderId,
      checkoutId,
      heldOrderId,
      paymentId,
      payoutId,
      runId,
      endpointId,
      recoveryId,
      deliveryId,
      automationId,
      withdrawalId,
    },
    code: 'victimleaf',
  };
}

/** Those to the endpoint, again. */
const recovered = 4;

/** What the shop has set going is over, and would not be taken for somebody else's doing. */
export async function untilAtRest(seller: Seller, ids: Readonly<Record<string, string>>): Promise<void> {
  await announced(recoveryFinished, ({ recoveryId }) => recoveryId === ids.recoveryId);
  await attempted(seller.accountId, madeDeliveries + recovered);
  const list = async (path: string) => (await seller.call('GET', path)).json.data;
  const listed: { status: string }[] = await list('/api/v1/webhook-deliveries?limit=100');
  expect(listed.filter(({ status }) => ['pending', 'sending'].includes(status))).toEqual([]);
  expect(await list('/api/v1/webhook-recoveries')).toMatchObject([{ status: 'done' }]);
  expect(await list('/api/v1/affiliates/victimleaf/commissions')).toHaveLength(2);
  await handled('metrics', checkoutVisited, ({ productId }) => productId === ids.productId);
  const { summary } = (await seller.call('GET', `/api/metrics/${ids.productId}`)).json;
  expect(summary.orders).toBe(1);
}

/** When a key was last used, and the times of a preview and of rehearsals, change by reading. */
const changeByReading = ['last_used_at', 'at', 'now'];

/**
 * What a seller reads at these paths, one after the other: all at once would keep a slow machine busy for longer than requests wait.
 * @param passing fields that differ from one read to the next, beside those that change by reading
 */
export async function readAll(
  seller: Seller,
  paths: readonly string[],
  passing: readonly string[] = [],
): Promise<unknown> {
  const left = new Set([...changeByReading, ...passing]);
  const things: unknown[] = [];
  for (const path of paths) {
    const { status, json } = await seller.call('GET', path);
    things.push([path, status, JSON.stringify(json, (key, value) => (left.has(key) ? undefined : value))]);
  }
  return things;
}
