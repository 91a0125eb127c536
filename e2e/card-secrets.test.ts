import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { orderPaid } from '@app/contracts/orders';
import { freePort } from '@app/embedded/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCheckout } from './support/buyer.ts';
import { copyMadeData } from './support/made-data.ts';
import { addProduct, type Seller, signUp } from './support/seller.ts';
import { readCredentials, type Standalone, startStandalone } from './support/standalone.ts';
import { handled } from './support/waits.ts';

/**
 * Guarantee: neither a checkout's secret nor a card's token nor a seller's key at the processor is in any log of `npm start`,
 * whatever becomes of the payment, with everything logged that can be.
 */
let directory: string;
let standalone: Standalone;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'funnelry-secrets-'));
  const settings = { LOG_LEVEL: 'trace', RATE_LIMIT_PER_MINUTE: '0' };
  const dataDir = join(directory, '.data');
  await copyMadeData(dataDir);
  standalone = startStandalone(dataDir, await freePort(), settings);
  await standalone.until(/^ready /);
});

afterAll(async () => {
  await standalone?.end('SIGKILL');
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
});

/** Paid, declined at once and later, confirmed, and answers that end in an error: each leaves other lines. */
const cards = [
  'sim_ok',
  'sim_lost_card',
  'sim_renewal_declined',
  'sim_requires_action',
  'sim_error_after',
  'no_such_card',
];

test('the logs of whole journeys hold no secret of a checkout, no card and no key of a processor', async () => {
  const { baseUrl } = await readCredentials(standalone.dataDir);
  const seller = await signUp(baseUrl);
  const { productId, slug } = await addProduct(seller, 'journeys');
  await seller.call('POST', `/api/v1/products/${productId}/upsells`, { body: { headline: 'More', priceCents: 500 } });
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const secretKey = 'key-of-the-processor-0123456789';
  const put = await seller.call('PUT', '/api/v1/payment-processor', { body: { processor: 'simulated', secretKey } });
  expect([put.status, put.text.includes(secretKey)]).toEqual([200, false]);
  const secrets: string[] = [secretKey, ...cards];
  const orders: string[] = [];
  for (const paymentMethod of cards) {
    const checkout = await openCheckout(baseUrl, { handle, slug, email: `buyer-${secrets.length}@example.com` });
    secrets.push(checkout.secret);
    const paid = await checkout.call('POST', '/pay', { paymentMethod, returnUrl: `${baseUrl}/back` });
    const { orderId } = (await checkout.call('POST', '/continue', {})).json;
    expect(paid.status).toBe(200);
    if (orderId === undefined) continue;
    orders.push(orderId);
    await checkout.call('POST', '/upsell', { accept: true });
    // A body that is not read to its end, and one that is wrong.
    await checkout.call('POST', '/pay', `{"paymentMethod":"${paymentMethod}"`);
    await checkout.call('POST', '/pay', { paymentMethod, card: paymentMethod });
    expect((await seller.call('POST', `/api/v1/orders/${orderId}/refund`, { body: {} })).status).toBe(200);
  }
  expect(orders.length).toBeGreaterThanOrEqual(3);
  secrets.push(...(await replaceCards(seller)));
  expect(await standalone.end('SIGTERM')).toBe(0);

  const logs = (await readdir(standalone.dataDir)).filter((file) => /\.log(\.\d+)?$/.test(file));
  const texts = [['output', standalone.output()], ...(await Promise.all(logs.map(readLog)))] as [string, string][];
  // Otherwise the search proves nothing.
  expect(logs).toEqual(expect.arrayContaining(['app.log', 'postgres.log', 'nats-server.log']));
  expect(texts.some(([, text]) => text.includes('/api/checkout/'))).toBe(true);
  const found = texts.flatMap(([log, text]) =>
    secrets.filter((secret) => text.includes(secret)).map((each) => `${log}: ${each}`),
  );
  expect(found).toEqual([]);
});

/** Gives a subscription new cards, in the right way and in wrong ones, and renews it; returns the tokens. */
async function replaceCards(seller: Seller): Promise<string[]> {
  const club = { name: 'Club', slug: 'club', priceCents: 1_900, currency: 'usd', pricingType: 'subscription' };
  await seller.call('POST', '/api/v1/products', { body: { ...club, billingInterval: 'month', status: 'live' } });
  const order = { productSlug: 'club', email: 'member@example.com', paymentMethod: 'a_card_of_an_order' };
  expect((await seller.call('POST', '/api/v1/orders', { body: order })).status).toBe(200);
  await handled('billing', orderPaid, (data, accountId) => {
    return accountId === seller.accountId && data.customerEmail === order.email;
  });
  const id: string = (await seller.call('GET', '/api/v1/subscriptions')).json.data[0].id;
  const path = `/api/v1/subscriptions/${id}/payment-method`;
  const answers = [
    await seller.call('PUT', path, { body: { paymentMethod: 'sim_hold_expires' } }),
    await seller.call('PUT', path, { body: '{"paymentMethod":"a_card_cut_off' }),
    await seller.call('PUT', path, { body: { paymentMethod: 'a_card', card: 'a_card_in_a_wrong_field' } }),
    await seller.call('PUT', path.replace(id, `${id.slice(0, -4)}zzzz`), {
      body: { paymentMethod: 'a_card_of_nobody' },
    }),
    await seller.call('POST', '/api/mcp', {
      headers: { accept: 'application/json, text/event-stream' },
      body: {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: {
          name: 'update_payment_method',
          arguments: { subscriptionId: id, paymentMethod: 'a_card_by_tool', idempotencyKey: 'new-card' },
        },
      },
    }),
    await seller.call('POST', `/api/v1/subscriptions/${id}/cancel`),
    await seller.call('PUT', path, { body: { paymentMethod: 'a_card_too_late' } }),
    await seller.call('GET', `/api/v1/subscriptions/${id}`),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 422, 404, 200, 200, 409, 200]);
  expect(answers.map(({ text }) => text).join()).not.toMatch(/a_card|sim_hold_expires/);
  return ['a_card', 'sim_hold_expires'];
}

async function readLog(file: string): Promise<[string, string]> {
  return [file, await readFile(join(standalone.dataDir, file), 'utf8')];
}
