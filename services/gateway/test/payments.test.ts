import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import { getOrder, orderWithPayments, refundOrder, releaseOrder } from '@app/contracts/orders';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { listOrderPayments, listPayments, type PaymentResource } from '@app/contracts/payments';
import type { NatsClient } from '@app/messaging/connect';
import { onRequest } from '@app/messaging/serve-requests';
import { AdjustableClock } from '@app/service-kit/clock';
import { silentLogger } from '@app/service-kit/logger';
import { guardLeaks } from '@app/testing/leak-guard';
import { createTestNats, type TestNats } from '@app/testing/nats';
import { createMigratedDatabase } from '@app/testing/postgres';
import { onSimulatedSettings } from '@app/testing/simulated-settings';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { migrate } from '../src/db/migrate.ts';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { orderExamples } from '../src/openapi/examples/orders.ts';
import { createGateway } from '../src/service.ts';
import { createSeller, passwordCost, serveAs } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let nats: TestNats;
let database: Awaited<ReturnType<typeof createMigratedDatabase>>;
let gateway: RunningGateway;
let url: string;
let key: string;
let session: string;
let accountId: string;
const links: NatsClient[] = [];
const orderId = newId('order', Date.now());
const { payments: shown, ...order } = orderWithPayments.parse(orderExamples.getOrder.response);
/** The requests to the stand-ins, and for whom. */
const requested: { name: string; accountId: string; commandId: string; input: unknown }[] = [];
const billing = { away: false, payments: [] as PaymentResource[] };

beforeAll(async () => {
  nats = await createTestNats();
  database = await createMigratedDatabase('gateway', migrate);
  const noted = (name: string, input: unknown, context: { accountId: string; commandId: string }) =>
    requested.push({ name, input, accountId: context.accountId, commandId: context.commandId });
  const own = (given: { orderId?: string | undefined }, context: { accountId: string }) =>
    given.orderId === orderId && context.accountId === accountId;
  const checkout = [
    onRequest(getOrder, async (input, context) => {
      noted('order', input, context);
      if (!own(input, context)) throw new DomainError('order_not_found', 'No order has this id.');
      return { ...order, id: orderId };
    }),
    onRequest(refundOrder, async (input, context) => {
      noted('refund', input, context);
      if (!own(input, context)) throw new DomainError('order_not_found', 'No order has this id.');
      return { ok: true as const, orderId, status: 'refunded' as const, refundedCents: 6_800, detail: 'Given back.' };
    }),
  ];
  checkout.push(
    onRequest(releaseOrder, async (input, context) => {
      noted('release', input, context);
      if (!own(input, context)) throw new DomainError('order_not_found', 'No order has this id.');
      return { ok: true as const, orderId, status: 'released' as const, detail: 'Nothing was charged.' };
    }),
  );
  const ofBilling = [
    onRequest(listPayments, async (input, context) => {
      noted('payments', input, context);
      if (billing.away) throw new DomainError('service_unavailable', 'Billing is away.');
      return { data: own(input, context) || input.orderId === undefined ? billing.payments : [] };
    }),
    onRequest(listOrderPayments, async (input, context) => {
      noted('payments', input, context);
      if (billing.away) throw new DomainError('service_unavailable', 'Billing is away.');
      return { data: own(input, context) ? billing.payments : [], disputes: [] };
    }),
    onSimulatedSettings,
    onRequest(putPaymentProcessor, async (input, context) => {
      noted('processor', input, context);
      return {
        processor: input.body.processor,
        secrets: ['secretKey'],
        updated_at: '2026-11-20T09:00:00.000Z',
        version: 2,
        stripe: null,
      };
    }),
  ];
  links.push(await serveAs(nats, 'checkout', checkout), await serveAs(nats, 'billing', ofBilling));
  const env = { DATABASE_URL: database.url, ...nats.settings('gateway'), PORT: '0', KEY_PEPPER: 'p'.repeat(32) };
  const config = readConfig({ ...env, RATE_LIMIT_PER_MINUTE: '0' });
  gateway = await createGateway(config, { logger: silentLogger(), clock: new AdjustableClock(), passwordCost });
  ({ url } = gateway);
  ({ key, session, accountId } = await createSeller(url));
});
afterAll(async () => {
  await gateway.close();
  for (const link of links) await link.close();
  await database.close();
  await nats.close();
});
beforeEach(() => {
  requested.length = 0;
  billing.away = false;
  billing.payments = shown;
});

