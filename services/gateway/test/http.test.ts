import { connect } from 'node:net';
import { connectionChanged } from '@app/messaging/points';
import { createNatsServer } from '@app/testing/nats';
import { listen } from '@app/testing/points';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { fullDiskMet } from '../src/points/points.ts';
import { createHarness, createSeller, platformKey, sureHealth } from './harness.ts';
import { type Sent, send, type ToSend } from './http.ts';
import { exchange } from './raw-http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway({ CLOCK_CONTROL: 'enabled' });
let key: string;
beforeAll(async () => {
  ({ key } = await createSeller(url));
});
beforeEach(() => {
  harness.forget();
});

function expectProblem(answer: Sent, status: number, code: string, at = url): void {
  expect([answer.status, answer.json?.code, answer.headers['content-type']]).toEqual([
    status,
    code,
    'application/problem+json',
  ]);
  expect(answer.json).toMatchObject({
    type: `${at}/developers/errors#${code}`,
    title: expect.any(String),
    detail: expect.any(String),
    status,
    requestId: answer.headers['x-request-id'],
  });
}

test('an order goes to the checkout service with the account’s settings and comes back as it was answered', async () => {
  const answer = await send(url, 'POST', '/api/v1/orders', {
    key,
    body: { productSlug: 'course', email: 'ada@Example.com' },
  });
  expect(answer.json).toEqual({ ok: true, orderId: `ord_${harness.placed[0]?.commandId}`, totalCents: 100 });
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  expect(harness.placed[0]).toMatchObject({
    accountId: expect.stringMatching(/^acc_/),
    requestId: answer.headers['x-request-id'],
  });
});

test('a service’s answer is passed on byte for byte', async () => {
  expect((await send(url, 'GET', '/api/v1/orders?limit=5', { key })).text).toBe('{ "data" : [] }');
  expect(harness.requested.at(-1)).toEqual({ limit: 5 });
});

test('the caller’s request id is kept when it is sane, and every answer has one', async () => {
  const idOf = async (given: string) =>
    (await send(url, 'GET', '/nowhere', { headers: { 'x-request-id': given } })).headers['x-request-id'];
  expect(await idOf('Order-42_a.b')).toBe('Order-42_a.b');
  for (const insane of ['', 'a b', 'x'.repeat(129), 'a;b', '\u00e9'])
    expect(await idOf(insane)).toMatch(/^[0-9a-z]{26}$/);
});

