import { listen } from '@app/testing/points';
import { expect, test } from 'vitest';
import { passwordCost } from '../src/identity/password.ts';
import { passwordHashed } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { type Sent, send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
/** A third of the usual cost: what begins beside it ends long before eight of them. */
const beside = { ...passwordCost, p: 1 };
/** So little that a queue full of hashes is over within a second, and more than what it takes to send a request. */
const cost = { ...passwordCost, N: passwordCost.N / 8, p: 1 };

const logIn = (at: string, address: string, email: string, password = 'a guess') =>
  send(at, 'POST', '/api/auth/login', { headers: { 'x-forwarded-for': address }, body: { email, password } });
const refusalOf = ({ status, json, headers }: Sent) => [status, json.code, headers['retry-after']];

test('requests with a key are answered while as many passwords are hashed as may be', async () => {
  const { key } = await createSeller(url);
  // Nothing is open yet: this gateway's first connections are made while passwords are hashed.
  const { url: other } = await harness.start({}, { passwordCost: beside });
  const begun = listen().announced(passwordHashed);
  let left = 8;
  const rush = Array.from({ length: left }, async (_, n) => {
    await logIn(other, '', `beside-${n}@example.com`);
    left -= 1;
  });
  await begun;
  expect((await send(other, 'GET', '/api/v1/orders', { key })).status).toBe(200);
  expect(left).toBeGreaterThan(0);
  await Promise.all(rush);
});

test('twenty addresses that flood the log-in keep neither the owner nor the sessions out', async () => {
  const { email, session } = await createSeller(url);
  const { url: behindProxy } = await harness.start({ TRUST_PROXY: '1' }, { passwordCost: cost });
  const begun = listen().announced(passwordHashed);
  const flood = Array.from({ length: 160 }, (_, n) =>
    logIn(behindProxy, `203.0.113.${(n % 20) + 1}`, `flood-${n}@example.com`),
  );
  await begun;
  const [own, requested] = await Promise.all([
    logIn(behindProxy, '198.51.100.7', email, 'a long password'),
    send(behindProxy, 'GET', '/api/auth/me', { session }),
  ]);
  expect([own.status, requested.status]).toEqual([200, 200]);
  const refused = (await Promise.all(flood)).filter(({ status }) => status !== 401);
  expect(refused.length).toBeGreaterThan(0);
  for (const one of refused) expect(refusalOf(one)).toEqual([503, 'service_unavailable', '10']);
});

test('one address that floods the log-in is refused beyond its share, and no other is', async () => {
  const { email } = await createSeller(url);
  const { url: behindProxy } = await harness.start({ TRUST_PROXY: '1' }, { passwordCost: cost });
  const flood = Array.from({ length: 40 }, (_, n) => logIn(behindProxy, '203.0.113.1', `rush-${n}@example.com`));
  const others = ['198.51.100.1', '198.51.100.2'].map((address) =>
    logIn(behindProxy, address, email, 'a long password'),
  );
  for (const { status } of await Promise.all(others)) expect(status).toBe(200);
  const refused = (await Promise.all(flood)).filter(({ status }) => status !== 401);
  expect(refused.length).toBeGreaterThan(0);
  for (const one of refused) expect(refusalOf(one)).toEqual([429, 'rate_limited', '10']);
});
