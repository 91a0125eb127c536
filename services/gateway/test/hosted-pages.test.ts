import { beforeAll, expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { type Sent, send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
let handle: string;
let seller: Awaited<ReturnType<typeof createSeller>>;
beforeAll(async () => {
  seller = await createSeller(url);
  const settings = { businessName: '<b>Ada & Co</b>' };
  ({ handle } = (await send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body: settings })).json);
});

const token = 'a-token-as-long-as-those-that-emails-hold-0';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const textOf = ({ text }: Sent): string => text.replaceAll(/<[^>]*>/g, ' ');
const askedOf = (name: string) => harness.checkout.asked.filter((asked) => asked.name === name);

test('the page of a checkout runs its own script and nothing else, and no value of the seller is markup', async () => {
  const { status, headers, text } = await send(url, 'GET', `/c/${handle}/course?checkout=cko_1&ref=x`);
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  const policy = headers['content-security-policy'] ?? '';
  for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
    expect(policy).toContain(part);
  }
  expect(policy).not.toContain('unsafe');
  expect(headers['referrer-policy']).toBe('same-origin');
  expect(text).not.toMatch(/style="|<style|\son\w+="|<b>Ada|cko_1/);
  expect(text).toContain('<title>Checkout · &lt;b&gt;Ada &amp; Co&lt;/b&gt;</title>');
  expect(text).toContain(`data-handle="${handle}" data-slug="course"`);
  for (const [, address = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
    const { status: found, headers: of } = await send(url, 'GET', address);
    expect([address, found, of['x-content-type-options']]).toEqual([address, 200, 'nosniff']);
  }
  expect(harness.checkout.asked).toEqual([]);
});

