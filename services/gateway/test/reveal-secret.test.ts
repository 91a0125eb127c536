import { newId } from '@app/contracts/ids';
import { query } from '@app/testing/sql';
import { beforeEach, expect, test } from 'vitest';
import { createSeller, platformKey } from './harness.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

startGateway();
sellerForEachTest();
const password = 'a long password';
const endpointId = newId('webhookEndpoint', Date.now());
const path = `/api/v1/webhook-endpoints/${endpointId}/reveal-secret`;
beforeEach(() => {
  harness.forget();
});

const reveal = (given: object, session = seller.session) => send(url, 'POST', path, { session, body: given });

test('who is logged in and gives the password sees the secret, of the own account', async () => {
  const shown = await reveal({ password });
  expect([shown.status, shown.json]).toEqual([200, { secret: 'whsec_of_the_tests', previous_secret: null }]);
  expect(harness.requested).toEqual([{ endpointId, accountId: seller.accountId }]);
});

test('a wrong password is 401, and the dispatcher gets no request', async () => {
  const wrong = await reveal({ password: 'another password' });
  expect([wrong.status, wrong.json.code]).toEqual([401, 'invalid_credentials']);
  const none = await reveal({});
  expect([none.status, none.json.errors[0].field]).toEqual([422, 'password']);
  expect(harness.requested).toEqual([]);
});

test('no key can do it, whatever its scopes, nor the platform key, nor a caller without a session', async () => {
  for (const key of [seller.key, platformKey]) {
    const refused = await send(url, 'POST', path, { key, body: { password } });
    expect([refused.status, refused.json.code]).toEqual([403, 'insufficient_scope']);
    expect(refused.json.detail).toBe('This needs a session of a user who is logged in: API keys may not do it.');
  }
  const none = await send(url, 'POST', path, { body: { password } });
  const unknown = await send(url, 'POST', path, { key: `${seller.key.slice(0, -1)}_`, body: { password } });
  expect([none.status, unknown.status]).toEqual([401, 401]);
  expect({ ...none.json, requestId: '' }).toEqual({ ...unknown.json, requestId: '' });
  expect(harness.requested).toEqual([]);
});

test('another seller’s password does not open it, and their session is of their own account', async () => {
  const other = await createSeller(url);
  await send(url, 'POST', '/api/auth/signup', {
    body: { email: 'differing@example.com', password: 'a different password', name: 'Differing' },
  });
  expect((await reveal({ password: 'a different password' })).status).toBe(401);
  await reveal({ password }, other.session);
  expect(harness.requested).toEqual([{ endpointId, accountId: other.accountId }]);
});

test('guesses are limited together with those of logging in', async () => {
  const { url: limited } = await harness.start({ RATE_LIMIT_PER_MINUTE: '600' });
  const wrong = { password: 'another password' };
  const guess = () => send(limited, 'POST', path, { session: seller.session, body: wrong });
  const logIn = () => send(limited, 'POST', '/api/auth/login', { body: { email: seller.email, ...wrong } });
  const attempts = await Promise.all(Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? guess() : logIn())));
  for (const { json } of attempts) expect(json.code).toBe('invalid_credentials');
  for (const { json } of [await guess(), await logIn()]) expect(json.code).toBe('rate_limited');
  const right = await send(limited, 'POST', path, { session: seller.session, body: { password } });
  expect([right.status, right.headers['retry-after']]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  expect(harness.requested).toEqual([]);
});

test('nothing of a revealed secret is kept under an Idempotency-Key, and of a rotated one a notice', async () => {
  const headers = { 'idempotency-key': 'the-same' };
  for (let n = 0; n < 2; n += 1) {
    const shown = await send(url, 'POST', path, { session: seller.session, headers, body: { password } });
    expect([shown.json.secret, shown.headers['idempotent-replayed']]).toEqual(['whsec_of_the_tests', undefined]);
  }
  const kept = 'select count(*)::int as count from idempotency_records where account_id = $1';
  expect(await query(harness.database.url, kept, [seller.accountId])).toEqual([{ count: 0 }]);
  const rotate = () => send(url, 'POST', path.replace('reveal', 'rotate'), { key: seller.key, headers });
  expect((await rotate()).json).toEqual({ id: 'whe_1', secret: 'whsec_of_the_tests' });
  expect((await rotate()).json).toEqual({ id: 'whe_1', secret_notice: expect.stringContaining('shown once') });
});

test('the secret of an automation is shown and rotated in the same way', async () => {
  const automationId = newId('automation', Date.now());
  const ofAutomation = `/api/v1/automations/${automationId}`;
  const request = (who: object, given: object) =>
    send(url, 'POST', `${ofAutomation}/reveal-secret`, { ...who, body: given });
  const { session, key } = seller;
  const wrong = await request({ session }, { password: 'another password' });
  const byKey = await request({ key }, { password });
  expect([wrong, byKey].map(({ status, json }) => [status, json.code])).toEqual([
    [401, 'invalid_credentials'],
    [403, 'insufficient_scope'],
  ]);
  expect(harness.requested).toEqual([]);
  expect((await request({ session }, { password })).json).toEqual({
    secret: 'whsec_of_the_tests',
    previous_secret: null,
  });
  expect(harness.requested).toEqual([{ automationId, accountId: seller.accountId }]);
  const rotate = (given: object) =>
    send(url, 'POST', `${ofAutomation}/rotate-secret`, { key, headers: { 'idempotency-key': 'one' }, body: given });
  expect((await rotate({ overlapHours: 1 })).json).toEqual({ id: 'aut_1', secret: 'whsec_of_the_tests' });
  expect(harness.requested.at(-1)).toEqual({ automationId, body: { overlapHours: 1 } });
  expect((await rotate({ overlapHours: 1 })).json).toEqual({
    ...{ id: 'aut_1', secret_notice: expect.stringContaining('show it again with the password') },
  });
  const reading = await createKey(['read']);
  const refused = await send(url, 'POST', `${ofAutomation}/rotate-secret`, { key: reading });
  expect([refused.status, refused.json.code]).toEqual([403, 'insufficient_scope']);
});

async function createKey(scopes: readonly string[]): Promise<string> {
  const { json } = await send(url, 'POST', '/api/v1/api-keys', {
    ...{ session: seller.session, body: { name: 'other', scopes } },
  });
  return json.key;
}
