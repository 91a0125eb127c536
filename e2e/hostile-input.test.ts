import type { ServiceName } from '@app/contracts/services';
import { operations } from '@app/gateway/operations';
import { volume } from '@app/testing/long';
import { query } from '@app/testing/sql';
import { beforeAll, expect, test } from 'vitest';
import { portalSession } from './support/portal-session.ts';
import { type Answer, addProduct } from './support/seller.ts';
import { platform, seller, signUpSeller } from './support/set-up.ts';

/** Guarantee: whatever comes in, the answer is a problem document with the right status, never a 5xx, and nothing is recorded. */
signUpSeller();

let product: { productId: string; slug: string; bumpId: string };

beforeAll(async () => {
  product = await addProduct(seller);
});

/** Of the seller alone: other tests use the same databases. */
const ownRows = (service: ServiceName, table: string) =>
  query(platform.databaseUrl(service), `select * from ${table} where account_id = $1`, [seller.accountId]);

function expectProblem(label: string, answer: Answer, statuses: number[]): void {
  expect([label, answer.status, statuses.includes(answer.status)]).toEqual([label, answer.status, true]);
  expect([label, answer.headers.get('content-type')]).toEqual([label, 'application/problem+json']);
  expect(answer.json).toMatchObject({
    status: answer.status,
    type: expect.any(String),
    title: expect.any(String),
    code: expect.any(String),
  });
  expect(answer.json.requestId).toBe(answer.headers.get('x-request-id'));
}

const order = (change: object) => ({ productSlug: product.slug, email: 'a@example.com', ...change });