test('the scripts are modules that load each other and nothing from elsewhere', async () => {
  const page = await send(url, 'GET', `/c/${handle}/course`);
  const [, folder = ''] = /src="(.+\/)checkout\.js"/.exec(page.text) ?? [];
  for (const name of ['checkout.js', 'checkout-api.js', 'checkout-views.js']) {
    const { status, headers, text } = await send(url, 'GET', folder + name);
    expect([status, headers['content-type']]).toEqual([200, 'text/javascript; charset=utf-8']);
    for (const [, path = ''] of text.matchAll(/^import .* from '([^']+)'/gm)) {
      expect((await send(url, 'GET', folder + path.replace('./', ''))).status).toBe(200);
    }
    expect(text).not.toMatch(/innerHTML|insertAdjacentHTML|document\.write|\beval\(|https?:\/\//);
  }
});

test('an unknown seller is a page that says so', async () => {
  const unknown = await send(url, 'GET', '/c/nobody/course');
  expect(unknown.status).toBe(404);
  expect(textOf(unknown)).toContain('There is no shop at this address');
});

test('an address without a product is a page as well: of a shop, of nobody, of no shop at all', async () => {
  for (const [path, said] of [
    [`/c/${handle}`, 'Each product has an address of its own'],
    [`/c/${handle}/`, 'Each product has an address of its own'],
    ['/c/nobody', 'There is no shop at this address'],
    ['/c/A%20B', 'There is no shop at this address'],
    ['/c/', 'There is no shop at this address'],
    ['/c', 'There is no shop at this address'],
  ] as const) {
    const page = await send(url, 'GET', path);
    expect([path, page.status, page.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
    expect(textOf(page)).toContain(said);
  }
});

test('an address of a shop that sells nothing there is a 404 page that still restores a checkout', async () => {
  const unknown = await send(url, 'GET', `/c/${handle}/nothing-of-this-name?utm_source=x`);
  expect(unknown.status).toBe(404);
  expect(unknown.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(unknown.headers['content-security-policy']).toContain("script-src 'self'");
  expect(textOf(unknown)).toContain('There is nothing for sale at this address');
  expect(unknown.text).toContain(`data-handle="${handle}" data-slug="nothing-of-this-name"`);
});

test('an address that no shop can have is a 404 page', async () => {
  for (const path of ['%00/course', '%F0%9F/course', 'A%20B/course', `${'a'.repeat(300)}/course`, `${handle}/%00`]) {
    const { status, headers } = await send(url, 'GET', `/c/${path}`);
    expect([path, status === 404 || status === 400]).toEqual([path, true]);
    expect(headers['content-type']).toMatch(/^(text\/html|application\/problem\+json)/);
  }
  expect(textOf(await send(url, 'GET', '/c/%00/course'))).toContain('There is no shop at this address');
  expect(textOf(await send(url, 'GET', `/c/${handle}/%00`))).toContain('nothing for sale at this address');
});

test('a changed handle leads on from the earlier ones, which stay the account’s own, and opens checkouts by them', async () => {
  const [own, other] = [await createSeller(url), await createSeller(url)];
  const change = (key: string, to: string) => send(url, 'PATCH', '/api/v1/settings', { key, body: { handle: to } });
  const { handle: first } = (await send(url, 'GET', '/api/v1/settings', { key: own.key })).json;
  for (const to of ['moved-once', 'moved-twice']) expect((await change(own.key, to)).status).toBe(200);
  for (const earlier of [first, 'moved-once']) {
    const { status, headers } = await send(url, 'GET', `/c/${earlier}/course?checkout=cko_1&ref=a%20b`);
    expect([status, headers.location]).toEqual([308, '/c/moved-twice/course?checkout=cko_1&ref=a%20b']);
    expect(headers['cache-control']).toBe('no-store');
    const taken = await change(other.key, earlier);
    expect([taken.status, taken.json.code]).toEqual([409, 'handle_taken']);
    await send(url, 'POST', '/api/checkout', { body: { handle: earlier, slug: 'course' } });
    expect(harness.checkout.asked.at(-1)?.context.accountId).toBe(own.accountId);
  }
  const unchanged = await send(url, 'GET', '/api/v1/settings', { key: other.key });
  expect(unchanged.json.handle).not.toBe('moved-once');
  expect((await change(own.key, 'moved-once')).status).toBe(200);
  expect((await send(url, 'GET', '/c/moved-once/course')).status).toBe(200);
  expect((await send(url, 'GET', '/c/moved-twice/course')).headers.location).toBe('/c/moved-once/course');
});

test('an account has twenty handles at most, so that nobody takes all names', async () => {
  const { key } = await createSeller(url);
  const change = (to: string) => send(url, 'PATCH', '/api/v1/settings', { key, body: { handle: to } });
  for (let n = 1; n < 20; n += 1) expect((await change(`name-${n}`)).status).toBe(200);
  const refused = await change('name-20');
  expect([refused.status, refused.json.errors?.[0]]).toMatchObject([422, { field: 'handle', code: 'too_many' }]);
  expect((await change('name-1')).status).toBe(200);
});

test('of two accounts that take one handle at once, one has it', async () => {
  const sellers = await Promise.all(Array.from({ length: 6 }, () => createSeller(url)));
  const answers = await Promise.all(
    sellers.map(({ key }) => send(url, 'PATCH', '/api/v1/settings', { key, body: { handle: 'wanted' } })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409]);
});

test('opening the link that ends reminders changes nothing; its button and a mail program’s request do, repeatedly', async () => {
  harness.checkout.tokens.set(token, { businessName: '<i>Ada</i>', optedOut: false });
  const asked = await send(url, 'GET', `/c/opt-out/${token}`);
  expect(asked.status).toBe(200);
  expect(asked.text).toContain('<form method="post"><button');
  expect(asked.text).toContain('&lt;i&gt;Ada&lt;/i&gt;');
  expect(asked.text).not.toContain('<i>');
  expect(asked.headers['content-security-policy']).toContain("form-action 'self'");
  expect(asked.headers['content-security-policy']).not.toContain('script-src');
  expect((await send(url, 'HEAD', `/c/opt-out/${token}`)).status).toBe(200);
  expect(askedOf('opt out')).toEqual([]);
  const button = await send(url, 'POST', `/c/opt-out/${token}`, { raw: '', headers: form });
  const foreign = { ...form, origin: 'https://mail.example', 'sec-fetch-site': 'cross-site' };
  const oneClick = { raw: 'List-Unsubscribe=One-Click', headers: foreign };
  const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
  const parts = '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n';
  for (const ended of [
    button,
    await send(url, 'POST', `/c/opt-out/${token}`, oneClick),
    await send(url, 'POST', `/c/opt-out/${token}`, { raw: parts, headers: multipart }),
    await send(url, 'GET', `/c/opt-out/${token}`),
  ]) {
    expect(ended.status).toBe(200);
    expect(textOf(ended)).toContain('sends you no more reminders');
    expect(ended.headers['set-cookie']).toBeUndefined();
  }
  expect(askedOf('opt out').map(({ input }) => input)).toEqual(Array(3).fill({ token }));
  expect(askedOf('opt out').map(({ context }) => context.accountId)).toEqual(['', '', '']);
});

test('a token that is none, or that nobody has, gets one and the same page, and large bodies are refused', async () => {
  const page = await send(url, 'GET', '/c/opt-out/nobody-has-this-token-whatever-it-is');
  expect(page.status).toBe(404);
  expect(textOf(page)).toContain('This link has no effect');
  for (const unknown of ['x', '%00%00%00', 'a'.repeat(300), encodeURIComponent(`${token}'"><script>`)]) {
    expect((await send(url, 'GET', `/c/opt-out/${unknown}`)).text).not.toContain('<script>');
    expect((await send(url, 'POST', `/c/opt-out/${unknown}`, { raw: '', headers: form })).status).toBe(404);
  }
  const large = { raw: 'x'.repeat(20_000), headers: form };
  const refused = await send(url, 'POST', `/c/opt-out/${token}`, large);
  expect(refused.status).toBe(413);
  expect(textOf(refused)).toContain('Nothing needs to be sent');
  expect(textOf(refused)).not.toMatch(/256 KB|Try again/);
});

test('pages share the limit by address, and a buyer over it reads when to come back', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '600', TRUST_PROXY: '1' });
  const headers = { 'x-forwarded-for': '203.0.113.9' };
  const open = () => send(limited.url, 'GET', `/c/${handle}/course`, { headers });
  const allowed = await Promise.all(Array.from({ length: 600 }, open));
  expect(new Set(allowed.map(({ status }) => status))).toEqual(new Set([200]));
  const last = await open();
  expect(last.status).toBe(429);
  expect(last.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
});

test('the word of other hosted pages is no seller’s handle', async () => {
  const body = { handle: 'opt-out' };
  const refused = await send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body });
  expect([refused.status, refused.json.code]).toEqual([409, 'handle_taken']);
  expect(refused.json.detail).toBe('This handle is kept for other addresses.');
});
