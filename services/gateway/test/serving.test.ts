import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send, type ToSend } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
let seller: Awaited<ReturnType<typeof createSeller>>;
let checkoutPath: string;
beforeAll(async () => {
  seller = await createSeller(url);
  const { json: settings } = await send(url, 'GET', '/api/v1/settings', { key: seller.key });
  checkoutPath = `/c/${settings.handle}/course`;
});

const all = 'gzip, deflate, br';
const get = (path: string, headers: Record<string, string> = {}) => send(url, 'GET', path, { headers });
const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

const assetsOf = async (path: string): Promise<string[]> =>
  [...(await get(path)).text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, address]) => address ?? '');

test('Apple reads the file that the deployment has for it, without a redirect, and nothing where there is none', async () => {
  const path = '/.well-known/apple-developer-merchantid-domain-association';
  expect((await get(path)).status).toBe(404);
  const folder = mkdtempSync(join(tmpdir(), 'apple-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'association'), '7B227073704964223A22');
  const other = await harness.start({ APPLE_PAY_DOMAIN_FILE: join(folder, 'association') });
  onTestFinished(() => other.close());
  const read = await fetch(`${other.url}${path}`, { redirect: 'manual' });
  expect([read.status, read.headers.get('content-type'), await read.text()]).toEqual([
    200,
    'text/plain; charset=utf-8',
    '7B227073704964223A22',
  ]);
});

test('what pages load is at addresses of its content, which browsers keep for a year', async () => {
  const addresses = [...(await assetsOf('/developers')), ...(await assetsOf(checkoutPath))];
  expect(addresses.length).toBeGreaterThanOrEqual(4);
  for (const address of addresses) {
    const { status, headers } = await get(address, { 'accept-encoding': all });
    expect([address, status]).toEqual([address, 200]);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(headers['content-type']).toMatch(/^(text\/(css|javascript); charset=utf-8|image\/svg\+xml)$/);
  }
});

test('an asset of another version is this one’s, which no cache keeps; an unknown name is not found', async () => {
  const [address = ''] = await assetsOf('/developers');
  const other = address.replace(/\/assets\/[^/]+/, '/assets/of-before');
  const { status, headers } = await get(other);
  expect([status, headers['cache-control'], headers.etag]).toEqual([200, 'no-store', undefined]);
  expect((await get(address.replace(/[^/]+$/, 'passwd'))).status).toBe(404);
  expect((await get('/assets/x/..%2f..%2fpackage.json')).status).toBe(404);
  expect((await get('/assets/x/constructor')).status).toBe(404);
});

test.each(['/developers/errors', '/developers/reference/orders', '/developers/errors.md', '/developers/openapi.json'])(
  '%s is sent compressed, the same text to all, and once',
  async (path) => {
    const plain = await get(path);
    expect([plain.headers['content-encoding'], plain.headers.vary]).toEqual([undefined, 'Accept-Encoding']);
    const { etag, vary } = plain.headers;
    for (const [accepted, coding] of [
      [all, 'br'],
      ['gzip', 'gzip'],
    ] as const) {
      const { headers, bytes, text } = await get(path, { 'accept-encoding': accepted });
      expect(headers).toMatchObject({ 'content-encoding': coding, vary, etag });
      expect(text).toBe(plain.text);
      expect(bytes.length).toBeLessThan(plain.bytes.length / 3);
    }

    const again = await get(path, { 'if-none-match': etag ?? '', 'accept-encoding': all });
    expect([again.status, again.text]).toEqual([304, '']);
    expect(again.headers).toMatchObject({ etag, vary, 'cache-control': plain.headers['cache-control'] });
    expect(again.headers['content-encoding']).toBeUndefined();
    expect((await get(path, { 'if-none-match': 'W/"of another text"' })).status).toBe(200);
    const head = await send(url, 'HEAD', path, { headers: { 'accept-encoding': all } });
    expect([head.status, head.headers.etag, head.text]).toEqual([200, etag, '']);
  },
);

test('a page is kept by its browser alone, which checks whether it has changed', async () => {
  const { headers } = await get(checkoutPath, { 'accept-encoding': all });
  expect(headers).toMatchObject({ 'cache-control': 'private, no-cache', 'content-encoding': 'br' });
  const cookie = headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const again = await get(checkoutPath, { cookie, 'if-none-match': headers.etag ?? '' });
  expect([again.status, again.headers['set-cookie']]).toEqual([304, undefined]);
});

// Another site can make a buyer's browser request a page with text of its choice, and compare lengths (BREACH).
test('a page is not compressed for another site’s request with a cookie', async () => {
  const coded = async (cookie: boolean, site?: string) =>
    (
      await get(`${checkoutPath}?email=guess`, {
        ...(cookie ? { cookie: 'buyer=x' } : {}),
        ...(site === undefined ? {} : { 'sec-fetch-site': site }),
        'accept-encoding': all,
      })
    ).headers['content-encoding'];
  for (const site of ['cross-site', 'same-site', undefined]) {
    expect([site, await coded(true, site), await coded(false, site)]).toEqual([site, undefined, 'br']);
  }
  for (const site of ['same-origin', 'none']) expect([site, await coded(true, site)]).toEqual([site, 'br']);
});

test('no answer of the API is compressed or kept: it may hold a secret beside what the caller sent', async () => {
  const headers = { 'accept-encoding': all };
  const long = 'a'.repeat(190);
  const made = await send(url, 'POST', '/api/v1/api-keys', { session: seller.session, body: { name: long }, headers });
  const settings = await send(url, 'GET', '/api/v1/settings', { key: seller.key, headers });
  const refused = await send(url, 'PATCH', '/api/v1/settings', {
    ...{ key: seller.key, headers },
    body: Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`unknown${n}`, long])),
  });
  expect([made.status, settings.status, refused.status]).toEqual([200, 200, 422]);
  for (const answer of [made, settings, refused]) {
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['content-encoding']).toBeUndefined();
  }
  // The settings' version, for If-Match; no other answer of the API has a tag.
  expect([made, settings, refused].map(({ headers: { etag } }) => etag)).toEqual([undefined, '"1"', undefined]);
  expect(refused.text.length).toBeGreaterThan(1_000);
});

