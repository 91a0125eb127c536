import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ApiDescription } from '@app/pages/developers/api-description';
import * as examples from '@app/pages/developers/client-samples';
import { placeholderUrl } from '@app/pages/developers/placeholder-url';
import { vector } from '@app/pages/developers/samples';
import { expect, onTestFinished, test, vi } from 'vitest';
import {
  Client,
  eventOf,
  isProblem,
  ProblemError,
  SignatureError,
  verify,
} from '../../../clients/typescript/client.ts';
import { operations } from '../src/api/operations/all-operations.ts';
import { clientSource } from '../src/client/client-source.ts';
import { openApiDocument } from '../src/openapi/document.ts';
import { send } from './http.ts';
import { startGateway, url } from './set-up.ts';

startGateway();

const root = join(import.meta.dirname, '../../..');
const committed = readFileSync(join(root, 'clients/typescript/client.ts'), 'utf8');

test('clients/typescript/client.ts is what the operations say (otherwise: npm run openapi)', () => {
  const baseUrl = 'http://127.0.0.1:3000';
  const api = JSON.parse(JSON.stringify(openApiDocument(operations, baseUrl))) as ApiDescription;
  expect(clientSource(api, baseUrl) === committed).toBe(true);
  const versionOf = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8')).version;
  expect(versionOf('clients/typescript/package.json')).toBe(versionOf('package.json'));
});

test('the deployment serves the same client, with its own address', async () => {
  const { status, headers, text } = await send(url, 'GET', '/developers/client.ts');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toBe(committed.replaceAll('http://127.0.0.1:3000', url));
});

test('the client and every example of its page compile with tsc --strict, and need nothing else', {
  timeout: 240_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'typed-client-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'client.ts'), (await send(url, 'GET', '/developers/client.ts')).text);
  const { text: page } = await send(url, 'GET', '/developers/client.md');
  const shown = [...page.matchAll(/```typescript\n([\s\S]*?)```/g)].map(([, example = '']) => example.trim());
  expect(shown.toSorted()).toEqual(
    Object.values(examples)
      .map((example) => example.replaceAll(placeholderUrl, url).trim())
      .toSorted(),
  );
  for (const [index, example] of shown.entries()) writeFileSync(join(folder, `example-${index}.ts`), example);
  const own = JSON.parse(readFileSync(join(root, 'clients/typescript/tsconfig.json'), 'utf8'));
  const compilerOptions = {
    ...own.compilerOptions,
    noEmit: true,
    declaration: false,
    allowImportingTsExtensions: true,
    types: ['node'],
    skipLibCheck: true,
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const tsc = join(root, 'node_modules/.bin/tsc');
  const { stdout } = await promisify(execFile)(tsc, ['-p', folder]).catch((err: { stdout: string }) => err);
  expect(stdout).toBe('');
  // What it must refuse, so that the check above can fail.
  writeFileSync(
    join(folder, 'wrong.ts'),
    "import { Client } from './client.ts';\nvoid new Client().getOrder({ order: 'ord_1' });\n",
  );
  const refused = await promisify(execFile)(tsc, ['-p', folder]).catch((err: { stdout: string }) => err);
  expect(refused.stdout).toMatch(/^wrong\.ts|\/wrong\.ts/);
});

interface Sent {
  readonly url: string;
  readonly init: RequestInit;
}

/** A deployment that answers these, in order, and what it was sent. */
function answering(
  ...answers: readonly (Error | { status: number; body: unknown; headers?: Record<string, string> })[]
) {
  const sent: Sent[] = [];
  const client = new Client({
    baseUrl: 'https://shop.example/',
    key: 'fnl_key',
    fetch: async (address, init = {}) => {
      const answer = answers[sent.push({ url: String(address), init }) - 1];
      if (answer === undefined || answer instanceof Error) throw answer ?? new Error('one request too many');
      const headers = { 'content-type': 'application/json', ...answer.headers };
      return new Response(JSON.stringify(answer.body), { status: answer.status, headers });
    },
  });
  return { client, sent, headersOf: (at: number) => sent[at]?.init.headers as Record<string, string> };
}
const created = { status: 200, body: { ok: true, orderId: 'ord_1', totalCents: 4_900 } };
const busy = { status: 503, body: { code: 'service_unavailable', detail: 'Later.' }, headers: { 'retry-after': '0' } };
const order = { body: { productSlug: 'course', email: 'ada@example.com' } };

test('a POST whose answer got lost is sent again under the same key, and has one effect', async () => {
  const { client, sent, headersOf } = answering(new TypeError('reset'), busy, created);
  expect(await client.createOrder(order)).toEqual(created.body);
  expect(sent.map((each) => each.url)).toEqual(Array(3).fill('https://shop.example/api/v1/orders'));
  expect(headersOf(0)).toMatchObject({ authorization: 'Bearer fnl_key', 'content-type': 'application/json' });
  expect(headersOf(0)['idempotency-key']).toMatch(/^[\x21-\x7e]{1,255}$/);
  expect(new Set([0, 1, 2].map((at) => headersOf(at)['idempotency-key'])).size).toBe(1);
  const own = answering(created);
  await own.client.createOrder(order, { idempotencyKey: 'order-1001' });
  expect(own.headersOf(0)['idempotency-key']).toBe('order-1001');
});

test('an answer that breaks off is one that got lost', async () => {
  const broken = () =>
    new Response(
      new ReadableStream({
        pull: (body) => body.error(new TypeError('terminated')),
      }),
    );
  const keys: unknown[] = [];
  const shop = new Client({
    fetch: async (_, { headers } = {}) => {
      const attempt = keys.push((headers as Record<string, string>)['idempotency-key']);
      return attempt === 1 ? broken() : Response.json(created.body);
    },
  });
  expect(await shop.createOrder(order)).toEqual(created.body);
  expect(keys).toEqual([expect.any(String), keys[0]]);
});

test('a call that its program gives up does not wait for its next attempt', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const given = new AbortController();
  const shop = new Client({
    fetch: async () => {
      given.abort(new Error('given up'));
      return Response.json(busy.body, { status: 503, headers: { 'retry-after': '30' } });
    },
  });
  await expect(shop.createOrder(order, { signal: given.signal })).rejects.toThrow('given up');
});

