import { orderPaid } from '@app/contracts/orders';
import { chargeRefunded } from '@app/contracts/payments';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import { type Receiver, startReceiver } from '@app/testing/http-receiver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { made, placeOrder, type Seller, signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';
import { changeSettings, handled } from './support/waits.ts';

/**
 * Guarantee: what a seller asks an agent for is done from the list of tools alone, within a few calls. Each task names tools that
 * are listed, gives arguments that their schemas have, and takes ids only from answers of its own.
 */
let seller: Seller;
let receiver: Receiver;

/** As a client sees it. */
interface Listed {
  readonly name: string;
  readonly inputSchema: { readonly properties: Record<string, unknown> };
}

async function rpc(method: string, params: object) {
  const { text } = await seller.call('POST', '/api/mcp', {
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method, params },
  });
  return JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?^data: /m, '')).result;
}

/** Does a task by at most so many calls of listed tools. */
async function agent(callsMax: number) {
  const listed: Listed[] = (await rpc('tools/list', {})).tools;
  let calls = 0;
  return async (name: string, args: Record<string, unknown> = {}) => {
    calls += 1;
    expect(calls).toBeLessThanOrEqual(callsMax);
    const tool = listed.find((one) => one.name === name);
    expect(Object.keys(args).filter((argument) => !(argument in (tool?.inputSchema.properties ?? {})))).toEqual([]);
    const result = await rpc('tools/call', { name, arguments: args });
    expect([name, result.isError ?? false, result.content[0].text]).toEqual([name, false, expect.any(String)]);
    return result.structuredContent;
  };
}

const buyer = 'ada@example.com';
/** Of two sales with a card, the older first. */
const cardBuyers = ['grace@example.com', 'ada@example.com'];

beforeAll(async () => {
  receiver = await startReceiver();
  const platform = await sharedPlatform();
  seller = await signUp(platform.baseUrl, 'Agent Shop');
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const of = { currency: 'usd', status: 'live' };
  await seller.call('PUT', '/api/v1/payment-processor', { body: { processor: 'simulated', secretKey: 'x' } });
  await made(seller, '/api/v1/products', {
    ...{ ...of, name: 'Watercolour course', slug: 'course', priceCents: 4_900, pricingType: 'onetime' },
  });
  await made(seller, '/api/v1/products', {
    ...{ ...of, name: 'Club', slug: 'club', priceCents: 1_900, pricingType: 'subscription', billingInterval: 'month' },
  });
  const anna = { code: 'anna', name: 'Anna', email: 'anna@example.com', commissionPercent: 10 };
  await made(seller, '/api/v1/affiliates', anna);
  // A commission takes the days of when its order is taken up.
  await changeSettings(seller, { commissionHoldDays: 0 }, 'affiliate');
  for (const email of cardBuyers) {
    const checkout = await openCheckout(platform.baseUrl, { handle, slug: 'course', email });
    expect((await checkout.call('POST', '/pay', { paymentMethod: 'sim_ok' })).json.status).toBe('paid');
  }
  const club = { productSlug: 'club', email: buyer, affiliateCode: 'anna', paymentMethod: 'sim_ok' };
  const orderId = await placeOrder(seller, club);
  for (const service of ['billing', 'affiliate', 'metrics', 'webhook-dispatcher'] as const)
    await handled(service, orderPaid, (data) => data.orderId === orderId);
  await handled('metrics', subscriptionStarted, (data) => data.orderId === orderId);
});
afterAll(() => receiver?.close());

test('“Who bought the watercolour course?” in one call', async () => {
  const call = await agent(1);
  const { data } = await call('list_orders', { product: 'watercolour course' });
  expect(data.map((order: { customer_email: string }) => order.customer_email)).toEqual(cardBuyers.toReversed());
});

test('a product that there is not is no empty list', async () => {
  const result = await rpc('tools/call', { name: 'list_orders', arguments: { product: 'Oil painting' } });
  expect(result.isError).toBe(true);
  expect(result.content[0].text).toContain('Watercolour course (course)');
});

test('“Why did I get no webhook for Ada’s order?” in two calls', async () => {
  const call = await agent(2);
  const [order] = (await call('list_orders', { q: buyer })).data;
  const [delivery] = (await call('list_webhook_deliveries', { orderId: order.id })).data;
  expect(delivery).toMatchObject({ status: 'held', reason: expect.stringMatching(/no webhook|URL/i) });
});

