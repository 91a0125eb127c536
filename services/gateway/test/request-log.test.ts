import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { idOfCommand, newIdSuffix } from '@app/contracts/ids';
import { createLogger, type Logger } from '@app/service-kit/logger';
import { guardLeaks } from '@app/testing/leak-guard';
import { announced } from '@app/testing/points';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { requestEnded } from '../src/points/points.ts';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let harness: Harness;
let gateway: RunningGateway;
let folder: string;
let logger: Logger;
let key: string;

beforeAll(async () => {
  harness = await createHarness();
  folder = mkdtempSync(join(tmpdir(), 'request-lines-'));
  logger = createLogger({ service: 'gateway', level: 'info', destination: join(folder, 'log') });
  gateway = await harness.start({}, { logger });
  ({ key } = await createSeller(gateway.url));
});
afterAll(async () => {
  await harness.close();
  rmSync(folder, { recursive: true });
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, accept: 'application/json, text/event-stream' };

/** All lines of the request with this id. */
async function linesOf(requestId: string): Promise<Record<string, unknown>[]> {
  await announced(requestEnded, (ended) => ended.requestId === requestId);
  await new Promise<void>((resolve) => logger.flush(() => resolve()));
  const lines = readFileSync(join(folder, 'log'), 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId);
}
const info = 30;
const warning = 40;
const error = 50;

test('a service that does not answer is one warning with the code, the cause and the trace', async () => {
  const answer = await send(gateway.url, 'GET', '/api/v1/affiliates', {
    key,
    headers: { ...headers, 'x-request-id': 'down-1' },
  });
  expect(answer.status).toBe(503);
  expect(await linesOf('down-1')).toEqual([
    expect.objectContaining({
      level: warning,
      msg: 'request failed',
      route: '/api/v1/affiliates',
      status: 503,
      code: 'service_unavailable',
      cause: expect.stringContaining('affiliate'),
      traceId,
      accountId: expect.stringMatching(/^acc_/),
    }),
  ]);
});

test('a tool that fails so is a warning too, although its answer is 200', async () => {
  const answer = await send(gateway.url, 'POST', '/api/mcp', {
    key,
    headers: { ...headers, 'x-request-id': 'down-2' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_affiliates', arguments: {} } },
  });
  expect(answer.status).toBe(200);
  const expected = { level: warning, route: '/api/mcp', code: 'service_unavailable', traceId };
  expect(await linesOf('down-2')).toEqual([expect.objectContaining(expected)]);
});

test('a fault of an unknown kind is one error', async () => {
  const { place } = harness.orders;
  harness.orders.place = async () => {
    throw new Error('unforeseen');
  };
  const body = { productSlug: 'a', email: 'a@example.com' };
  await send(gateway.url, 'POST', '/api/v1/orders', { key, body, headers: { 'x-request-id': 'fault-1' } });
  harness.orders.place = place;
  expect(await linesOf('fault-1')).toEqual([expect.objectContaining({ level: error, status: 500, code: 'internal' })]);
});

test('a caller’s own mistakes are no warnings', async () => {
  await send(gateway.url, 'GET', '/api/v1/nothing', { headers: { 'x-request-id': 'mistake-1' } });
  expect(await linesOf('mistake-1')).toEqual([expect.objectContaining({ level: 30, status: 404, msg: 'request' })]);
});

test('an address that nothing is at logs no part of a link of an email', async () => {
  const token = 'a-token-as-long-as-those-that-emails-hold-0';
  for (const [n, path] of [
    `/c/opt-out/${token}/y/`,
    `//c/opt-out/${token}/x`,
    `/C/opt-out/${token}/y?z`,
    `/letters/verification/${token}/`,
    `/p/a-shop/open/${token}/y`,
    `//P/a-shop/open/${token}?z`,
    `/api/checkout/opt-outs/${token}/`,
  ].entries()) {
    await send(gateway.url, 'GET', path, { headers: { 'x-request-id': `link-${n}` } });
    const lines = JSON.stringify(await linesOf(`link-${n}`));
    expect(lines).not.toContain(token);
    expect(lines).toMatch(/\/(c|p|letters|api\/checkout)\/…/);
  }
});

test('a request is one line with operation, account, what it is about, its outcome and the trace', async () => {
  const named = async (requestId: string, method: string, path: string, body?: object) => {
    const answer = await send(gateway.url, method, path, {
      key,
      headers: { ...headers, 'x-request-id': requestId },
      ...(body && { body }),
    });
    return [answer, await linesOf(requestId)] as const;
  };
  const common = { level: info, traceId, accountId: expect.stringMatching(/^acc_/) };
  const order = { productSlug: 'course', email: 'buyer@example.com' };
  const productId = idOfCommand('product', newIdSuffix(Date.now()));
  const [placed, wrote] = await named('named-1', 'POST', '/api/v1/orders', order);
  const { orderId } = placed.json as { orderId: string };
  expect(wrote).toEqual([
    expect.objectContaining({ ...common, operation: 'createOrder', about: orderId, outcome: 'ok' }),
  ]);
  const [, read] = await named('named-2', 'GET', `/api/v1/products/${productId}`);
  expect(read).toEqual([
    expect.objectContaining({ ...common, operation: 'getProduct', about: productId, outcome: 'product_not_found' }),
  ]);
  const [, refused] = await named('named-3', 'POST', '/api/v1/api-keys', { name: 'second' });
  expect(refused).toEqual([
    expect.objectContaining({ ...common, operation: 'createApiKey', outcome: 'insufficient_scope' }),
  ]);
});

test('a buyer’s payment is a line of the seller’s account, with the checkout and whether the card was declined', async () => {
  const { handle } = (await send(gateway.url, 'GET', '/api/v1/settings', { key })).json;
  const opening = { headers: { 'x-request-id': 'buyer-1' }, body: { handle, slug: 'course' } };
  const { id, secret } = (await send(gateway.url, 'POST', '/api/checkout', opening)).json;
  harness.checkout.pay = async () => ({ status: 'declined', totalCents: 4_900, reason: 'card_declined' });
  const paying = {
    headers: { 'x-checkout-secret': secret, 'x-request-id': 'buyer-2' },
    body: { paymentMethod: 'tok' },
  };
  expect((await send(gateway.url, 'POST', `/api/checkout/${id}/pay`, paying)).status).toBe(200);
  const common = { level: info, about: id, accountId: expect.stringMatching(/^acc_/) };
  expect(await linesOf('buyer-1')).toEqual([
    expect.objectContaining({ ...common, operation: 'openCheckout', outcome: 'ok' }),
  ]);
  const lines = await linesOf('buyer-2');
  expect(lines).toEqual([expect.objectContaining({ ...common, operation: 'payCheckout', outcome: 'declined' })]);
  expect(JSON.stringify(lines)).not.toContain(secret);
});

test('what a buyer reads, changes and restores is a line of the seller’s account, which the buyer does not read', async () => {
  const { handle } = (await send(gateway.url, 'GET', '/api/v1/settings', { key })).json;
  const opened = await send(gateway.url, 'POST', '/api/checkout', { body: { handle, slug: 'course' } });
  const { id, secret } = opened.json;
  const [owner] = await linesOf(opened.headers['x-request-id'] as string);
  harness.checkout.links.set('link', owner?.accountId as string);
  for (const [operation, method, path, body] of [
    ['getCheckout', 'GET', `/${id}`, undefined],
    ['updateCheckout', 'PATCH', `/${id}`, { name: 'Ada' }],
    ['restoreCheckout', 'POST', '/restore', { token: 'link' }],
  ] as const) {
    const answer = await send(gateway.url, method, `/api/checkout${path}`, {
      headers: { 'x-checkout-secret': secret, 'x-request-id': operation },
      ...(body && { body }),
    });
    expect([operation, answer.status, answer.json.accountId]).toEqual([operation, 200, undefined]);
    expect(await linesOf(operation)).toEqual([
      expect.objectContaining({ operation, outcome: 'ok', accountId: owner?.accountId }),
    ]);
  }
});
