import { accountTakenBack } from '@app/contracts/accounts';
import { orderPaid } from '@app/contracts/orders';
import { startReceiver } from '@app/testing/http-receiver';
import { expect, onTestFinished, test } from 'vitest';
import { letterPath, letterTo } from './support/letters.ts';
import { addProduct, call, placeOrder, signUp } from './support/seller.ts';
import { sharedPlatform } from './support/shared-platform.ts';
import { attempted, handled } from './support/waits.ts';

/** Guarantee: who signed up with the address of somebody else keeps nothing once that person has chosen a password. */
test('a reset of a never verified account verifies it and ends keys, sessions, webhook URLs, automations and processor keys', async () => {
  const { baseUrl, emails } = await sharedPlatform();
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const hijacker = await signUp(baseUrl, 'Not the owner');
  await addProduct(hijacker);
  const set = async (method: string, path: string, body: object) =>
    expect([path, (await hijacker.call(method, path, { body })).status]).toEqual([path, 200]);
  await set('PUT', '/api/v1/webhook-endpoint', { url: `${receiver.url}/first` });
  await set('POST', '/api/v1/webhook-endpoints', { url: `${receiver.url}/second` });
  const action = { type: 'post', url: `${receiver.url}/automation` };
  await set('POST', '/api/v1/automations', { name: 'Copy', event: 'order.paid', action });
  await set('PUT', '/api/v1/payment-processor', { processor: 'simulated', secretKey: 'of the hijacker' });
  await placeOrder(hijacker, { productSlug: 'course', email: 'buyer@example.com' });
  await receiver.received(3);
  // What waits for them when they end is not sent either.
  receiver.respondWith(() => ({ status: 503, headers: { 'retry-after': '3600' } }));
  await placeOrder(hijacker, { productSlug: 'course', email: 'buyer2@example.com' });
  await attempted(hijacker.accountId, 3, 503);

  const { email, accountId, session } = hijacker;
  await call(baseUrl, 'POST', '/api/auth/password-reset', { body: { email } });
  const path = letterPath(await letterTo(email, emails, 'password_reset'), 'password-reset');
  const token = path.split('/').at(-1);
  const password = 'the password of the owner';
  const reset = await call(baseUrl, 'POST', '/api/auth/password-reset/redeem', { body: { token, password } });
  expect(reset.status).toBe(200);

  expect((await hijacker.call('GET', '/api/v1/orders')).status).toBe(401);
  expect((await call(baseUrl, 'GET', '/api/auth/me', { headers: { cookie: session } })).status).toBe(401);
  const entered = await call(baseUrl, 'POST', '/api/auth/login', { body: { email, password } });
  const headers = { cookie: entered.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  const read = async (of: string) => (await call(baseUrl, 'GET', of, { headers })).json;
  expect(await read('/api/auth/me')).toMatchObject({ accountId, emailVerified: true });
  expect((await read('/api/v1/webhook-endpoints')).data).toEqual([]);
  const { data: automations } = await read('/api/v1/automations');
  expect(automations.filter(({ built_in }: { built_in: string | null }) => built_in === null)).toEqual([]);
  expect(await read('/api/v1/payment-processor')).toMatchObject({ processor: 'none', secrets: [], stripe: null });
  expect((await read('/api/v1/webhook-deliveries?status=pending')).data).toEqual([]);

  for (const service of ['webhook-dispatcher', 'billing'] as const)
    await handled(service, accountTakenBack, (_, of) => of === accountId);
  const before = receiver.requests.length;
  const body = { productSlug: 'course', email: 'new@example.com' };
  const sold = await call(baseUrl, 'POST', '/api/v1/orders', { headers, body });
  expect(sold.status).toBe(200);
  await handled(
    'webhook-dispatcher',
    orderPaid,
    ({ customerEmail }, of) => of === accountId && customerEmail === 'new@example.com',
  );
  const { data: sent } = await read('/api/v1/webhook-deliveries?limit=100');
  const ofSale = sent.filter(({ order_id: id }: { order_id: string }) => id === sold.json.orderId);
  expect(JSON.stringify(ofSale)).not.toContain(receiver.url);
  expect(receiver.requests.length).toBe(before);
});