test('“Refund half of Grace’s order” in three calls, then “refund her order” in three', async () => {
  const half = await agent(3);
  const [order] = (await half('list_orders', { q: cardBuyers[0] })).data;
  const args = { orderId: order.id, amountCents: 2_450 };
  const asked = await half('refund_order', args);
  expect(asked).toMatchObject({ code: 'confirmation_required', expectedCents: 2_450 });
  expect(asked.detail).toMatch(/^\$24\.50 goes back .* \$24\.50 stays/);
  expect(await half('refund_order', { ...args, confirm: true })).toMatchObject({ status: 'refunded' });

  await handled('checkout', chargeRefunded, (data) => data.orderId === order.id);
  const whole = await agent(3);
  const [last] = (await whole('list_orders', { q: cardBuyers[0] })).data;
  expect(last).toMatchObject({ status: 'paid', refunded_cents: 2_450 });
  const { expectedCents } = await whole('refund_order', { orderId: last.id });
  expect(expectedCents).toBe(2_450);
  const done = await whole('refund_order', { orderId: last.id, confirm: true, expectedCents });
  expect(done).toMatchObject({ status: 'refunded', refundedCents: 4_900 });
});

test('“Make a product with an upsell and give me its link” in two calls', async () => {
  const call = await agent(2);
  const product = await call('create_product', {
    ...{ name: 'Oils', slug: 'oils', priceCents: 9_900, currency: 'usd', pricingType: 'onetime', status: 'live' },
  });
  expect(product.checkout_url).toMatch(/^http.*\/c\/.*\/oils$/);
  const upsell = { productId: product.id, kind: 'upsell', headline: 'Live lesson', priceCents: 4_900 };
  expect(await call('create_offer', upsell)).toMatchObject({ headline: 'Live lesson', active: 1 });
});

test('“Who is past due?”, “what is charged tonight?”, “what did I earn this month?” in one call each', async () => {
  const pastDue = await (await agent(1))('list_subscriptions', { status: 'past_due' });
  expect(pastDue).toEqual({ data: [], has_more: false });
  expect(await (await agent(1))('preview_daily_run')).toMatchObject({ totals: { renewals: { count: 0 } } });
  // From the list alone: the month’s last day, which models give, is refused as long as it is to come.
  const { description } = (await rpc('tools/list', {})).tools.find(({ name }: Listed) => name === 'get_overview');
  expect(description).toContain('`from`, and no `to`');
  const month = new Date().toISOString().slice(0, 7);
  const earned = await (await agent(1))('get_overview', { from: `${month}-01` });
  expect(earned.currencies).toMatchObject([{ currency: 'usd', current: { orders: expect.any(Number) } }]);
});

test('“Pause Ada’s subscription” in two calls', async () => {
  const call = await agent(2);
  const [subscription] = (await call('list_subscriptions', { email: buyer })).data;
  expect(await call('pause_subscription', { subscriptionId: subscription.id })).toMatchObject({ status: 'paused' });
});

test('“Make a code for 20 % off the course” in two calls', async () => {
  const call = await agent(2);
  const { data } = await call('list_products');
  const { id } = data.find(({ name }: { name: string }) => name === 'Watercolour course');
  expect(await call('create_discount', { productId: id, code: 'SPRING', percentOff: 20 })).toMatchObject({
    code: 'SPRING',
    percent_off: 20,
  });
});

test('“Pay Anna” in three calls', async () => {
  const call = await agent(3);
  const [affiliate] = (await call('list_affiliates')).data;
  expect(affiliate.balances).toMatchObject([{ currency: 'usd', due_cents: 190 }]);
  expect(await call('pay_affiliate', { code: affiliate.code })).toMatchObject({
    code: 'confirmation_required',
    expectedCents: 190,
    preview: { affiliate: { email: 'anna@example.com' } },
  });
  expect(await call('pay_affiliate', { code: affiliate.code, confirm: true })).toMatchObject({ amount_cents: 190 });
});

test('“Connect my webhook and test it” in three calls', async () => {
  const call = await agent(3);
  const url = `${receiver.url}/agent`;
  expect((await call('set_webhook_endpoint', { url })).detail).toContain(`emails will go to ${url}`);
  const { id } = await call('set_webhook_endpoint', { url, confirm: true });
  expect(await call('send_test_webhook', { endpointId: id, event: 'order.paid' })).toMatchObject({
    event: 'order.paid',
  });
});