test('a browser reads a page where there is nothing and where a method is not allowed', async () => {
  const textOf = async (method: string, path: string, accept: string) => {
    const { status, headers, text } = await send(url, method, path, { headers: { accept } });
    return [status, headers['content-type'], headers['cache-control'], text.slice(0, 15)];
  };
  const page = ['text/html; charset=utf-8', 'no-store', '<!doctype html>'];
  expect(await textOf('GET', '/nowhere', browser)).toEqual([404, ...page]);
  expect(await textOf('GET', '/%', browser)).toEqual([400, ...page]);
  expect(await textOf('DELETE', '/developers', browser)).toEqual([405, ...page]);
  const problem = ['application/problem+json', 'no-store', expect.stringMatching(/^\{"type"/)];
  expect(await textOf('GET', '/nowhere', '*/*')).toEqual([404, ...problem]);
  expect(await textOf('GET', '/nowhere', 'text/html, application/json')).toEqual([404, ...problem]);
  expect(await textOf('GET', '/api/v1/nowhere', browser)).toEqual([404, ...problem]);
  expect(await textOf('GET', '/mcp/nowhere', browser)).toEqual([404, ...problem]);
});

test('a page of an error shows nothing that the address made up, and says what to do', async () => {
  const { text, headers } = await get('/<script>alert(1)</script>?<b>', { accept: browser });
  expect(text).not.toMatch(/<script|<b>/);
  expect(text).toContain('<h1>There is nothing here</h1>');
  expect(text).toContain('<p>Check the address');
  expect(text).toContain(`Request ${headers['x-request-id']}`);
  expect(headers['content-security-policy']).toContain("default-src 'none'");
});

test('search engines leave the API alone', async () => {
  const { status, headers, text } = await get('/robots.txt');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toContain('User-agent: *\nDisallow: /api/\n');
});

test('browsers find an icon where no page names one', async () => {
  const { status, headers, text } = await get('/favicon.ico');
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([
    ...[200, 'image/vnd.microsoft.icon', 'public, max-age=86400'],
  ]);
  expect(text.length).toBeGreaterThan(100);
});

test('a long answer to an API key is compressed; one to a session, a browser or in few packets is not', async () => {
  const rows = Array.from({ length: 100 }, (_, index) => ({
    id: `ord_${index}`,
    customer_email: `b${index}@example.com`,
  }));
  harness.books.orders = JSON.stringify({ data: rows });
  onTestFinished(() => {
    harness.books.orders = '{"data":[]}';
  });
  const read = (what: ToSend, accepts = all) =>
    send(url, 'GET', '/api/v1/orders', { ...what, headers: { 'accept-encoding': accepts, ...what.headers } });
  const { key, session } = seller;
  for (const [accepts, coding] of [
    [all, 'br'],
    ['gzip', 'gzip'],
    ['identity', undefined],
  ] as const) {
    const answer = await read({ key }, accepts);
    expect([accepts, answer.headers['content-encoding'], answer.json.data]).toEqual([accepts, coding, rows]);
    expect(answer.headers).toMatchObject({ 'cache-control': 'no-store', vary: 'Accept-Encoding' });
    expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
    if (coding !== undefined) expect(answer.bytes.length).toBeLessThan(1_500);
  }
  for (const what of [{ session }, { key, headers: { cookie: 'a=b' } }, { key, headers: { 'sec-fetch-site': 'none' } }])
    expect((await read(what)).headers['content-encoding']).toBeUndefined();
  harness.books.orders = JSON.stringify({ data: rows.slice(50) });
  expect((await read({ key })).headers['content-encoding']).toBeUndefined();
});

test('a page of a list names the next one, which is read as it is named, and the last page names none', async () => {
  const answer = { data: [{ id: 'ord_01kahv7w3xe5m8q2r6t9y0b4cd' }], has_more: true };
  onTestFinished(() => {
    harness.books.orders = '{"data":[]}';
  });
  const linkOf = async (path: string, has_more: boolean) => {
    harness.books.orders = JSON.stringify({ ...answer, has_more });
    return (await send(url, 'GET', path, { key: seller.key })).headers.link;
  };
  const next = await linkOf('/api/v1/orders?limit=1&status=paid', true);
  const [, address] = String(next).match(/^<(.+)>; rel="next"$/) ?? [];
  expect(address).toBe('/api/v1/orders?limit=1&status=paid&before=ord_01kahv7w3xe5m8q2r6t9y0b4cd');
  expect(await linkOf(address as string, false)).toBeUndefined();
});

test('the developer pages are there with a slash at the end too', async () => {
  const { status, headers } = await get('/developers/');
  expect([status, headers.location]).toEqual([308, '/developers']);
});

test('a key that lacks a scope is told which, for programs in www-authenticate', async () => {
  const body = { name: 'reads', scopes: ['read'] };
  const { key } = (await send(url, 'POST', '/api/v1/api-keys', { session: seller.session, body })).json;
  const refused = await send(url, 'POST', '/api/v1/products', { key, body: {} });
  expect([refused.status, refused.headers['www-authenticate']]).toEqual([
    403,
    'Bearer error="insufficient_scope", scope="write"',
  ]);
  const unknown = await send(url, 'GET', '/api/v1/products');
  expect([unknown.status, unknown.headers['www-authenticate']]).toEqual([401, 'Bearer']);
});