async function keyWith(scopes: string[]): Promise<string> {
  return (await send(url, 'POST', '/api/v1/api-keys', { session, body: { name: 'scoped', scopes } })).json.key;
}

async function tool(name: string, args: object, bearer = key) {
  const { text } = await send(url, 'POST', '/api/mcp', {
    key: bearer,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
  });
  return JSON.parse(text.startsWith('{') ? text : text.replace(/^[\s\S]*?^data: /m, '')).result;
}

const path = `/api/v1/orders/${orderId}`;

test('an order is read with its payments, oldest first, both of the caller’s own account', async () => {
  const [first] = shown as [PaymentResource];
  billing.payments = [first, { ...first, id: newId('payment', Date.now()), step: 'upsell' }];
  const { status, json } = await send(url, 'GET', path, { key });
  expect(status).toBe(200);
  expect(orderWithPayments.parse(json)).toEqual(json);
  expect(json.payments.map(({ step }: PaymentResource) => step)).toEqual(['main', 'upsell']);
  expect(requested.map(({ name, input, ...who }) => [name, input, who.accountId])).toEqual(
    expect.arrayContaining([
      ['order', { orderId }, accountId],
      ['payments', { orderId }, accountId],
    ]),
  );
});

test('a page learns within a second that checkouts are not answered, and when to retry', async () => {
  // The stand-in for checkout serves orders only.
  const checkout = `/api/checkout/${newId('checkout', Date.now())}`;
  const headers = { 'x-checkout-secret': 'A'.repeat(43), origin: 'https://shop.example' };
  for (const [method, at, body] of [
    ['GET', checkout, undefined],
    ['POST', `${checkout}/pay`, { paymentMethod: 'tok' }],
    ['POST', `${checkout}/continue`, undefined],
  ] as const) {
    const answer = await send(url, method, at, { headers, ...(body && { body }) });
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'service_unavailable', '1']);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  }
});

test('an unknown order is unknown, whether billing answers or not; a known one without its payments is 503', async () => {
  const stranger = await createSeller(url);
  for (const away of [false, true]) {
    billing.away = away;
    const theirs = await send(url, 'GET', path, { key: stranger.key });
    expect([theirs.status, theirs.json.code]).toEqual([404, 'order_not_found']);
  }
  expect((await send(url, 'GET', path, { key })).status).toBe(503);
});

test('a refund needs the scope money, and is one under its Idempotency-Key', async () => {
  const reading = await keyWith(['read', 'write']);
  const refused = await send(url, 'POST', `${path}/refund`, { key: reading });
  expect([refused.status, refused.json.code]).toEqual([403, 'insufficient_scope']);
  const headers = { 'idempotency-key': 'refund-1' };
  const first = await send(url, 'POST', `${path}/refund`, { key, headers, body: {} });
  const again = await send(url, 'POST', `${path}/refund`, { key, headers });
  expect(first.json).toEqual({ ok: true, orderId, status: 'refunded', refundedCents: 6_800, detail: 'Given back.' });
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
  expect(requested.filter(({ name }) => name === 'refund')).toHaveLength(1);
  const partly = await send(url, 'POST', `${path}/refund`, { key, body: { amountCents: 1 } });
  expect(partly.status).toBe(422);
  const stranger = await createSeller(url);
  const theirs = await send(url, 'POST', `${path}/refund`, { key: stranger.key });
  expect([theirs.status, theirs.json.code]).toEqual([404, 'order_not_found']);
});