const badOrders = (): [string, unknown, number, string?][] => [
  ['malformed JSON', '{"productSlug": ', 400],
  ['JSON cut in a string', '"', 400],
  ['no object', '[]', 422],
  ['null', 'null', 422],
  ['a number', '1e999', 422],
  ['nothing', {}, 422, 'productSlug'],
  ['slug of the wrong type', order({ productSlug: 7 }), 422, 'productSlug'],
  ['email of the wrong type', order({ email: ['a@example.com'] }), 422, 'email'],
  ['malformed email', order({ email: 'a@b' }), 422, 'email'],
  ['email with a line break', order({ email: 'a@example.com\r\nbcc: b@example.com' }), 422, 'email'],
  ['unknown field', order({ emial: 'x' }), 422, 'emial'],
  [
    'unknown prototype field',
    `{"productSlug":"course","email":"a@example.com","__proto__":{"test":true}}`,
    422,
    '__proto__',
  ],
  ['NUL in the name', order({ name: 'a\u0000b' }), 422, 'name'],
  ['lone surrogate in the name', `{"productSlug":"course","email":"a@example.com","name":"\\ud800"}`, 422, 'name'],
  ['NUL in a bump id', order({ bumpIds: ['bmp_\u0000'] }), 422],
  ['name too long', order({ name: 'x'.repeat(201) }), 422, 'name'],
  ['51 bump ids', order({ bumpIds: Array.from({ length: 51 }, () => product.bumpId) }), 422, 'bumpIds'],
  ['unknown bump', order({ bumpIds: ['bmp_01m7xft13ne0wattr3dpc56bw9'] }), 422, 'bumpIds.0'],
  ['unknown slug', order({ productSlug: 'nothing-here' }), 422, 'productSlug'],
  ['unknown country', order({ country: 'ZZ' }), 422, 'country'],
  ['unknown discount', order({ discountCode: 'NOPE' }), 422, 'discountCode'],
  ['test of the wrong type', order({ test: 'yes' }), 422, 'test'],
  ['a body of a megabyte', order({ name: 'x'.repeat(1_000_000) }), 413],
  ['deep nesting', `{"productSlug":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 400],
];

test('a bad order is refused with its status and field, and nothing is recorded', async () => {
  for (const [label, body, status, field] of badOrders()) {
    const answer = await seller.call('POST', '/api/v1/orders', { body });
    expectProblem(label, answer, [status]);
    if (field !== undefined) {
      const fields = (answer.json.errors as { field: string }[]).map((error) => error.field);
      expect([label, fields.includes(field)]).toEqual([label, true]);
    }
  }
  expect(await ownRows('checkout', 'orders')).toEqual([]);
  const events = await query(platform.databaseUrl('checkout'), 'select from outbox where payload::text like $1', [
    `%${seller.accountId}%`,
  ]);
  expect(events).toEqual([]);
});

test('other media types, methods and addresses have their own statuses', async () => {
  const text = { body: 'productSlug=course', headers: { 'content-type': 'text/plain' } };
  expectProblem('text body', await seller.call('POST', '/api/v1/orders', text), [415]);
  expectProblem('wrong method', await seller.call('DELETE', '/api/v1/orders'), [405]);
  expectProblem('unknown address', await seller.call('GET', '/api/v1/nothing'), [404]);
  expectProblem(
    'unacceptable',
    await seller.call('GET', '/api/v1/orders', { headers: { accept: 'image/png' } }),
    [406],
  );
});

const hostileIds = [
  '%00',
  '%ED%A0%80',
  '..%2f..%2fetc',
  'ord_',
  "1'%20or%20'1'='1",
  'x'.repeat(500),
  '%F0%9F%92%A9',
  'null',
  '-1',
  '%',
];
const hostileBodies = [
  '{',
  '[]',
  '{"a":1}',
  '{"name":"\\u0000","headline":"\\ud800"}',
  '{"priceCents":1e400}',
  '{"priceCents":-1,"position":0.5}',
  'null',
  '""',
];

/** Whether every id is sent with every body, or each with one. */
const isEveryPair = volume(0, 1) === 1;

/**
 * Every operation with a path parameter or a body, with every hostile value.
 * @param checkoutId of the checkout whose secret goes along: its own path is called with every hostile body
 */
function hostileCalls(checkoutId: string): { method: string; path: string; body: string | undefined }[] {
  return (
    operations
      // The session is for the others.
      .filter(({ id, auth }) => ['account', 'visitor', 'buyer', 'portal'].includes(auth) && id !== 'closePortal')
      .flatMap(({ method, path, body, auth }) => {
        const ids = auth === 'buyer' ? [...hostileIds, checkoutId] : hostileIds;
        const paths = path.includes('{') ? ids.map((id) => path.replace(/\{\w+\}/g, id)) : [path];
        const bodies = body === undefined ? [undefined] : hostileBodies;
        const longer = Math.max(paths.length, bodies.length);
        if (isEveryPair) return paths.flatMap((filled) => bodies.map((text) => ({ method, path: filled, body: text })));
        return Array.from({ length: longer }, (_, n) => ({
          ...{ method, path: paths[n % paths.length] as string, body: bodies[n % bodies.length] },
        }));
      })
  );
}

test('no operation answers hostile ids and bodies with a 5xx', async () => {
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const opened = await seller.call('POST', '/api/checkout', { body: { handle, slug: product.slug } });
  const portal = await portalSession(platform, seller.accountId, { email: 'a@example.com' });
  const headers = { 'x-checkout-secret': opened.json.secret, 'x-portal-session': portal };
  for (const { method, path, body } of hostileCalls(opened.json.id)) {
    const answer = await seller.call(method, path, { headers, ...(body === undefined ? {} : { body }) });
    const label = `${method} ${path} ${body ?? ''}`;
    expect([label, answer.status < 500]).toEqual([label, true]);
    if (answer.status >= 400) expectProblem(label, answer, [400, 404, 405, 409, 413, 414, 415, 422]);
  }
});

const hostileQueries = [
  '',
  'metric=orders&metric=views',
  'metric=toString',
  'metric=__proto__',
  'metric=churn',
  'metric=orders&month=2026-13',
  'metric=orders&month=2026-1',
  'metric=churn&month=9999-12',
  'metric=orders&month=2026-01-01',
  'metric=orders&month=%00',
  'metric=orders&month=-infinity',
  'metric=orders&limit=0',
  'metric=orders&limit=1e9',
  'metric=orders&limit=NaN',
  'metric=orders&after=%00',
  'metric=orders&after=evt_nothing',
  "metric=orders&after='%20or%20true",
  `metric=orders&after=${'x'.repeat(500)}`,
  'metric=orders&wanted=1',
];

test('no hostile query of an explanation is answered with anything but its fault', async () => {
  const path = `/api/metrics/${product.productId}/explain`;
  for (const query of hostileQueries) {
    const answer = await seller.call('GET', `${path}?${query}`);
    expectProblem(query, answer, [422]);
    expect([query, answer.json.errors.length > 0]).toEqual([query, true]);
  }
  const answer = await seller.call('GET', `${path}?metric=churn&month=0000-01`);
  expect(answer).toMatchObject({ status: 200, json: { value: 0, data: [], next: null } });
});

const hostileSecrets = ['', ' ', '\t', 'null', '0', "' or ''='", 'x'.repeat(8_000), 'A'.repeat(43), 'é'.repeat(43)];

test('no hostile secret opens a checkout, and none is answered otherwise than an unknown checkout', async () => {
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const { id } = (await seller.call('POST', '/api/checkout', { body: { handle, slug: product.slug } })).json;
  for (const secret of hostileSecrets) {
    const answer = await seller.call('GET', `/api/checkout/${id}`, { headers: { 'x-checkout-secret': secret } });
    expectProblem(secret.slice(0, 50), answer, [404]);
    expect(answer.json.code).toBe('checkout_not_found');
  }
});

const badOpenings = (handle: string): [string, unknown, number, string?][] => {
  const opening = (change: object) => ({ handle, slug: product.slug, ...change });
  return [
    ['nothing', {}, 422, 'handle'],
    ['unknown handle', opening({ handle: 'no-such-shop' }), 422, 'handle'],
    ['unknown slug', opening({ slug: 'nothing-here' }), 422, 'slug'],
    ['a price of one’s own', opening({ priceCents: 1 }), 422, 'priceCents'],
    ['a total of one’s own', opening({ totalCents: 1 }), 422, 'totalCents'],
    ['malformed email', opening({ email: 'a@b' }), 422, 'email'],
    ['unknown country', opening({ country: 'ZZ' }), 422, 'country'],
    ['NUL in the name', opening({ name: 'a\u0000b' }), 422, 'name'],
    ['51 bump ids', opening({ bumpIds: Array.from({ length: 51 }, () => product.bumpId) }), 422, 'bumpIds'],
    ['unknown bump', opening({ bumpIds: ['bmp_01m7xft13ne0wattr3dpc56bw9'] }), 422, 'bumpIds.0'],
    ['unknown discount', opening({ discountCode: 'NOPE' }), 422, 'discountCode'],
    ['a body of a megabyte', opening({ name: 'x'.repeat(1_000_000) }), 413],
    ['deep nesting', `{"handle":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 400],
  ];
};