const securityHeaders = {
  'x-request-id': expect.any(String),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

test('every answer carries the security headers', async () => {
  for (const path of ['/', '/healthz', '/nowhere', '/api/v1/orders', '/%']) {
    expect((await send(url, 'GET', path)).headers, path).toMatchObject(securityHeaders);
  }
});

test('where the public address is HTTPS, browsers are kept to it and cookies are secure', async () => {
  const secure = await harness.start({ PUBLIC_URL: 'https://shop.example/' });
  const { headers, json } = await send(secure.url, 'GET', '/api/v1/orders');
  expect([headers['strict-transport-security'], json.type]).toEqual([
    'max-age=31536000',
    'https://shop.example/developers/errors#unauthorized',
  ]);
  const signedUp = await send(secure.url, 'POST', '/api/auth/signup', {
    body: { email: 's@example.com', password: 'a long password', name: 'S' },
  });
  expect(signedUp.headers['set-cookie']?.[0]).toMatch(/; Secure$/);
});

const json = { 'content-type': 'application/json' };
const malformed: Array<[string, string, string, ToSend, number, string]> = [
  ['broken JSON', 'POST', '/api/v1/orders', { raw: '{"a":' }, 400, 'malformed_json'],
  ['text that is no JSON', 'POST', '/api/v1/orders', { raw: 'hello' }, 400, 'malformed_json'],
  [
    'bytes that are no UTF-8',
    'POST',
    '/api/v1/orders',
    { raw: Buffer.from([0x22, 0xff, 0xfe, 0x22]) },
    400,
    'malformed_json',
  ],
  ['an array', 'POST', '/api/v1/orders', { body: [] }, 422, 'validation_failed'],
  ['null', 'POST', '/api/v1/orders', { body: null }, 422, 'validation_failed'],
  ['a number', 'POST', '/api/v1/orders', { raw: '1e400' }, 422, 'validation_failed'],
  ['nesting without end', 'POST', '/api/v1/orders', { raw: '['.repeat(100_000) }, 400, 'malformed_json'],
  ['deep nesting', 'POST', '/api/v1/orders', { raw: '['.repeat(5_000) + ']'.repeat(5_000) }, 400, 'malformed_json'],
  ['no body', 'POST', '/api/v1/orders', {}, 422, 'validation_failed'],
  ['an empty body', 'POST', '/api/v1/orders', { raw: '' }, 422, 'validation_failed'],
  [
    'unknown fields',
    'POST',
    '/api/v1/orders',
    { body: { productSlug: 'a', email: 'a@example.com', prductSlug: 1 } },
    422,
    'validation_failed',
  ],
  [
    'NUL in a field',
    'POST',
    '/api/v1/orders',
    { body: { productSlug: 'a', email: 'a@example.com', name: 'a\u0000b' } },
    422,
    'validation_failed',
  ],
  [
    'a lone surrogate',
    'POST',
    '/api/v1/orders',
    { raw: '{"productSlug":"a","email":"a@example.com","name":"\\ud800"}' },
    422,
    'validation_failed',
  ],
  [
    'NUL in a bump id',
    'POST',
    '/api/v1/orders',
    { body: { productSlug: 'a', email: 'a@example.com', bumpIds: ['\u0000'] } },
    422,
    'validation_failed',
  ],
  [
    'a body too large',
    'POST',
    '/api/v1/orders',
    { raw: `{"name":"${'x'.repeat(300_000)}"}` },
    413,
    'payload_too_large',
  ],
  [
    'another content type',
    'POST',
    '/api/v1/orders',
    { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    415,
    'unsupported_media_type',
  ],
  [
    'no content type',
    'POST',
    '/api/v1/orders',
    { raw: '{}', headers: { 'content-type': '' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a nonsensical content type',
    'POST',
    '/api/v1/orders',
    { raw: '{}', headers: { 'content-type': ';;;' } },
    415,
    'unsupported_media_type',
  ],
  [
    'a compressed body',
    'POST',
    '/api/v1/orders',
    { raw: '{}', headers: { ...json, 'content-encoding': 'gzip' } },
    415,
    'unsupported_media_type',
  ],
  ['an Accept without JSON', 'GET', '/api/v1/orders', { headers: { accept: 'text/html' } }, 406, 'not_acceptable'],
  ['a broken escape in the path', 'GET', '/api/v1/orders/%zz', {}, 400, 'malformed_request'],
  ['an escape that is no UTF-8', 'GET', '/api/v1/orders/%ff', {}, 400, 'malformed_request'],
  ['NUL in a path', 'GET', '/api/v1/orders/%00', {}, 404, 'order_not_found'],
  ['a surrogate in a path', 'GET', '/api/v1/orders/%ED%A0%80', {}, 400, 'malformed_request'],
  ['a long id', 'GET', `/api/v1/orders/${'x'.repeat(2_000)}`, {}, 404, 'order_not_found'],
  ['an id with letters that ids never have', 'GET', `/api/v1/orders/ord_${'u'.repeat(26)}`, {}, 404, 'order_not_found'],
  ['an id of another kind', 'GET', `/api/metrics/ord_${'0'.repeat(26)}`, {}, 404, 'product_not_found'],
  ['an affiliate code that is none', 'GET', '/api/v1/affiliates/a%20b/commissions', {}, 404, 'affiliate_not_found'],
  ['an unknown query parameter', 'GET', '/api/v1/orders?page=2', {}, 422, 'validation_failed'],
  ['one where none is taken', 'GET', '/api/v1/settings?limit=2', {}, 422, 'validation_failed'],
  ['one of a POST', 'POST', '/api/v1/orders?dry=1', { body: {} }, 422, 'validation_failed'],
  ['a bad limit', 'GET', '/api/v1/orders?limit=1000', {}, 422, 'validation_failed'],
  ['a limit given twice', 'GET', '/api/v1/orders?limit=1&limit=2', {}, 422, 'validation_failed'],
  ['a cursor given twice', 'GET', '/api/v1/orders?before=a&before=b', {}, 422, 'validation_failed'],
  ['NUL in a query', 'GET', '/api/v1/orders?before=%00', {}, 422, 'validation_failed'],
  [
    'a password of NULs',
    'POST',
    '/api/auth/login',
    { body: { email: 'a@example.com', password: '\u0000' } },
    422,
    'validation_failed',
  ],
  ['an unknown path', 'GET', '/api/v2/orders', {}, 404, 'not_found'],
  ['a wrong method', 'PUT', '/api/v1/orders', {}, 405, 'method_not_allowed'],
  ['an uncommon method', 'PROPFIND', '/api/v1/orders', {}, 405, 'method_not_allowed'],
];

test.each(malformed)('%s: %s %s', async (_, method, path, what, status, code) => {
  expectProblem(await send(url, method, path, { key, ...what }), status, code);
  expect(harness.placed).toHaveLength(0);
});

test('field errors name the field, what is wrong and a stable code', async () => {
  const { json: problem } = await send(url, 'POST', '/api/v1/orders', { key, body: { email: 'x', nmae: 'Ada' } });
  expect(problem.errors).toEqual([
    { field: 'productSlug', code: 'required', message: 'is required' },
    { field: 'email', code: 'invalid_format', message: 'must be an email address' },
    {
      field: 'nmae',
      code: 'unknown_field',
      message: expect.stringMatching(/^is not a known field; known: productSlug, /),
    },
  ]);
  expect(problem.detail).toBe('3 fields are invalid: productSlug, email and nmae.');
  const one = await send(url, 'POST', '/api/v1/orders', { key, body: { email: 'ada@example.com' } });
  expect(one.json.detail).toBe('productSlug is required.');
  const query = await send(url, 'GET', '/api/v1/orders?page=2', { key });
  expect(query.json.detail).toBe(
    'page is not a known query parameter; known: limit, before, q, status, productId, from, to, dispute, affiliateCode.',
  );
  const none = await send(url, 'GET', '/api/v1/settings?limit=2', { key });
  expect(none.json.detail).toBe('limit is not a known query parameter; there are none here.');
});

test('a quarter of a megabyte of nonsense gets an answer of a few kilobytes', async () => {
  const body = { url: 'https://example.com', events: Array(120_000).fill(0) };
  const refused = await send(url, 'PUT', '/api/v1/webhook-endpoint', { key, body });
  expectProblem(refused, 422, 'validation_failed');
  expect(refused.json.errors[0]).toMatchObject({ field: 'events', message: 'must have at most 100 items' });
  const wrong = await send(url, 'PUT', '/api/v1/webhook-endpoint', {
    key,
    body: { ...body, events: Array(100).fill(0) },
  });
  expect([wrong.json.errors.length, wrong.json.detail]).toEqual([
    50,
    '100 fields are invalid: events.0, events.1, events.2, events.3, events.4 and 95 more.',
  ]);
  for (const { text } of [refused, wrong]) expect(text.length).toBeLessThan(20_000);
});

test('HEAD is GET without the body; OPTIONS and 405 name the methods; the root leads to the developer page', async () => {
  const head = await send(url, 'HEAD', '/api/v1/orders', { key });
  expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', '15']);
  const options = await send(url, 'OPTIONS', '/api/v1/orders');
  expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  expect((await send(url, 'DELETE', '/api/v1/orders', { key })).headers.allow).toBe('GET, HEAD, POST, OPTIONS');
  const root = await send(url, 'GET', '/');
  expect([root.status, root.headers.location]).toEqual([303, '/app']);
});

test.each([
  ['no HTTP', 'nonsense\r\n\r\n'],
  ['a length that is none', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n'],
  ['no Host', 'GET /api/v1/orders HTTP/1.1\r\nConnection: close\r\n\r\n'],
])('%s is answered as every malformed request is, and the connection is closed', async (_, text) => {
  const answer = await exchange(url, text);
  expectProblem(answer, 400, 'malformed_request');
  expect(answer.headers).toMatchObject(securityHeaders);
});

test('headers that are too large are refused as that', async () => {
  const answer = await exchange(url, `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`);
  expectProblem(answer, 431, 'headers_too_large');
  expect(answer.headers).toMatchObject(securityHeaders);
});

test('an expectation that cannot be met is refused; 100-continue is met', async () => {
  const expecting = (expect: string) => send(url, 'POST', '/api/cron/daily', { key, headers: { expect }, raw: '{}' });
  expectProblem(await expecting('foo'), 400, 'malformed_request');
  expect((await expecting('100-continue')).status).toBe(200);
});

test('names of JavaScript’s own are fields like any other: unknown, and without effect', async () => {
  const fields = ['__proto__', 'constructor', 'prototype', 'toString'];
  for (const field of fields) {
    for (const value of ['{"admin":true}', '{"prototype":{"admin":true}}', 'null']) {
      const body = `{"productSlug":"a","email":"a@example.com","${field}":${value}}`;
      const answer = await send(url, 'POST', '/api/v1/orders', { key, raw: body });
      expectProblem(answer, 422, 'validation_failed');
      expect(answer.json.errors).toMatchObject([{ field, code: 'unknown_field' }]);
    }
  }
  expect(Object.hasOwn(Object.prototype, 'admin')).toBe(false);
  expect(harness.placed).toHaveLength(0);
});

test.each([
  ['POST', '/api/cron/daily'],
  ['POST', '/api/auth/logout'],
])('%s %s has no fields: one that is sent is refused by its name', async (method, path) => {
  const { session } = await createSeller(url);
  const answer = await send(url, method, path, { session, body: { dryRun: true } });
  expectProblem(answer, 422, 'validation_failed');
  expect(answer.json.errors).toEqual([expect.objectContaining({ field: 'dryRun', code: 'unknown_field' })]);
  expectProblem(await send(url, method, path, { session, body: [] }), 422, 'validation_failed');
  expect((await send(url, method, path, { session, body: {} })).status).toBe(200);
});

test('a product cannot begin archived', async () => {
  const body = { name: 'Old', slug: 'old', priceCents: 100, pricingType: 'onetime', status: 'archived' };
  const answer = await send(url, 'POST', '/api/v1/products', { key, body });
  expectProblem(answer, 422, 'validation_failed');
  expect(answer.json.errors).toEqual([expect.objectContaining({ field: 'status', code: 'unknown_value' })]);
});

test('a job without a body takes whatever a simple client sends along', async () => {
  for (const what of [
    {},
    { raw: '', headers: { 'content-type': 'application/x-www-form-urlencoded' } },
    { raw: '', headers: json },
    { body: {} },
  ]) {
    expect((await send(url, 'POST', '/api/cron/daily', { key, ...what })).status).toBe(200);
  }
});

test('hundreds of clients that say nothing stop no other client', async () => {
  const small = await harness.start({ MAX_CONNECTIONS: '40' });
  const { hostname, port } = new URL(small.url);
  const silent = Array.from({ length: 300 }, () =>
    connect({ host: hostname, port: Number(port), allowHalfOpen: true }).on('error', () => undefined),
  );
  await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
  for (let i = 0; i < 50; i++) expect((await send(small.url, 'GET', '/api/v1/orders', { key })).status).toBe(200);
  for (const socket of silent) socket.destroy();
});

/** So long a service may give no sign before its caller pings it. */
const silentMs = 2_000;

test('a service that is down is reported sooner than one that hangs', async () => {
  const beganMs = performance.now();
  const down = await send(url, 'GET', '/api/v1/activity', { key });
  expect(performance.now() - beganMs).toBeLessThan(silentMs);
  expectProblem(down, 503, 'service_unavailable');
  expect(down.headers['retry-after']).toBe('1');
});

test('while NATS is away the answer is 503 and no hang, and readiness says why', async () => {
  const nats = await createNatsServer();
  const own = await createHarness(nats);
  try {
    const gateway = await own.start();
    const seller = await createSeller(gateway.url);
    const as = (method: string, path: string, body?: unknown) =>
      send(gateway.url, method, path, { key: seller.key, ...(body === undefined ? {} : { body }) });
    const { announced } = listen();
    await nats.kill();
    await announced(connectionChanged, ({ service, up }) => service === 'gateway' && !up);
    const order = { productSlug: 'a', email: 'a@example.com' };
    expectProblem(await as('POST', '/api/v1/orders', order), 503, 'service_unavailable', gateway.url);
    const ready = await send(gateway.url, 'GET', '/readyz');
    expect([ready.status, ready.json.missing]).toEqual([503, ['nats']]);
    await nats.start();
    // Each stand-in has a connection of its own, and comes back when that does.
    for (const service of ['gateway', 'checkout', 'catalog', 'billing'])
      await announced(connectionChanged, (changed) => changed.up && changed.service === service);
    expect((await as('GET', '/api/v1/orders')).status).toBe(200);
    expect((await as('GET', '/api/v1/products')).status).toBe(200);
    expect((await as('POST', '/api/cron/daily')).status).toBe(200);
  } finally {
    await own.close();
  }
});

test('a fault of an unknown kind has a fixed text', async () => {
  const { place } = harness.orders;
  harness.orders.place = async () => {
    throw new Error('select secret from table');
  };
  const failed = await send(url, 'POST', '/api/v1/orders', { key, body: { productSlug: 'a', email: 'a@example.com' } });
  harness.orders.place = place;
  expectProblem(failed, 500, 'internal');
  expect(failed.text).not.toContain('secret');
});

test('health needs no key; readiness names the services that do not answer, and stays in rotation', async () => {
  expect((await send(url, 'GET', '/healthz')).json).toEqual({ status: 'ok' });
  const gateway = await harness.start({}, { healthTimes: sureHealth });
  const ready = async () => {
    const { status, json } = await send(gateway.url, 'GET', '/readyz');
    return { http: status, ...json };
  };
  expect(await ready()).toEqual({ http: 200, status: 'degraded', missing: ['affiliate', 'metrics'] });
  await harness.standIn('metrics');
  expect(await ready()).toEqual({ http: 200, status: 'degraded', missing: ['affiliate'] });
  await harness.standIn('affiliate');
  expect(await ready()).toEqual({ http: 200, status: 'ok', missing: [] });
});

test('a request that met a full disk of any database says so, and readiness does for a while', async () => {
  const { place } = harness.orders;
  const full = Object.assign(new Error('could not extend file'), { code: '53100' });
  const [remembering, forgetting] = [
    await harness.start({}, { healthTimes: sureHealth }),
    await harness.start({}, { healthTimes: { ...sureHealth, refusalMs: 0 } }),
  ];
  const warnings = async (gateway: { readonly url: string }) =>
    (await send(gateway.url, 'GET', '/readyz')).json.warnings ?? [];
  expect(await warnings(remembering)).toEqual([]);
  harness.orders.place = async () => {
    throw full;
  };
  const { announced } = listen();
  const body = { productSlug: 'a', email: 'a@example.com' };
  for (const { url: base } of [remembering, forgetting]) {
    const { status, json } = await send(base, 'POST', '/api/v1/orders', { key, body });
    expect([status, json.detail]).toEqual([503, expect.stringContaining('disk of a database is full')]);
  }
  harness.orders.place = place;
  await announced(fullDiskMet, () => true, 2);
  expect(await warnings(remembering)).toEqual(['the disk of a database is full: writes are refused']);
  expect(await warnings(forgetting)).toEqual([]);
});

test('the platform key runs the daily job and moves the clock, and nothing else', async () => {
  const as = (method: string, path: string, body?: unknown) =>
    send(url, method, path, { key: platformKey, ...(body === undefined ? {} : { body }) });
  expect((await as('POST', '/api/cron/daily')).status).toBe(200);
  expect(harness.requested.at(-1)).toEqual({ accountId: null, force: false });
  expectProblem(await as('GET', '/api/v1/orders'), 403, 'insufficient_scope');
  expect((await as('PUT', '/api/dev/clock', { now: '2030-01-31T00:00:00+01:00' })).json.now).toMatch(
    /^2030-01-30T23:00:00\.\d{3}Z$/,
  );
  expect((await as('PUT', '/api/dev/clock', { advance: 'P3D' })).json.now).toMatch(/^2030-02-02T23:0/);
  expect((await as('GET', '/api/dev/clock')).json.now).toMatch(/^2030-02-02/);
  for (const body of [{ advance: 'P1M' }, { now: 'soon' }, {}, { now: '9999-01-01T00:00:00Z' }]) {
    expectProblem(await as('PUT', '/api/dev/clock', body), 422, 'validation_failed');
  }
  expectProblem(await send(url, 'PUT', '/api/dev/clock', { key, body: { advance: 'P1D' } }), 403, 'insufficient_scope');
  expect(Math.abs(Date.parse((await as('DELETE', '/api/dev/clock')).json.now) - Date.now())).toBeLessThan(60_000);
  const production = await harness.start();
  expect((await send(production.url, 'GET', '/api/dev/clock', { key: platformKey })).status).toBe(404);
});
