import { apiKeyResource, createdApiKeyResource, meResource, settingsResource } from '@app/contracts/accounts';
import { listOf } from '@app/contracts/common';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, expect, test, vi } from 'vitest';
import { newApiKey } from '../src/identity/api-key-format.ts';
import { passwordCost } from '../src/identity/password.ts';
import { credentialUseRecorded } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
afterEach(() => {
  vi.useRealTimers();
  harness.clock.reset();
});

const logIn = (email: string, password: string) => send(url, 'POST', '/api/auth/login', { body: { email, password } });
const orders = (key: string, at = url) => send(at, 'GET', '/api/v1/orders', { key });

test('sign-up makes an account with its own handle, signs in, and never stores the password', async () => {
  const password = 'correct horse battery';
  // The others make do with less.
  const production = await harness.start({}, { passwordCost });
  const first = await send(production.url, 'POST', '/api/auth/signup', {
    body: { email: 'Maya@Example.com', password, name: 'Maya’s Studio' },
  });
  expect(first.status).toBe(200);
  expect(first.json).toEqual({ ok: true, accountId: expect.stringMatching(/^acc_/) });
  expect(first.headers['set-cookie']?.[0]).toMatch(
    /^fnl_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  );
  const session = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const me = await send(url, 'GET', '/api/auth/me', { session });
  expect(meResource.strict().parse(me.json)).toEqual({
    accountId: first.json.accountId,
    email: 'maya@example.com',
    emailVerified: false,
    isCopy: false,
    // The harness has no mail server.
    emailFolder: expect.stringMatching(/^\/.+/),
    name: 'Maya’s Studio',
    handle: 'mayas-studio',
  });

  const second = await send(url, 'POST', '/api/auth/signup', {
    body: { email: 'other@example.com', password, name: 'Mayas Studio' },
  });
  const settings = await send(url, 'GET', '/api/v1/settings', {
    session: second.headers['set-cookie']?.[0]?.split(';')[0] ?? '',
  });
  expect(settingsResource.strict().parse(settings.json)).toMatchObject({
    handle: expect.stringMatching(/^mayas-studio-[0-9a-f]{6}$/),
    supportEmail: 'other@example.com',
    defaultCurrency: 'usd',
    testMode: false,
  });

  const again = await send(url, 'POST', '/api/auth/signup', {
    body: { email: 'MAYA@example.com', password, name: 'x' },
  });
  expect([again.status, again.json.code]).toEqual([409, 'email_taken']);
  const users = await query<{ hash: string }>(
    harness.database.url,
    'select password_hash as hash from users where account_id = $1',
    [first.json.accountId],
  );
  expect(users).toEqual([{ hash: expect.stringMatching(/^scrypt\$32768\$8\$3\$/) }]);
  expect(await logIn('maya@example.com', password)).toMatchObject({ status: 200, json: first.json });
  const stored = JSON.stringify(await query(harness.database.url, 'select * from users, sessions'));
  expect(stored).not.toContain(password);
  expect(stored).not.toContain(session.slice('fnl_session='.length));
});

test('login answers a wrong password and an unknown email alike; logout ends the session', async () => {
  const { email } = await createSeller(url);
  const wrong = [await logIn(email, 'not the password'), await logIn('unknown@example.com', 'not the password')];
  for (const refused of wrong) expect([refused.status, refused.json.code]).toEqual([401, 'invalid_credentials']);
  const right = await logIn(email.toUpperCase(), 'a long password');
  const session = right.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  expect((await send(url, 'GET', '/api/v1/orders', { session })).status).toBe(200);
  const out = await send(url, 'POST', '/api/auth/logout', { session });
  expect(out.headers['set-cookie']?.[0]).toMatch(/^fnl_session=; Path=\/; Max-Age=0;/);
  expect((await send(url, 'GET', '/api/v1/orders', { session })).status).toBe(401);
});

test('a session ends after 30 days', async () => {
  const { session } = await createSeller(url);
  harness.clock.advance(30 * 86_400_000 - 60_000);
  expect((await send(url, 'GET', '/api/auth/me', { session })).status).toBe(200);
  harness.clock.advance(120_000);
  expect((await send(url, 'GET', '/api/auth/me', { session })).status).toBe(401);
});