test('what cannot be repeated safely is not sent again: a change from a version, and a POST without a key', async () => {
  const change = answering(new TypeError('reset'));
  const update = { productId: 'prd_1', body: { name: 'New' } };
  await expect(change.client.updateProduct(update, { ifVersion: 3 })).rejects.toThrow('reset');
  expect(change.headersOf(0)['if-match']).toBe('"3"');
  const link = answering({ status: 500, body: { code: 'internal', detail: 'Broken.' } });
  await expect(link.client.requestPortalLink({ body: { handle: 'shop', email: 'ada@example.com' } })).rejects.toThrow(
    'Broken.',
  );
});

test('a refusal is a typed error, at once, with what the problem document says', async () => {
  const problem = {
    code: 'validation_failed',
    title: 'T',
    detail: 'email is no address.',
    requestId: 'r1',
    errors: [{ field: 'email', code: 'invalid_format', message: 'is no address' }],
  };
  const { client } = answering({ status: 422, body: problem });
  const err = await client.createOrder(order).catch((thrown: unknown) => thrown);
  expect(err).toBeInstanceOf(ProblemError);
  expect(isProblem(err, 'validation_failed')).toBe(true);
  expect(isProblem(err, 'order_not_found')).toBe(false);
  expect(err).toMatchObject({ status: 422, message: problem.detail, errors: problem.errors, requestId: 'r1' });
  const proxy = answering({ status: 404, body: 'no such page' });
  expect(await proxy.client.getOrder({ orderId: 'ord/1' }).catch((thrown: unknown) => thrown)).toMatchObject({
    status: 404,
    code: '',
  });
  expect(proxy.sent[0]?.url).toBe('https://shop.example/api/v1/orders/ord%2F1');
});

test('lists are read to their end, a page at a time', async () => {
  const page = (ids: string[], has_more: boolean) => ({
    status: 200,
    body: { data: ids.map((id) => ({ id })), has_more },
  });
  const { client, sent } = answering(page(['ord_3', 'ord_2'], true), page(['ord_1'], false));
  const ids: string[] = [];
  for await (const { id } of client.iterateOrders({ query: { status: 'paid', limit: 2 } })) ids.push(id);
  expect(ids).toEqual(['ord_3', 'ord_2', 'ord_1']);
  expect(sent.map((each) => new URL(each.url).search)).toEqual([
    '?limit=2&status=paid',
    '?limit=2&status=paid&before=ord_2',
  ]);
  const log = answering(page(['evt_1'], true), page(['evt_2'], false));
  for await (const { id } of log.client.iterateEvents()) ids.push(id);
  expect(ids.slice(3)).toEqual(['evt_1', 'evt_2']);
  expect(new URL(log.sent[1]?.url ?? '').search).toBe('?limit=100&after=evt_1');
});

const headers = {
  'webhook-id': vector.id,
  'webhook-timestamp': vector.timestamp,
  'webhook-signature': vector.signature,
};
const nowMs = Number(vector.timestamp) * 1000;

test('verify returns the event of a delivery of ours, and refuses every other', async () => {
  const event = await verify(vector.body, headers, vector.secret, { nowMs });
  expect(event).toMatchObject({ name: 'order.paid', id: vector.id, isTest: false, payload: { totalCents: 6_800 } });
  const bytes = new TextEncoder().encode(vector.body);
  const web = new Headers({ ...headers, 'x-service-test': '1' });
  expect(await verify(bytes, web, ['whsec_b3RoZXI=', vector.secret], { nowMs })).toMatchObject({ isTest: true });
  for (const [body, given, secret, at, reason] of [
    [`${vector.body} `, headers, vector.secret, nowMs, 'wrong_signature'],
    [vector.body, headers, 'whsec_b3RoZXI=', nowMs, 'wrong_signature'],
    [vector.body, { ...headers, 'webhook-signature': 'v1,AAAA' }, vector.secret, nowMs, 'wrong_signature'],
    [vector.body, headers, vector.secret, nowMs + 301_000, 'wrong_time'],
    [vector.body, { ...headers, 'webhook-timestamp': 'x' }, vector.secret, nowMs, 'wrong_time'],
    [vector.body, {}, vector.secret, nowMs, 'missing_header'],
  ] as const) {
    const err = await verify(body, given, secret, { nowMs: at }).catch((thrown: unknown) => thrown);
    expect(err).toBeInstanceOf(SignatureError);
    expect(err).toMatchObject({ reason });
  }
});

test('an event of a newer version is kept as it came', () => {
  const payload = { event: 'order.shipped', parcel: 7 };
  expect(eventOf({ id: 'evt_1', test: false, event: 'order.shipped', payload })).toEqual({
    name: 'unknown',
    event: 'order.shipped',
    id: 'evt_1',
    isTest: false,
    payload,
  });
  expect(eventOf({ id: 'evt_1', test: false, event: 'order.paid', payload: null })).toBe(null);
});
