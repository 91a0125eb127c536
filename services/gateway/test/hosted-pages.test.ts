import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
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
const requestsOf = (name: string) => harness.checkout.requested.filter((requested) => requested.name === name);

test('the page of a product runs its own scripts and nothing else, and no value of the seller is markup', async () => {
  const { status, headers, text } = await send(
    url,
    'GET',
    `/c/${handle}/course?ref=x&utm_source=${encodeURIComponent('"><b>')}`,
  );
  expect(status).toBe(200);
  expect(headers['content-type']).toBe('text/html; charset=utf-8');
  const policy = headers['content-security-policy'] ?? '';
  for (const part of ["default-src 'none'", "script-src 'self'", "form-action 'self'", "frame-ancestors 'none'"]) {
    expect(policy).toContain(part);
  }
  expect(policy).not.toContain('unsafe');
  expect(headers['referrer-policy']).toBe('same-origin');
  expect(headers['cache-control']).toBe('private, no-cache');
  expect(text).not.toMatch(/style="|<style|\son\w+="|<b>Ada|"><b>/);
  // The form is in the first answer.
  expect(text).toMatch(/<input[^>]* name="email"/);
  expect(text).toContain('<title>Course · &lt;b&gt;Ada &amp; Co&lt;/b&gt;</title>');
  const loaded = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, address = '']) => address);
  expect(loaded).toHaveLength(4);
  for (const address of loaded) {
    const { status: found, headers: of, text: loads } = await send(url, 'GET', address);
    expect([address, found, of['x-content-type-options']]).toEqual([address, 200, 'nosniff']);
    expect(loads).not.toMatch(/\bimport .* from\b/);
  }
  expect(requestsOf('open')).toEqual([]);
});

test('search engines may list a product’s page, with what it says to those who share it, and no other page', async () => {
  const page = await send(url, 'GET', `/c/${handle}/course`);
  expect(page.text).not.toContain('noindex');
  expect(page.text).toContain('<meta name="description" content="Ten lessons &amp; more">');
  expect(page.text).toContain('<meta property="og:title" content="Course">');
  expect(page.text).toMatch(new RegExp(`<link rel="canonical" href="http://[^"]+/c/${handle}/course">`));
  for (const path of [`/c/${handle}`, `/c/${handle}/archived`, '/c/unknown/course', '/c/opt-out/x']) {
    expect((await send(url, 'GET', path)).text).toContain('<meta name="robots" content="noindex">');
  }
});

test('amounts and dates are those of the buyer’s language, and the page says so to caches', async () => {
  const headers = { 'accept-language': 'de-AT,de;q=0.9' };
  const german = await send(url, 'GET', `/c/${handle}/course`, { headers });
  expect(textOf(german).replaceAll(/\s/g, ' ')).toContain('Pay $ 49,00');
  // First, and not chosen: the buyer does that.
  expect(german.text).toContain('<option value="" selected>Not said</option><option value="AT">Austria</option>');
  expect(german.headers.vary).toContain('Accept-Language');
});

test('a draft and an unknown address are pages that say 404, an archived product’s says 410', async () => {
  for (const [path, status, said] of [
    [`/c/${handle}/draft`, 404, 'There is nothing for sale at this address'],
    [`/c/${handle}/nothing-of-this-name?utm_source=x`, 404, 'There is nothing for sale at this address'],
    [`/c/${handle}/archived`, 410, 'This product is no longer for sale'],
    ['/c/unknown/course', 404, 'There is no shop at this address'],
  ] as const) {
    const page = await send(url, 'GET', path);
    expect([path, page.status, page.headers['content-type']]).toEqual([path, status, 'text/html; charset=utf-8']);
    expect(textOf(page)).toContain(said);
  }
});

