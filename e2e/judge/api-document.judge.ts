import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '@app/embedded/ports';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addProduct, call, type Seller, signUp } from '../support/seller.ts';
import { sharedPlatform } from '../support/shared-platform.ts';

/** No dependency, but fetched into npm's cache by the first judge. */
const prism = '@stoplight/prism-cli@5.16.0';
const document = 'docs/openapi.json';
const root = join(import.meta.dirname, '../..');

const commandOf = (of: string, ...command: string[]) => ['exec', '--yes', `--package=${of}`, '--', ...command];

let proxy: ChildProcess;
let proxyUrl: string;
let seller: Seller;

beforeAll(async () => {
  const { baseUrl } = await sharedPlatform();
  seller = await signUp(baseUrl, 'Judged Shop');
  const port = await freePort();
  proxyUrl = `http://127.0.0.1:${port}`;
  const command = ['prism', 'proxy', document, baseUrl, '--errors', '--host=127.0.0.1', `--port=${port}`];
  proxy = spawn('npm', commandOf(prism, ...command), {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  for await (const line of createInterface({ input: proxy.stdout as NodeJS.ReadableStream }))
    if (line.includes('listening')) break;
  proxy.stdout?.resume();
});

afterAll(async () => {
  if (proxy?.pid === undefined || proxy.exitCode !== null) return;
  const ended = once(proxy, 'exit');
  // npm and what it started.
  process.kill(-proxy.pid);
  await ended;
});

/** A call that Prism checks against the document on its way there and back: what does not fit becomes an error of its own. */
async function walk(method: string, path: string, body?: unknown, status = 200) {
  const headers = { authorization: `Bearer ${seller.apiKey}` };
  const answer = await call(proxyUrl, method, path, { headers, ...(body === undefined ? {} : { body }) });
  expect([method, path, answer.status, answer.text]).toEqual([method, path, status, expect.any(String)]);
  expect(answer.headers.get('sl-violations')).toBeNull();
  return answer.json;
}

test('a seller’s journey is as the document has it, request by request and answer by answer, for Prism', async () => {
  const { productId, slug, bumpId } = await addProduct(seller);
  const product = `/api/v1/products/${productId}`;
  await walk('GET', '/api/v1/products?limit=1');
  await walk('GET', product);
  await walk('PATCH', product, { description: 'Thirty lessons.' });
  await walk('GET', `${product}/bumps/${bumpId}`);
  await walk('GET', `/api/products/${productId}/funnel`);
  const discount = await walk('POST', `${product}/discounts`, { code: 'AUTUMN', percentOff: 20 });
  await walk('PATCH', `${product}/discounts/${discount.id}`, { amountOffCents: 500 });
  await walk('GET', `${product}/discounts/${discount.id}`);
  await walk('POST', '/api/v1/affiliates', {
    code: 'ANNA',
    name: 'Anna',
    email: 'anna@example.com',
    commissionPercent: 30,
  });
  const bought = { productSlug: slug, email: 'maya@example.com', bumpIds: [bumpId], affiliateCode: 'ANNA' };
  const { orderId } = await walk('POST', '/api/v1/orders', bought);
  await walk('GET', '/api/v1/orders?limit=1&status=paid');
  await walk('GET', `/api/v1/orders/${orderId}`);
  await walk('GET', '/api/v1/affiliates/ANNA');
  await walk('GET', '/api/v1/affiliates/ANNA/statement');
  await walk('GET', `/api/metrics/${productId}`);
  await walk('GET', '/api/v1/overview');
  await walk('GET', `/api/v1/orders/${orderId}/refund/preview`);
  await walk('POST', `/api/v1/orders/${orderId}/refund`, {});
  await walk('GET', '/api/v1/payments');
  await walk('GET', '/api/v1/subscriptions?limit=5');
  await walk('GET', '/api/v1/settings');
  await walk('GET', '/api/v1/events');
  await walk('GET', '/api/v1/daily-runs/preview');
  await walk('POST', '/api/cron/daily', {});
  await walk('GET', '/api/v1/orders/ord_01kahv7w3xe5m8q2r6t9y0b4cd', undefined, 404);
  await walk('PATCH', product, { currency: 'jpy' }, 422);
});