test('what has no tool of its own is found and done: a post-purchase email is added and deleted', async () => {
  const call = await agent(5);
  const [add] = (await call('find', { query: 'add a post-purchase email' })).found;
  expect(add).toMatchObject({ operation: 'createFunnelEmail', call: 'write' });
  expect(Object.keys(add.arguments.properties)).toEqual(expect.arrayContaining(['productId', 'subject', 'body']));
  const [product] = (await call('list_products')).data;
  const email = { productId: product.id, position: 1, sendDay: 0, subject: 'Welcome', body: 'Hello' };
  const { id } = await call('write', { operation: 'createFunnelEmail', arguments: email });
  const removal = { operation: 'deleteFunnelEmail', arguments: { productId: product.id, emailId: id } };
  expect(await call('write', removal)).toMatchObject({
    code: 'confirmation_required',
    preview: { subject: 'Welcome' },
  });
  expect(await call('write', { ...removal, confirm: true })).toEqual({ ok: true });
});

test('what cannot be taken back is shown first, by name and by “write”, and done with consent alone', async () => {
  const call = await agent(15);
  const [subscription] = (await call('list_subscriptions')).data;
  const [{ productId, slug }] = (await call('list_products')).data.map(
    ({ id, slug: of }: { id: string; slug: string }) => ({ productId: id, slug: of }),
  );
  const payments = await call('read', {
    operation: 'listPayments',
    arguments: { email: cardBuyers[1], status: 'succeeded' },
  });
  const { id: paymentId, order_id: orderOf } = payments.data[0];
  const cancel = ['cancel_subscription', { subscriptionId: subscription.id }] as const;
  const archive = ['update_product', { productId, status: 'archived' }] as const;
  const writes = {
    refundPayment: { paymentId, amountCents: 100 },
    pushFunnelEmails: { productId },
    advanceRehearsal: { days: 1 },
  };
  const written = Object.entries(writes).map(([operation, args]) => ['write', { operation, arguments: args }] as const);
  const words: string[] = [];
  for (const [name, args] of [cancel, archive, ...written]) {
    const asked = await call(name, args);
    expect([name, args, asked.code]).toEqual([name, args, 'confirmation_required']);
    words.push(asked.detail);
  }
  expect(words).toEqual([
    expect.stringMatching(/ends now, for good\. No money moves/),
    expect.stringMatching(/can no longer be bought/),
    expect.stringMatching(/\$1\.00/),
    expect.stringMatching(/funnel\.email\.sync/),
    expect.stringMatching(/The time does not go back/),
  ]);
  const stays = async () => [
    (await seller.call('GET', `/api/v1/subscriptions/${subscription.id}`)).json.status,
    (await seller.call('GET', `/api/v1/products/${productId}`)).json.status,
    (await seller.call('GET', `/api/v1/orders/${orderOf}`)).json.refunded_cents,
    (await seller.call('GET', '/api/v1/rehearsal')).json.days_ahead,
  ];
  expect([slug, ...(await stays())]).toEqual([slug, subscription.status, 'live', 0, 0]);
  await call('write', { ...written[2]?.[1], confirm: true });
  await call(archive[0], { ...archive[1], confirm: true });
  await call(cancel[0], { ...cancel[1], confirm: true });
  expect(await stays()).toEqual(['canceled', 'archived', 0, 1]);
});

test('no key and no processor’s secret is within reach', async () => {
  for (const operation of ['createApiKey', 'rotateApiKey', 'putPaymentProcessor', 'revealWebhookSecret', 'logOut']) {
    const result = await rpc('tools/call', { name: 'write', arguments: { operation } });
    expect(JSON.parse(result.content[0].text)).toMatchObject({
      fields: [{ field: 'operation', code: 'unknown_value' }],
    });
  }
  const { found } = await (await agent(1))('find', { query: 'make an API key' });
  expect(found.map(({ operation }: { operation: string }) => operation)).not.toContain('createApiKey');
});

test('“Turn test mode on” in one call', async () => {
  const call = await agent(1);
  expect(await call('update_settings', { testMode: true })).toMatchObject({ testMode: true });
});

test('“What needs my attention today?”: each call that the prompt names is answered', async () => {
  const { messages } = await rpc('prompts/get', { name: 'needs_attention' });
  const calls = [...messages[0].content.text.matchAll(/^\d+\. `(\w+)` with `(.*)`: /gm)];
  const call = await agent(calls.length);
  for (const [, name, args] of calls) expect(await call(name, JSON.parse(args))).toEqual(expect.any(Object));
});