test('the payment log is filtered by order, email and status, and refuses what it does not know', async () => {
  const list = (query: string) => send(url, 'GET', `/api/v1/payments${query}`, { key });
  expect((await list('')).json).toEqual({ data: shown });
  const given = `?orderId=${orderId}&email=maya@Example.com&status=declined&limit=5&before=${shown[0]?.id}`;
  expect((await list(given)).status).toBe(200);
  expect(requested.at(-1)?.input).toEqual({
    ...{ orderId, email: 'maya@example.com', status: 'declined' },
    ...{ limit: 5, before: shown[0]?.id },
  });
  const before = requested.length;
  for (const query of ['?orderId=1', '?email=x', '?status=paid', '?limit=101', '?before=ord_1', '?accountId=x']) {
    const { status, json } = await list(query);
    expect([query, status, json.errors[0].field]).toEqual([query, 422, query.slice(1, query.indexOf('='))]);
  }
  expect(requested.length).toBe(before);
  expect((await send(url, 'GET', '/api/v1/payments', { key: await keyWith(['write']) })).status).toBe(403);
});

test('a processor is read and chosen with the scope money, and its secret is never shown', async () => {
  const at = '/api/v1/payment-processor';
  const scoped = await keyWith(['read', 'write']);
  for (const [method, body] of [
    ['GET', undefined],
    ['PUT', { processor: 'simulated' }],
  ] as const) {
    const refused = await send(url, method, at, { key: scoped, ...(body && { body }) });
    expect([method, refused.status]).toEqual([method, 403]);
  }
  const secretKey = 'sk_of_the_processor';
  const put = await send(url, 'PUT', at, { key, body: { processor: 'simulated', secretKey } });
  expect([put.status, put.json.secrets]).toEqual([200, ['secretKey']]);
  expect(put.text).not.toContain(secretKey);
  expect(requested.at(-1)?.input).toEqual({ body: { processor: 'simulated', secretKey } });
  const read = await send(url, 'GET', at, { key });
  expect([read.json.processor, read.headers.etag, put.headers.etag]).toEqual(['simulated', '"1"', '"2"']);
  const headers = { 'if-match': '"1"' };
  await send(url, 'PUT', at, { key, headers, body: { processor: 'none' } });
  expect(requested.at(-1)?.input).toEqual({ body: { processor: 'none' }, ifVersion: 1 });
  const unknown = await send(url, 'PUT', at, { key, body: { processor: 'unknown' } });
  expect([unknown.status, unknown.json.errors[0].field]).toEqual([422, 'processor']);
});

test('the hold of an order is released by a key with the scope money, once for each idempotency key', async () => {
  const released = { ok: true, orderId, status: 'released', detail: 'Nothing was charged.' };
  const headers = { 'idempotency-key': 'release-1' };
  for (let time = 0; time < 2; time += 1) {
    const answer = await send(url, 'POST', `${path}/release`, { key, headers });
    expect([answer.status, answer.json]).toEqual([200, released]);
  }
  expect(requested).toMatchObject([{ name: 'release', input: { orderId }, accountId }]);
  const refused = await send(url, 'POST', `${path}/release`, { key: await keyWith(['read', 'write']) });
  expect([refused.status, refused.json.code]).toEqual([403, 'insufficient_scope']);
  const unknown = await send(url, 'POST', `/api/v1/orders/${newId('order', 0)}/release`, { key });
  expect(unknown.status).toBe(404);
});

// What a model sees before a refund or a release: mcp-confirmation.test.ts.
test('a model reads payments, refunds by no key that may only read, and no tool is for buyers', async () => {
  expect((await tool('list_payments', {})).structuredContent).toEqual({ data: shown });
  expect(requested.at(-1)?.input).toEqual({ limit: 10 });
  expect((await tool('refund_order', { orderId, confirm: true }, await keyWith(['read']))).isError).toBe(true);
  const listed = await send(url, 'POST', '/api/mcp', {
    key,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  });
  expect(listed.text).not.toMatch(/"name":"[a-z_]*(checkout|upsell)/);
});
