import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHarness, createSeller, type Harness, platformKey } from './harness.ts';
import { send } from './http.ts';

guardLeaks();

let harness: Harness;
let url: string;

beforeAll(async () => {
  harness = await createHarness();
  ({ url } = await harness.start({ RATE_LIMIT_PER_MINUTE: '5', TRUST_PROXY: '1' }));
});
afterAll(() => harness.close());

test('a key has its quota for a minute; the daily job and health are outside of it', async () => {
  const unlimited = await harness.start();
  const { key, session } = await createSeller(unlimited.url);
  const list = (caller: object) => send(url, 'GET', '/api/v1/orders', caller);
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push(await list({ key }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(answers.map(({ headers }) => headers['ratelimit-policy'])).toEqual(Array(6).fill('"default";q=5;w=60'));
  expect(answers[0]?.headers.ratelimit).toMatch(/^"default";r=4;t=60$/);
  expect(answers[1]?.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '3' });
  expect(answers[1]?.headers['ratelimit-reset']).toMatch(/^(60|5\d)$/);
  const refused = answers[5];
  expect(refused?.json).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(refused?.headers.ratelimit).toMatch(/^"default";r=0;t=\d+$/);
  expect(refused?.headers['retry-after']).toMatch(/^(60|5\d)$/);
  expect((await send(url, 'POST', '/api/cron/daily', { key })).status).toBe(200);
  expect((await send(url, 'POST', '/api/cron/daily', { key: platformKey })).status).toBe(200);
  expect((await send(url, 'GET', '/healthz')).headers.ratelimit).toBeUndefined();
  // Another key of the account, or its session, has a quota of its own.
  expect((await list({ session })).status).toBe(200);
});

test('an address gets sixty tries a minute without a valid key, and another address does not suffer from it', async () => {
  const from = (address: string, method = 'GET', path = '/api/v1/orders') =>
    send(url, method, path, {
      headers: { 'x-forwarded-for': address, authorization: 'Bearer fnl_guess' },
      ...(method === 'POST' ? { body: {} } : {}),
    });
  const statuses = [];
  for (let i = 0; i < 60; i++) statuses.push((await from('203.0.113.9')).status);
  expect(new Set(statuses)).toEqual(new Set([401]));
  const next = [await from('203.0.113.9'), await from('203.0.113.9', 'POST', '/api/auth/login')];
  for (const { status, headers } of next)
    expect([status, headers['ratelimit-policy']]).toEqual([429, '"default";q=60;w=60']);
  expect((await from('203.0.113.10')).status).toBe(401);
});

test('an email has ten tries a minute to sign in, from whatever address, and another email its own', async () => {
  let address = 0;
  const login = (email: string) =>
    send(url, 'POST', '/api/auth/login', {
      headers: { 'x-forwarded-for': `198.51.100.${++address}` },
      body: { email, password: 'a guess' },
    });
  const tries = [];
  for (let i = 0; i < 11; i++) tries.push(await login(i % 2 === 0 ? 'ada@example.com' : 'ADA@example.com'));
  expect(tries.map(({ status }) => status)).toEqual([...Array(10).fill(401), 429]);
  expect(tries[10]?.json.code).toBe('rate_limited');
  expect(tries[10]?.headers['retry-after']).toMatch(/^(60|5\d)$/);
  expect((await login('bob@example.com')).status).toBe(401);
});

test('without proxies in front the forwarded address is not believed', async () => {
  const direct = await harness.start({ RATE_LIMIT_PER_MINUTE: '5' });
  const statuses = [];
  for (let i = 0; i < 61; i++)
    statuses.push(
      (await send(direct.url, 'GET', '/api/v1/orders', { headers: { 'x-forwarded-for': `203.0.113.${i}` } })).status,
    );
  expect(statuses.at(-1)).toBe(429);
});
