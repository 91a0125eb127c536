import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../support/cluster.ts';
import { print } from '../support/print.ts';
import { type Answer, call, signUp } from '../support/seller.ts';

/** Bound: whoever has a session of a seller, or a key, redirects no money and no data, and makes no key. */
let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ apart: [] });
});
afterAll(() => cluster.close());

const password = 'a long enough password';
const url = 'https://thief.example/in';
const redirections: readonly (readonly [string, string, object])[] = [
  ['POST', '/api/v1/api-keys', { name: 'thief' }],
  ['PUT', '/api/v1/webhook-endpoint', { url }],
  ['POST', '/api/v1/webhook-endpoints', { url }],
  ['POST', '/api/v1/automations', { name: 'thief', event: 'order.paid', action: { type: 'post', url } }],
  ['PUT', '/api/v1/payment-processor', { processor: 'none' }],
  ['POST', '/api/auth/email', { email: 'thief@example.com' }],
  ['PATCH', '/api/v1/settings', { supportEmail: 'thief@example.com' }],
];

test('a stolen session redirects nothing, and a stolen key makes no key', async () => {
  const victim = await signUp(cluster.baseUrl);
  const entered = await call(cluster.baseUrl, 'POST', '/api/auth/login', { body: { email: victim.email, password } });
  const headers = { cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  const tried: Answer[] = [];
  for (const [method, path, body] of redirections)
    tried.push(await call(cluster.baseUrl, method, path, { headers, body }));
  expect(tried.map(({ json }) => json.code)).toEqual(redirections.map(() => 'password_required'));

  const byKey = [
    await victim.call('POST', '/api/v1/api-keys', { body: { name: 'endless' } }),
    await victim.call('POST', '/api/auth/confirm', { body: { password } }),
  ];
  expect(byKey.map(({ status }) => status)).toEqual([403, 403]);
  const { data } = (await victim.call('GET', '/api/v1/webhook-endpoints')).json;
  expect(data).toEqual([]);
  print(`stolen session: ${tried.length} redirections were refused, and a stolen key made no key`);
});
