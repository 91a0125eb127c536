import { beforeAll, expect, test } from 'vitest';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { send } from './http.ts';
import { harness, startGateway } from './set-up.ts';

/** Guarantee: one network makes a bounded number of accounts in an hour, over all replicas, and others go on. */
const settings = { RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1', SIGNUPS_PER_HOUR: '3' };
startGateway(settings);

let replicas: RunningGateway[];
beforeAll(async () => {
  replicas = [await harness.start(settings), await harness.start(settings)];
});

let emails = 0;
const password = 'a long password';
const newEmail = () => `network-${++emails}@example.com`;
const at = (n: number) => replicas[n % 2]?.url ?? '';
const signUp = (address: string, n: number, email = newEmail()) =>
  send(at(n), 'POST', '/api/auth/signup', {
    headers: { 'x-forwarded-for': address },
    body: { email, password, name: 'Shop' },
  });

test.each([
  ['an IPv4 address', (_: number) => '198.51.100.7', '198.51.100.8'],
  [
    'an IPv4 address, as a socket for both kinds writes it too,',
    (n: number) => `${n % 2 ? '' : '::ffff:'}198.51.100.9`,
    '198.51.100.10',
  ],
  ['the /64 of an IPv6 address', (n: number) => `2001:db8:1:2::${n}`, '2001:db8:1:3::1'],
])('%s gets three, and then 429 that says when', async (_, from, other) => {
  const answers = [];
  for (let n = 1; n <= 4; n += 1) answers.push(await signUp(from(n), n));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(answers[3]?.json).toMatchObject({ code: 'rate_limited' });
  expect(Number(answers[3]?.headers['retry-after'])).toBeGreaterThan(3_000);
  expect((await signUp(other, 1)).status).toBe(200);
});

test('refused attempts count: nobody finds out by them who has an account; who has one logs in all the same', async () => {
  const address = '203.0.113.9';
  const email = newEmail();
  expect((await signUp('203.0.113.10', 1, email)).status).toBe(200);
  const statuses = [];
  for (let n = 1; n <= 4; n += 1) statuses.push((await signUp(address, n, email)).status);
  expect(statuses).toEqual([409, 409, 409, 429]);
  const headers = { 'x-forwarded-for': address };
  expect((await send(at(0), 'POST', '/api/auth/login', { headers, body: { email, password } })).status).toBe(200);
});

test('the page shows the form with what was typed, and when to try again', async () => {
  const address = '203.0.113.20';
  for (let n = 1; n <= 3; n += 1) await signUp(address, n);
  const answer = await fetch(`${at(0)}/signup`, {
    method: 'POST',
    headers: { 'x-forwarded-for': address },
    body: new URLSearchParams({ name: 'Typed Shop', email: newEmail(), password }),
  });
  expect(answer.status).toBe(429);
  expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(3_000);
  const page = await answer.text();
  expect(page).toContain('Typed Shop');
  expect(page).toContain('At most 3 accounts can be made from one network in an hour');
});

test('0 is no bound', async () => {
  const unbounded = await harness.start({ ...settings, SIGNUPS_PER_HOUR: '0' });
  const body = () => ({ email: newEmail(), password, name: 'Shop' });
  for (let n = 1; n <= 5; n += 1)
    expect((await send(unbounded.url, 'POST', '/api/auth/signup', { body: body() })).status).toBe(200);
});