test('sign-up refuses a common password and the own address, and makes nothing', async () => {
  const email = 'easily-guessed@example.com';
  const signUp = (password: string) =>
    send(url, 'POST', '/api/auth/signup', { body: { email, password, name: 'Easy' } });
  const refused = [await signUp('Password123!'), await signUp(email)];
  expect(refused.map(({ status, json }) => [status, json.code, json.errors])).toEqual([
    [422, 'validation_failed', [expect.objectContaining({ field: 'password', code: 'too_common' })]],
    [422, 'validation_failed', [expect.objectContaining({ field: 'password', code: 'own_address' })]],
  ]);
  expect(await query(harness.database.url, 'select id from users where email = $1', [email])).toEqual([]);
});

test('sign-up can be switched off', async () => {
  const closed = await harness.start({ SIGNUP: 'closed' });
  const refused = await send(closed.url, 'POST', '/api/auth/signup', {
    body: { email: 'a@example.com', password: 'a long password', name: 'A' },
  });
  expect([refused.status, refused.json.code]).toEqual([403, 'signup_closed']);
});

test('missing, malformed, unknown, revoked and expired keys get one identical answer', async () => {
  const { session, key } = await createSeller(url);
  const make = async (body: object) =>
    (await send(url, 'POST', '/api/v1/api-keys', { session, body: { name: 'k', ...body } })).json;
  const revoked = await make({});
  await send(url, 'DELETE', `/api/v1/api-keys/${revoked.id}`, { session });
  const expired = await make({ expiresAt: new Date(Date.now() + 60_000).toISOString() });
  harness.clock.advance(61_000);
  const authorizations = [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${key}`,
    `Bearer ${key}x`,
    'Bearer fnl_short',
    `Bearer ${newApiKey()}`,
    `Bearer ${revoked.key}`,
    `Bearer ${expired.key}`,
    'Bearer \u00e9',
  ];
  const answers = await Promise.all([
    send(url, 'GET', '/api/v1/orders'),
    ...authorizations.map((authorization) => send(url, 'GET', '/api/v1/orders', { headers: { authorization } })),
    // A broken key is not made good by a session.
    send(url, 'GET', '/api/v1/orders', { session, headers: { authorization: 'Bearer nonsense' } }),
  ]);
  const bodies = answers.map(({ status, headers, json: { requestId, ...body } }) => {
    expect(requestId).toBe(headers['x-request-id']);
    return JSON.stringify({ status, body, type: headers['content-type'], challenge: headers['www-authenticate'] });
  });
  expect(new Set(bodies).size).toBe(1);
  expect(JSON.parse(bodies[0] as string)).toMatchObject({
    status: 401,
    body: { code: 'unauthorized' },
    challenge: 'Bearer',
  });
  expect((await orders(key)).status).toBe(200);
});

test('a key is shown once, stored as a hash, and listed by its ends', async () => {
  const { session, key, keyId, accountId } = await createSeller(url);
  expect((await orders(key)).status).toBe(200);
  await announced(credentialUseRecorded, ({ id }) => id === keyId);
  const { json } = await send(url, 'GET', '/api/v1/api-keys', { session });
  const { data } = listOf(apiKeyResource.strict()).strict().parse(json);
  expect(data).toEqual([
    expect.objectContaining({
      id: keyId,
      prefix: key.slice(0, 8),
      last_four: key.slice(-4),
      scopes: ['read', 'write', 'money'],
      revoked_at: null,
      last_used_at: expect.any(String),
    }),
  ]);
  const stored = JSON.stringify(
    await query(harness.database.url, 'select * from api_keys where account_id = $1', [accountId]),
  );
  expect(stored).not.toContain(key);
});

test('keys are listed newest first, a hundred or page by page', async () => {
  const { key, keyId, session } = await createSeller(url);
  const ids = [keyId];
  for (let i = 0; i < 4; i++)
    ids.unshift((await send(url, 'POST', '/api/v1/api-keys', { session, body: { name: 'k' } })).json.id);
  const list = async (query: string) => {
    const { json } = await send(url, 'GET', `/api/v1/api-keys${query}`, { key });
    return [json.data.map(({ id }: { id: string }) => id), json.has_more];
  };
  expect(await list('')).toEqual([ids, undefined]);
  expect(await list('?limit=2')).toEqual([ids.slice(0, 2), true]);
  expect(await list(`?limit=2&before=${ids[1]}`)).toEqual([ids.slice(2, 4), true]);
  expect(await list(`?before=${ids[3]}`)).toEqual([ids.slice(4), false]);
  expect((await send(url, 'GET', '/api/v1/api-keys?limit=101', { key })).json.errors).toEqual([
    expect.objectContaining({ field: 'limit' }),
  ]);
});

test('a revoked key stops at once where it was revoked, and within a second everywhere', async () => {
  const other = await harness.start();
  const { session, key, keyId } = await createSeller(url);
  // The other replica has found the key a moment ago, and no time passes but the second.
  vi.useFakeTimers({ toFake: ['performance'] });
  expect([(await orders(key)).status, (await orders(key, other.url)).status]).toEqual([200, 200]);
  const revoked = await send(url, 'DELETE', `/api/v1/api-keys/${keyId}`, { session });
  expect(revoked.json).toEqual({ ok: true });
  expect((await orders(key)).status).toBe(401);
  vi.advanceTimersByTime(1_000);
  expect((await orders(key, other.url)).status).toBe(401);
});

test('a changed setting holds for the next request', async () => {
  const { key } = await createSeller(url);
  let testMode: boolean | undefined;
  harness.orders.place = async ({ account }, { commandId }) => {
    testMode = account.testMode;
    return { ok: true, orderId: `ord_${commandId}`, totalCents: 1 };
  };
  const place = () => send(url, 'POST', '/api/v1/orders', { key, body: { productSlug: 'a', email: 'a@example.com' } });
  await place();
  expect(testMode).toBe(false);
  const changed = await send(url, 'PATCH', '/api/v1/settings', { key, body: { testMode: true, handle: 'my-own' } });
  expect(changed.json).toMatchObject({ testMode: true, handle: 'my-own' });
  await place();
  expect(testMode).toBe(true);
  const other = await createSeller(url);
  const taken = await send(url, 'PATCH', '/api/v1/settings', { key: other.key, body: { handle: 'my-own' } });
  expect([taken.status, taken.json.code]).toEqual([409, 'handle_taken']);
});

const confirm = (session: string) =>
  send(url, 'POST', '/api/auth/confirm', { session, body: { password: 'a long password' } });

test('rotation gives a new key and lets the old one go on for the overlap', async () => {
  const { key, keyId, session } = await createSeller(url);
  const rotated = await send(url, 'POST', `/api/v1/api-keys/${keyId}/rotate`, { key });
  const fresh = createdApiKeyResource.strict().required({ key: true }).parse(rotated.json);
  expect(fresh.id).not.toBe(keyId);
  expect([(await orders(key)).status, (await orders(fresh.key)).status]).toEqual([200, 200]);
  harness.clock.advance(24 * 3_600_000 + 1_000);
  expect([(await orders(key)).status, (await orders(fresh.key)).status]).toEqual([401, 200]);
  await confirm(session);
  const dead = await send(url, 'POST', `/api/v1/api-keys/${keyId}/rotate`, { session });
  expect([dead.status, dead.json.code]).toEqual([409, 'invalid_transition']);
  const atOnce = await send(url, 'POST', `/api/v1/api-keys/${fresh.id}/rotate`, {
    key: fresh.key,
    body: { overlapHours: 0 },
  });
  expect([(await orders(fresh.key)).status, (await orders(atOnce.json.key)).status]).toEqual([401, 200]);
  const tooLong = await send(url, 'POST', `/api/v1/api-keys/${atOnce.json.id}/rotate`, {
    key: atOnce.json.key,
    body: { overlapHours: 169 },
  });
  expect(tooLong.status).toBe(422);
});

test('each key that rotation makes has the own expiry of the first, however often that is rotated', async () => {
  const { key, keyId, session } = await createSeller(url);
  const rotate = (id: string, body?: object) => send(url, 'POST', `/api/v1/api-keys/${id}/rotate`, { session, body });
  const [first, second] = [await rotate(keyId), await rotate(keyId, { overlapHours: 48 })];
  expect([first.json.expires_at, second.json.expires_at]).toEqual([null, null]);
  const expiresAt = new Date(harness.clock.nowMs() + 10 * 86_400_000).toISOString();
  const ending = await send(url, 'POST', '/api/v1/api-keys', { session, body: { name: 'ending', expiresAt } });
  const successors = [await rotate(ending.json.id), await rotate(ending.json.id)];
  expect(successors.map(({ json }) => json.expires_at)).toEqual([expiresAt, expiresAt]);
  harness.clock.advance(24 * 3_600_000 + 1_000);
  // The overlap of the first rotation stands: rotating again makes no key live longer.
  expect((await orders(key)).status).toBe(401);
  for (const { json } of [first, second, ...successors]) expect((await orders(json.key)).status).toBe(200);
});

test('sign-up under an Idempotency-Key makes one account, and signs in once', async () => {
  const wanted = { email: 'once@example.com', password: 'a long password', name: 'Once' };
  const signUp = (body: object) =>
    send(url, 'POST', '/api/auth/signup', { headers: { 'idempotency-key': 'sign-up-1' }, body });
  const first = await signUp(wanted);
  const again = await signUp(wanted);
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
  expect([first.headers['set-cookie']?.length, again.headers['set-cookie']]).toEqual([1, undefined]);
  const other = await signUp({ ...wanted, password: 'another password' });
  expect([other.status, other.json.code]).toEqual([422, 'idempotency_key_reused']);
  // No account can keep a key from another.
  expect((await signUp({ ...wanted, email: 'twice@example.com' })).json.accountId).not.toBe(first.json.accountId);
  // Its process died between the commit and the answer.
  await query(
    harness.database.url,
    `update idempotency_records set status = null, response = null, lease_until = now()
     where key = 'sign-up-1' and command_id = $1`,
    [first.json.accountId.slice(4)],
  );
  const finished = await signUp(wanted);
  expect([finished.status, finished.text, finished.headers['set-cookie']?.length]).toEqual([200, first.text, 1]);
  const taken = await send(url, 'POST', '/api/auth/signup', { body: wanted });
  expect([taken.status, taken.json.code]).toEqual([409, 'email_taken']);
});

test('a key does what its scopes say, and makes no other', async () => {
  const { session } = await createSeller(url);
  const make = (scopes: string[], caller: object) =>
    send(url, 'POST', '/api/v1/api-keys', { ...caller, body: { name: 'k', scopes } });
  const reader = (await make(['read'], { session })).json.key;
  const writer = (await make(['write'], { session })).json.key;
  const refused = [
    await send(url, 'POST', '/api/v1/orders', { key: reader, body: { productSlug: 'a', email: 'a@example.com' } }),
    await send(url, 'GET', '/api/v1/orders', { key: writer }),
    await send(url, 'POST', '/api/cron/daily', { key: writer }),
    await make(['write'], { key: writer }),
  ];
  for (const answer of refused) expect([answer.status, answer.json.code]).toEqual([403, 'insufficient_scope']);
});

test('another account’s key id is an unknown id', async () => {
  const mine = await createSeller(url);
  const other = await createSeller(url);
  for (const id of [mine.keyId, 'key_nothing', `key_${'0'.repeat(26)}`]) {
    const revoked = await send(url, 'DELETE', `/api/v1/api-keys/${id}`, { key: other.key });
    const rotated = await send(url, 'POST', `/api/v1/api-keys/${id}/rotate`, { key: other.key });
    expect([revoked.json.code, rotated.json.code]).toEqual(['api_key_not_found', 'api_key_not_found']);
  }
  expect((await orders(mine.key)).status).toBe(200);
});

test('a browser session writes from its own site only', async () => {
  const { session, key } = await createSeller(url);
  const { host } = new URL(url);
  const patch = (headers: Record<string, string>, caller: object = { session }) =>
    send(url, 'PATCH', '/api/v1/settings', { ...caller, headers, body: { testMode: false } });
  for (const headers of [{}, { 'sec-fetch-site': 'same-origin' }, { origin: `http://${host}` }])
    expect((await patch(headers)).status).toBe(200);
  for (const headers of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ]) {
    const refused = await patch(headers);
    expect([refused.status, refused.json.code]).toEqual([403, 'cross_site_request']);
  }
  expect((await patch({ 'sec-fetch-site': 'cross-site' }, { key })).status).toBe(200);
});
