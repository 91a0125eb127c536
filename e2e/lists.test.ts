import { randomBytes } from 'node:crypto';
import { operations } from '@app/gateway/operations';
import { beforeAll, expect, test } from 'vitest';
import { portalSession } from './support/portal-session.ts';
import { call } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';

/**
 * Guarantee: every list of the API pages in the same way. The lists are those of the operations themselves, so that a new
 * one is tested without being named here. The log of events, which is followed forward by `after`, is none.
 */
const lists = operations.filter(({ id, query }) => id.startsWith('list') && query?.shape.after === undefined);

let baseUrl: string;
let cookie: string;
let params: Record<string, string>;
let ofBuyer: Record<string, string>;
const request = (method: string, path: string, body?: unknown) =>
  call(baseUrl, method, path, {
    headers: path.startsWith('/api/portal/') ? ofBuyer : { cookie },
    ...(body === undefined ? {} : { body }),
  });

beforeAll(async () => {
  const platform = await sharedPlatform();
  ({ baseUrl } = platform);
  const email = `lists-${randomBytes(6).toString('hex')}@example.com`;
  const credentials = { email, password: 'a long enough password' };
  const signedUp = await call(baseUrl, 'POST', '/api/auth/signup', { body: { ...credentials, name: 'Lists' } });
  cookie = signedUp.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  await request('POST', '/api/auth/confirm', { password: credentials.password });
  for (let n = 0; n < 2; n += 1) await call(baseUrl, 'POST', '/api/auth/login', { body: credentials });
  const buyer = 'buyer@example.com';
  const product = { name: 'Course', slug: 'course', priceCents: 4900, currency: 'usd', pricingType: 'subscription' };
  const { json } = await request('POST', '/api/v1/products', { ...product, billingInterval: 'month', status: 'live' });
  for (let n = 0; n < 2; n += 1) await request('POST', '/api/v1/orders', { productSlug: 'course', email: buyer });
  ofBuyer = { 'x-portal-session': await portalSession(platform, signedUp.json.accountId, { email: buyer }) };
  const affiliate = { code: 'leaf', name: 'Leaf', email: 'leaf@example.com', commissionPercent: 10 };
  await request('POST', '/api/v1/affiliates', affiliate);
  for (const path of ['one', 'two', 'three']) {
    await request('POST', '/api/v1/webhook-endpoints', { url: `https://example.com/${path}`, active: false });
  }
  const { handle } = (await request('GET', '/api/v1/settings')).json;
  params = { productId: json.id, code: 'leaf', handle };
});

const pathOf = (path: string): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] as string));

test.each(lists.map((operation) => [operation.id, operation] as const))(
  '%s pages by limit and before',
  async (_, operation) => {
    const path = pathOf(operation.path);
    const all = await request('GET', path);
    expect([all.status, 'has_more' in all.json]).toEqual([200, false]);
    const first = await request('GET', `${path}?limit=1`);
    const rows: { id: string }[] = all.json.data;
    expect(first.status).toBe(200);
    expect(first.json.has_more).toBe(rows.length > 1);
    expect(first.json.data.map(({ id }: { id: string }) => id)).toEqual(rows.slice(0, 1).map(({ id }) => id));
    if (rows[0]?.id === undefined) return;
    const rest = await request('GET', `${path}?before=${encodeURIComponent(rows[0].id)}`);
    expect([rest.status, rest.json.has_more]).toEqual([200, false]);
    expect(rest.json.data.map(({ id }: { id: string }) => id)).toEqual(rows.slice(1).map(({ id }) => id));
  },
);

test('lists whose order is their own go on after the last one, and from an unknown one nowhere', async () => {
  for (const [path, least] of [
    ['/api/v1/webhook-endpoints', 3],
    ['/api/v1/automations', 6],
  ] as const) {
    const { data } = (await request('GET', path)).json;
    const seen: string[] = [];
    let page = await request('GET', `${path}?limit=2`);
    seen.push(...page.json.data.map(({ id }: { id: string }) => id));
    while (page.json.has_more) {
      page = await request('GET', `${path}?limit=2&before=${seen.at(-1)}`);
      seen.push(...page.json.data.map(({ id }: { id: string }) => id));
    }
    expect(seen.length).toBeGreaterThanOrEqual(least);
    expect(seen).toEqual(data.map(({ id }: { id: string }) => id));
  }
  const endpoints = (await request('GET', '/api/v1/webhook-endpoints')).json.data;
  await request('DELETE', `/api/v1/webhook-endpoints/${endpoints[0].id}`);
  const gone = await request('GET', `/api/v1/webhook-endpoints?before=${endpoints[0].id}`);
  expect([gone.status, gone.json.errors[0].code]).toEqual([422, 'unknown_id']);
});

test('a discount shows its uses, without rehearsals, and is refused with an expiry that has passed', async () => {
  const path = `/api/v1/products/${params.productId}/discounts`;
  const past = await request('POST', path, { code: 'PAST', percentOff: 10, expiresAt: '2020-01-01T00:00:00Z' });
  expect([past.status, past.json.errors[0]]).toMatchObject([422, { field: 'expiresAt', code: 'in_the_past' }]);
  const made = await request('POST', path, { code: 'TEN', percentOff: 10, maxUses: 5 });
  expect(made.json).toMatchObject({ code: 'TEN', uses: 0 });
  const order = { productSlug: 'course', email: 'buyer@example.com', discountCode: 'TEN' };
  for (const test of [false, false, true])
    expect((await request('POST', '/api/v1/orders', { ...order, test })).status).toBe(200);
  expect((await request('GET', path)).json).toMatchObject({ data: [{ code: 'TEN', max_uses: 5, uses: 2 }] });
  const changed = await request('PATCH', `${path}/${made.json.id}`, { maxUses: 1 });
  expect(changed.json).toMatchObject({ max_uses: 1, uses: 2 });
});
