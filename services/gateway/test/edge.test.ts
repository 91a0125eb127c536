import { expect, onTestFinished, test } from 'vitest';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { exchange } from './raw-http.ts';
import { harness, startGateway, url } from './set-up.ts';

/** What a stranger sees of the edge: headers, addresses that are none, and what is said at well-known ones. */
startGateway({ RATE_LIMIT_PER_MINUTE: '0' });

const started = async (settings: Record<string, string>) => {
  const gateway = await harness.start(settings);
  onTestFinished(() => gateway.close());
  return gateway.url;
};

test('every answer keeps other sites out of its windows and lets no script use what no page needs', async () => {
  for (const path of ['/healthz', '/login', '/api/v1/orders', '/nothing', '/assets/x/nothing']) {
    const { headers } = await send(url, 'GET', path);
    expect(headers['cross-origin-opener-policy']).toBe('same-origin-allow-popups');
    expect(headers['cross-origin-resource-policy']).toBe('same-origin');
    expect(headers['permissions-policy']).toMatch(/^accelerometer=\(\), camera=\(\), .*, payment=\(\)$/);
  }
});

test('what is not among the assets and the pictures is a problem document, and a page for people', async () => {
  for (const path of ['/assets/x/nothing.css', '/images/products/nothing.png', '/images/logos/nothing.png']) {
    const { status, json } = await send(url, 'GET', path);
    expect([path, status, json?.code, json?.requestId]).toEqual([path, 404, 'not_found', expect.any(String)]);
    const page = await send(url, 'GET', path, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
  }
});

test('an address in absolute form is one of this host, and of no other', async () => {
  const { host } = new URL(url);
  const ask = (target: string) => exchange(url, `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
  expect(await ask(`http://${host}/healthz`)).toMatchObject({ status: 200, json: { status: 'ok' } });
  expect((await ask(`http://${host}`)).status).toBe(303);
  for (const foreign of [
    'http://evil.example/healthz',
    'https://evil.example/login',
    `http://${host}.evil.example/healthz`,
  ])
    expect(await ask(foreign)).toMatchObject({
      status: 400,
      text: expect.stringContaining('names the host that its header Host names'),
    });
});

test('a refusal because of Accept counts for the limit as every answer', async () => {
  const limited = await started({ RATE_LIMIT_PER_MINUTE: '3' });
  const { key } = await createSeller(url);
  const refused = () => send(limited, 'GET', '/api/v1/settings', { key, headers: { accept: 'text/html' } });
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await refused()).status);
  expect(statuses).toEqual([406, 406, 406, 429]);
  expect((await send(url, 'GET', '/api/v1/settings', { headers: { accept: 'text/html' } })).status).toBe(401);
});

test('security.txt names the deployment’s contact, and is none where none is set', async () => {
  const path = '/.well-known/security.txt';
  expect((await send(url, 'GET', path)).status).toBe(404);
  const settings = { SECURITY_CONTACT: 'mailto:security@shop.example', PUBLIC_URL: 'https://shop.example' };
  const { status, headers, text } = await send(await started(settings), 'GET', path);
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toContain('Contact: mailto:security@shop.example\n');
  expect(text).toContain('Canonical: https://shop.example/.well-known/security.txt\n');
  const [, expires = ''] = /^Expires: (.+)$/m.exec(text) ?? [];
  const days = (Date.parse(expires) - harness.clock.nowMs()) / 86_400_000;
  expect([days > 30, days < 365]).toEqual([true, true]);
  await expect(harness.start({ SECURITY_CONTACT: 'somebody' })).rejects.toThrow('SECURITY_CONTACT');
});

test('password managers find where a password is changed', async () => {
  const { status, headers } = await send(url, 'GET', '/.well-known/change-password');
  expect([status, headers.location]).toEqual([302, '/app/settings/account']);
});

test('under https buyers’ cookies have names that other hosts of the domain cannot set, and those of before are read', async () => {
  const secure = await started({ PUBLIC_URL: 'https://shop.example' });
  const { key } = await createSeller(url);
  const { handle } = (await send(url, 'GET', '/api/v1/settings', { key })).json;
  const own = { host: 'shop.example', 'content-type': 'application/x-www-form-urlencoded' };
  const path = `/c/${handle}/course`;
  const seen = await send(secure, 'GET', path, { headers: own });
  expect(String(seen.headers['set-cookie'])).toMatch(/^__Host-fnl_buyer=[\w-]{43}; Path=\/; .*; Secure$/);
  const body = new URLSearchParams({
    key: 'k',
    product: 'prd_01jd2q5v8kfw9s3x6z7yabcdef',
    quote: 'quote',
    email: 'a@example.com',
  }).toString();
  const opened = await send(secure, 'POST', path, { headers: own, raw: body });
  const set = String(opened.headers['set-cookie']);
  const [, name = '', value = ''] = /(?:^|,)__Secure-(fnl_checkout_prd_\w{26})=([^;]+); Path=\/c;/.exec(set) ?? [];
  expect([name, set.includes('; Secure')]).toEqual([expect.stringMatching(/^fnl_checkout/), true]);
  const reads = async (cookie: string) => {
    harness.checkout.forget();
    await send(secure, 'GET', path, { headers: { ...own, cookie } });
    return harness.checkout.requested.filter((one) => one.name === 'get').map(({ input }) => input.checkoutId);
  };
  const [id = ''] = value.split('.');
  expect(await reads(`__Secure-${name}=${value}`)).toEqual([id]);
  expect(await reads(`${name}=${value}`)).toEqual([id]);
  const foreign = value.replace(id, `cko_${'0'.repeat(26)}`);
  expect(await reads(`${name}=${foreign}; __Secure-${name}=${value}`)).toEqual([id]);
  expect(await reads(`__Secure-${name}=${value}; ${name}=${foreign}`)).toEqual([id]);
});