test('an address without a product is a page as well: of a shop, of no product, of no shop at all', async () => {
  for (const [path, said] of [
    [`/c/${handle}`, 'Each product has an address of its own'],
    [`/c/${handle}/`, 'Each product has an address of its own'],
    ['/c/unknown', 'There is no shop at this address'],
    ['/c/A%20B', 'There is no shop at this address'],
    ['/c/', 'There is no shop at this address'],
    ['/c', 'There is no shop at this address'],
  ] as const) {
    const page = await send(url, 'GET', path);
    expect([path, page.status, page.headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8']);
    expect(textOf(page)).toContain(said);
  }
});

test('a slash at the end of a page’s address leads to the page, and to nothing of the API', async () => {
  for (const path of [`/c/${handle}/course`, `/c/opt-out/${token}`, `/c/restore/cko_1.secret.${handle}.course`]) {
    for (const query of ['', '?utm_source=a/b/&ref=x']) {
      const { status, headers } = await send(url, 'GET', `${path}/${query}`);
      expect([status, headers.location]).toEqual([308, `${path}${query}`]);
    }
  }
  expect((await send(url, 'GET', `/api/checkout/offers/${handle}/course/`)).status).toBe(404);
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

const product = 'prd_01jd2q5v8kfw9s3x6z7yabcdef';
const post = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  send(url, 'POST', `/c/${handle}/course?utm_source=news&ref=ada`, {
    raw: `${new URLSearchParams(Object.assign({ key: 'k', product, quote: 'quote' }, fields))}`,
    headers: Object.assign({}, form, headers),
  });
const cookieOf = ({ headers }: Sent): string =>
  String(headers['set-cookie'] ?? '')
    .split(/,(?=\s*\w+=)/)
    .map((each) => each.split(';')[0]?.trim())
    .join('; ');

test('one form without a script opens the checkout, pays it once, and leads back to the page', async () => {
  harness.checkout.forget();
  const sent = { do: 'pay', email: 'ada@example.com', name: 'Ada', country: 'GB', card: 'sim_ok' };
  const paid = await post(sent);
  expect([paid.status, paid.headers.location]).toEqual([303, `/c/${handle}/course?utm_source=news&ref=ada`]);
  expect(String(paid.headers['set-cookie'])).toMatch(
    /^fnl_checkout_prd_\w{26}=cko_\w{26}\.[\w-]{43}\.[^;]+; Path=\/c; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  const [opened] = requestsOf('open');
  expect(opened?.input.body).toMatchObject({ email: 'ada@example.com', utm_source: 'news', affiliateCode: 'ada' });
  const [attempt] = requestsOf('pay');
  expect(attempt?.input.body).toMatchObject({ paymentMethod: 'sim_ok', quote: 'quote', totalCents: 4_900 });
  expect(attempt?.input.body.returnUrl).toMatch(new RegExp(`/c/${handle}/course\\?back=1$`));
  // The same click again: the checkout of the cookie, and the answer of the first.
  const again = await post(sent, { cookie: cookieOf(paid) });
  expect(again.status).toBe(303);
  expect([requestsOf('open').length, requestsOf('pay').length]).toEqual([1, 1]);
});

test('a cookie that is no text counts as none', async () => {
  harness.checkout.forget();
  const raw = `${new URLSearchParams({ key: 'k', product, quote: 'quote', email: 'ada@example.com' })}`;
  const headers = { ...form, cookie: 'ref=%E0%A4%A' };
  expect((await send(url, 'POST', `/c/${handle}/course`, { raw, headers })).status).toBe(200);
  expect(requestsOf('open')[0]?.input.body).not.toHaveProperty('affiliateCode');
});

test('a source that the server refuses loses no sale: the checkout is opened without it', async () => {
  harness.checkout.forget();
  harness.checkout.beforeOpening = (body) => {
    if (body.utm_source !== undefined) throw invalidField('utm_source', 'must be something else');
  };
  const opened = await post({ email: 'ada@example.com' });
  harness.checkout.beforeOpening = () => undefined;
  expect(opened.status).toBe(200);
  const [refused, taken] = requestsOf('open').map(({ input }) => input.body);
  expect(refused).toMatchObject({ utm_source: 'news', affiliateCode: 'ada', email: 'ada@example.com' });
  expect(taken).toMatchObject({ affiliateCode: 'ada', email: 'ada@example.com' });
  expect(taken).not.toHaveProperty('utm_source');
});

test('a field that was left is saved and answered with the whole page; the secret is in no page', async () => {
  harness.checkout.forget();
  const kept = await post({ email: 'ada@example.com' });
  expect([kept.status, kept.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  const secret = /cko_\w{26}\.([\w-]{43})/.exec(cookieOf(kept))?.[1] ?? '';
  expect(secret).not.toBe('');
  expect(kept.text).not.toContain(secret);
  await post({ name: 'Ada' }, { cookie: cookieOf(kept) });
  expect(requestsOf('update').map(({ input }) => input.body.name)).toEqual(['Ada']);
  expect(requestsOf('open')).toHaveLength(1);
});

test('a form of another site, and one of an older browser without an origin of ours, opens and pays nothing', async () => {
  harness.checkout.forget();
  for (const headers of [
    { 'sec-fetch-site': 'cross-site', origin: 'https://other.example' },
    { origin: 'https://other.example' },
    { origin: 'null' },
  ]) {
    const refused = await post({ do: 'pay', email: 'ada@example.com', card: 'sim_ok' }, headers);
    expect([refused.status, refused.headers['content-type']]).toEqual([403, 'text/html; charset=utf-8']);
  }
  expect(harness.checkout.requested).toEqual([]);
});

test('a form that is too large, or no form, is refused in words', async () => {
  const large = await post({ name: 'x'.repeat(20_000) });
  expect([large.status, large.headers['content-type']]).toEqual([413, 'text/html; charset=utf-8']);
  const json = await send(url, 'POST', `/c/${handle}/course`, { body: { do: 'pay' } });
  expect(json.status).toBe(415);
});

test('a payment over the limit of declines keeps what was typed', async () => {
  const limit = harness.checkout.pay;
  harness.checkout.pay = async () => {
    throw new DomainError('rate_limited', 'Too many attempts.');
  };
  const refused = await post({ do: 'pay', email: 'ada@example.com', name: 'Ada <b>', card: 'sim_declined' });
  harness.checkout.pay = limit;
  expect(refused.status).toBe(429);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(refused.text).toContain('value="ada@example.com"');
  expect(refused.text).toContain('value="Ada &lt;b&gt;"');
  expect(textOf(refused)).toContain('Nothing was charged');
});

test('the page counts a view by a post of its script, and no other way', async () => {
  harness.checkout.forget();
  await send(url, 'GET', `/c/${handle}/course`);
  expect(requestsOf('visit')).toEqual([]);
  expect((await post({ do: 'seen' })).status).toBe(204);
  expect(requestsOf('visit').map(({ input }) => input.slug)).toEqual(['course']);
});

test('the link of a reminder changes nothing when it is opened, and its button makes a copy the browser’s own', async () => {
  const restoreToken = 'r'.repeat(43);
  harness.checkout.links.set(restoreToken, 'acc_1');
  harness.checkout.links.set('p'.repeat(43), 'paid');
  for (const before of ['', 'cko_01jd2q5v8kfw9s3x6z7yabcdef.']) {
    const link = `/c/restore/${before}${restoreToken}.${handle}.course`;
    harness.checkout.forget();
    const opened = await send(url, 'GET', link);
    expect([opened.status, opened.headers['set-cookie']]).toEqual([200, undefined]);
    expect(opened.text).not.toContain('<script');
    expect(opened.text).toContain('<form method="post">');
    expect(requestsOf('restore')).toEqual([]);
    const restored = await send(url, 'POST', link, { headers: form });
    expect([restored.status, restored.headers.location]).toEqual([303, `/c/${handle}/course`]);
    const [, id = '', secret = ''] = /(cko_\w{26})\.([\w-]{43})\./.exec(cookieOf(restored)) ?? [];
    expect(harness.checkout.secrets.get(id)?.secret).toBe(secret);
    expect(secret).not.toBe(restoreToken);
    expect(String(restored.headers['set-cookie'])).toContain('HttpOnly');
  }
  const paid = await send(url, 'POST', `/c/restore/${'p'.repeat(43)}.${handle}.course`, { headers: form });
  expect([paid.status, paid.headers['set-cookie']]).toEqual([409, undefined]);
  expect(paid.text).toContain(`href="/p/${handle}"`);
});

test('a secret of a checkout restores nothing, and neither does a link that is none', async () => {
  const { json: opened } = await send(url, 'POST', '/api/checkout', { body: { handle, slug: 'course' } });
  for (const link of [
    `${opened.id}.${opened.secret}.${handle}.course`,
    `${'x'.repeat(43)}.${handle}.course`,
    `${opened.id}..${handle}.course`,
    'a.b',
    '%00.a.b.c',
  ]) {
    const unknown = await send(url, 'POST', `/c/restore/${link}`, { headers: form });
    expect([link, unknown.status, unknown.headers['set-cookie']]).toEqual([link, 404, undefined]);
  }
  const sent = await post({ do: 'restore', checkout: opened.id, secret: opened.secret });
  expect(cookieOf(sent)).not.toContain(opened.secret);
});

test('one buyer’s cookie opens no other buyer’s checkout', async () => {
  const [one, other] = [await post({ email: 'one@example.com' }), await post({ email: 'other@example.com' })];
  const [ofOne = '', ofOther = ''] = [cookieOf(one), cookieOf(other)];
  const secret = /cko_\w{26}\.([\w-]{43})/.exec(ofOther)?.[1] ?? '';
  const mixed = ofOne.replace(/(cko_\w{26}\.)[\w-]{43}/, `$1${secret}`);
  harness.checkout.forget();
  const page = await send(url, 'GET', `/c/${handle}/course`, { headers: { cookie: mixed } });
  expect(page.status).toBe(200);
  for (const email of ['one@example.com', 'other@example.com']) expect(page.text).not.toContain(email);
  await post({ do: 'pay', email: 'eve@example.com', card: 'sim_ok' }, { cookie: mixed });
  expect(requestsOf('pay').map(({ input }) => input.checkoutId)).not.toContain(/cko_\w{26}/.exec(ofOne)?.[0]);
});

test('a changed handle leads on from the earlier ones, which stay the account’s own, and opens checkouts by them', async () => {
  const [own, other] = [await createSeller(url), await createSeller(url)];
  const change = (key: string, to: string) => send(url, 'PATCH', '/api/v1/settings', { key, body: { handle: to } });
  const { handle: first } = (await send(url, 'GET', '/api/v1/settings', { key: own.key })).json;
  for (const to of ['moved-once', 'moved-twice']) expect((await change(own.key, to)).status).toBe(200);
  for (const earlier of [first, 'moved-once']) {
    const { status, headers } = await send(url, 'GET', `/c/${earlier}/course?checkout=cko_1&ref=a%20b`);
    expect([status, headers.location]).toEqual([308, '/c/moved-twice/course?checkout=cko_1&ref=a+b']);
    expect(headers['cache-control']).toBe('no-store');
    const taken = await change(other.key, earlier);
    expect([taken.status, taken.json.code]).toEqual([409, 'handle_taken']);
    await send(url, 'POST', '/api/checkout', { body: { handle: earlier, slug: 'course' } });
    expect(harness.checkout.requested.at(-1)?.context.accountId).toBe(own.accountId);
  }
  const unchanged = await send(url, 'GET', '/api/v1/settings', { key: other.key });
  expect(unchanged.json.handle).not.toBe('moved-once');
  expect((await change(own.key, 'moved-once')).status).toBe(200);
  expect((await send(url, 'GET', '/c/moved-once/course')).status).toBe(200);
  expect((await send(url, 'GET', '/c/moved-twice/course')).headers.location).toBe('/c/moved-once/course');
});

test('an account has twenty handles at most, so that no account takes all names', async () => {
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
  const requested = await send(url, 'GET', `/c/opt-out/${token}`);
  expect(requested.status).toBe(200);
  expect(requested.text).toContain('<form method="post"><button');
  expect(requested.text).toContain('&lt;i&gt;Ada&lt;/i&gt;');
  expect(requested.text).not.toContain('<i>');
  expect(requested.headers['content-security-policy']).toContain("form-action 'self'");
  expect(requested.headers['content-security-policy']).not.toContain('script-src');
  expect((await send(url, 'HEAD', `/c/opt-out/${token}`)).status).toBe(200);
  expect(requestsOf('opt out')).toEqual([]);
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
  expect(requestsOf('opt out').map(({ input }) => input)).toEqual(Array(3).fill({ token }));
  expect(requestsOf('opt out').map(({ context }) => context.accountId)).toEqual(['', '', '']);
});

test('a token that is none, or that is unknown, gets one and the same page, and large bodies are refused', async () => {
  const page = await send(url, 'GET', '/c/opt-out/unknown-token-of-this-token-whatever-it-is');
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
  // Each page is one request to the API.
  for (let fifties = 0; fifties < 12; fifties++) {
    const allowed = await Promise.all(Array.from({ length: 50 }, open));
    expect(new Set(allowed.map(({ status }) => status))).toEqual(new Set([200]));
  }
  const last = await open();
  expect(last.status).toBe(429);
  expect(last.headers['content-type']).toBe('text/html; charset=utf-8');
  expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
  expect(last.text).toMatch(/<meta http-equiv="refresh" content="\d+">/);
  const typed = `${new URLSearchParams({ do: 'pay', product, email: 'ada@example.com' })}`;
  const sent = await send(limited.url, 'POST', `/c/${handle}/course`, {
    raw: typed,
    headers: Object.assign({}, form, headers),
  });
  expect(sent.status).toBe(429);
  expect(sent.text).toContain('<input type="hidden" name="email" value="ada@example.com">');
});

test.each(['opt-out', 'restore'])('the word %s of other hosted pages is no seller’s handle', async (word) => {
  const body = { handle: word };
  const refused = await send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body });
  expect([refused.status, refused.json.code]).toEqual([409, 'handle_taken']);
  expect(refused.json.detail).toBe('This handle is reserved: choose another one.');
});