test('a bad opening is refused with its status and field, and opens nothing', async () => {
  const { handle } = (await seller.call('GET', '/api/v1/settings')).json;
  const before = await ownRows('checkout', 'checkouts');
  for (const [label, body, status, field] of badOpenings(handle)) {
    const answer = await seller.call('POST', '/api/checkout', { body });
    expectProblem(label, answer, [status]);
    if (field !== undefined) {
      const fields = (answer.json.errors as { field: string }[]).map((error) => error.field);
      expect([label, fields.includes(field)]).toEqual([label, true]);
    }
  }
  expect(await ownRows('checkout', 'checkouts')).toEqual(before);
});

test('hostile queries of the payment log find nothing and break nothing', async () => {
  for (const part of ['orderId=null', 'orderId=%00', 'email=a', 'status=paid', 'before=x', 'limit=0', 'accountId=x']) {
    expectProblem(part, await seller.call('GET', `/api/v1/payments?${part}`), [422]);
  }
});

test('hostile queries of payouts and statements are refused by name', async () => {
  const body = { code: 'LEAF', name: 'Leaf', email: 'leaf@example.com', commissionPercent: 10 };
  expect((await seller.call('POST', '/api/v1/affiliates', { body })).status).toBe(200);
  const statement = '/api/v1/affiliates/LEAF/statement';
  for (const path of ['/api/v1/payouts?code=%00', '/api/v1/payouts?code=unknown', '/api/v1/payouts?before=x']) {
    expectProblem(path, await seller.call('GET', path), [422]);
  }
  for (const part of ['before=%00', 'before=led_x', `before=${'x'.repeat(65)}`, 'limit=101', 'affiliateId=x']) {
    expectProblem(part, await seller.call('GET', `${statement}?${part}`), [422]);
  }
  for (const part of ['includePending=', 'includePending=TRUE', 'includePending=%00', 'currency=usd']) {
    expectProblem(part, await seller.call('POST', `/api/v1/affiliates/LEAF/payouts?${part}`), [422]);
  }
  expect(await ownRows('affiliate', 'payouts')).toEqual([]);
});

test('hostile filters of the subscriptions are refused by name', async () => {
  for (const part of [
    'status=living',
    'status=',
    'collection=by_hand',
    'productId=%00',
    'productId=ord_01m7xft13ne0wattr3dpc56bw9',
    'email=a',
    'before=x',
    'limit=0',
    'accountId=x',
  ]) {
    const answer = await seller.call('GET', `/api/v1/subscriptions?${part}`);
    expectProblem(part, answer, [422]);
    expect([part, answer.json.errors[0].field]).toEqual([part, part.split('=')[0]]);
  }
});

test('hostile query values page nothing and break nothing', async () => {
  for (const value of ['0', '-1', '101', '1.5', 'NaN', '1e3', '%00', '']) {
    const answer = await seller.call('GET', `/api/v1/orders?limit=${value}`);
    expect([value, answer.status]).toEqual([value, 422]);
  }
  for (const value of ['%00', '%ED%A0%80', 'x'.repeat(100), "'"]) {
    const { status } = await seller.call('GET', `/api/v1/orders?before=${value}`);
    expect([value, status === 200 || status === 422]).toEqual([value, true]);
  }
});
