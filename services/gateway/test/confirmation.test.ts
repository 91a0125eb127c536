import { minuteMs } from '@app/contracts/durations';
import { newId } from '@app/contracts/ids';
import { operations } from '@app/gateway/operations';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, expect, test } from 'vitest';
import { z } from 'zod';
import { scopesOf } from '../src/api/operation.ts';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { changesToldTo } from './letter-files.ts';
import { harness, startGateway, url } from './set-up.ts';

/**
 * Guarantee: a stolen session redirects no money and no data. What does needs the person once more, who reads of it in a letter;
 * API keys do what their scopes say, and make no keys.
 */
startGateway();
afterEach(() => harness.clock.reset());

const password = 'a long password';

async function newSession(): Promise<{ email: string; session: string; accountId: string; key: string }> {
  const seller = await createSeller(url);
  const entered = await send(url, 'POST', '/api/auth/login', { body: { email: seller.email, password } });
  return { ...seller, session: entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

const confirm = (session: string, given = password, at = url) =>
  send(at, 'POST', '/api/auth/confirm', { session, body: { password: given } });
const makeKey = (session: string, headers = {}) =>
  send(url, 'POST', '/api/v1/api-keys', { session, headers, body: { name: 'mine' } });
const statusAndCode = ({ status, json }: Awaited<ReturnType<typeof send>>) => [status, json?.code];
const refusal = [403, 'password_required'];
const noticed = (email: string, count: number) =>
  announced(letterAttempted, ({ to, kind }) => to === email && kind === 'change_notice', count);

/** What a session may not do without its person, each with what makes it one. */
const sensitive = {
  createApiKey: ['POST', '/api/v1/api-keys', { name: 'mine' }],
  putWebhookEndpoint: ['PUT', '/api/v1/webhook-endpoint', { url: 'https://hooks.example.com/in' }],
  createWebhookEndpoint: ['POST', '/api/v1/webhook-endpoints', { url: 'https://hooks.example.com/in' }],
  createAutomation: [
    'POST',
    '/api/v1/automations',
    { name: 'A', event: 'order.paid', action: { type: 'post', url: 'https://hooks.example.com/in' } },
  ],
  putPaymentProcessor: ['PUT', '/api/v1/payment-processor', { processor: 'none' }],
  changeEmail: ['POST', '/api/auth/email', { email: 'new@example.com' }],
  updateSettings: ['PATCH', '/api/v1/settings', { supportEmail: 'help@example.com' }],
} as const;

/** What a log-in takes; factors.test.ts tries them, and e2e/factors.test.ts those of passkeys. */
const ofFactors = ['createPasskey', 'deletePasskey', 'setUpCodes', 'activateCodes', 'removeCodes', 'createBackupCodes'];

test.each(Object.entries(sensitive))(
  '%s needs the person of a session, and nothing is done before',
  async (_, call) => {
    const [method, path, body] = call;
    const { session } = await newSession();
    const before = harness.requested.length;
    expect(statusAndCode(await send(url, method, path, { session, body }))).toEqual(refusal);
    const commands = harness.requested.slice(before).filter((input) => JSON.stringify(input).includes('hooks'));
    expect(commands).toEqual([]);
    expect((await confirm(session)).json).toMatchObject({ ok: true });
    expect((await send(url, method, path, { session, body })).status).toBe(200);
  },
);

test('a page of another’s that reminders would lead to needs the person, the hosted page again does not', async () => {
  const { session } = await newSession();
  const change = (body: object) => send(url, 'PATCH', '/api/v1/settings', { session, body });
  const page = { checkoutUrl: 'https://shop.example.com/pay' };
  expect(statusAndCode(await change(page))).toEqual(refusal);
  expect((await change({ checkoutUrl: null, nudgeAfterMinutes: 90 })).status).toBe(200);
  await confirm(session);
  expect((await change(page)).json).toMatchObject(page);
  harness.clock.advance(20 * minuteMs);
  expect((await change({ ...page, nudgeAfterMinutes: 60 })).status).toBe(200);
});

test('every operation that may redirect something says so, and is in this list or needs an id', () => {
  const named = operations.filter(({ errors }) => errors.includes('password_required')).map(({ id }) => id);
  // Their proof is in their own body: a letter's link may be opened where nobody is logged in.
  const byLetter = ['confirmEmail', 'verifyEmail'];
  const byId = ['rotateApiKey', 'updateAutomation', 'updateWebhookEndpoint'];
  expect(named.sort()).toEqual([...Object.keys(sensitive), ...byLetter, ...byId, ...ofFactors].sort());
});

test('a confirmation is of one session, for 15 minutes, and ends with a new password', async () => {
  const { email, session } = await newSession();
  const other = await send(url, 'POST', '/api/auth/login', { body: { email, password } });
  const otherSession = other.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const confirmed = await confirm(session);
  expect(Date.parse(confirmed.json.confirmedUntil) - harness.clock.nowMs()).toBeGreaterThan(14 * minuteMs);
  expect(statusAndCode(await makeKey(otherSession))).toEqual(refusal);
  harness.clock.advance(14 * minuteMs);
  expect((await makeKey(session)).status).toBe(200);
  harness.clock.advance(2 * minuteMs);
  expect(statusAndCode(await makeKey(session))).toEqual(refusal);

  await confirm(session);
  const changed = { password, newPassword: 'an even longer password' };
  expect((await send(url, 'POST', '/api/auth/password', { session, body: changed })).status).toBe(200);
  expect(statusAndCode(await makeKey(session))).toEqual(refusal);
});

test('a confirmation is stored: another process of the gateway knows it', async () => {
  const { session } = await newSession();
  await confirm(session);
  const second = await harness.start();
  expect((await send(second.url, 'POST', '/api/v1/api-keys', { session, body: { name: 'x' } })).status).toBe(200);
});

test('a wrong password confirms nothing, and counts with those of logging in', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000' });
  const { email, session } = await newSession();
  expect(statusAndCode(await confirm(session, 'a wrong password', limited.url))).toEqual([401, 'invalid_credentials']);
  expect(statusAndCode(await makeKey(session))).toEqual(refusal);
  for (let n = 0; n < 9; n += 1) await confirm(session, 'a wrong password', limited.url);
  expect((await confirm(session, password, limited.url)).status).toBe(429);
  const entered = await send(limited.url, 'POST', '/api/auth/login', { body: { email, password } });
  expect(entered.status).toBe(429);
});

test('a refused call frees its Idempotency-Key, and what was done is answered again without a confirmation', async () => {
  const { session } = await newSession();
  const headers = { 'idempotency-key': 'one' };
  expect(statusAndCode(await makeKey(session, headers))).toEqual(refusal);
  await confirm(session);
  const made = await makeKey(session, headers);
  harness.clock.advance(20 * minuteMs);
  const again = await makeKey(session, headers);
  expect([again.status, again.json.id, again.json.key]).toEqual([200, made.json.id, undefined]);
});

test('the password that a change of address carries confirms it', async () => {
  const { session } = await newSession();
  const change = (given: string) =>
    send(url, 'POST', '/api/auth/email', { session, body: { email: 'other@example.com', password: given } });
  expect(statusAndCode(await change('a wrong password'))).toEqual([401, 'invalid_credentials']);
  expect((await change(password)).status).toBe(200);
});

test('the owner reads of each change, when it was and from where, also of one that a key made; what was refused sends none', async () => {
  const { email, session, key } = await newSession();
  await noticed(email, 1);
  const headers = {
    'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0 evil.example',
  };
  await makeKey(session, headers);
  await confirm(session);
  await makeKey(session, headers);
  await noticed(email, 2);
  const [, letter = ''] = changesToldTo(email);
  expect(letter).toMatch(/On \d{4}-\d\d-\d\d at \d\d:\d\d UTC an API key was made/);
  expect(letter).toContain('Firefox on Linux, network address 127.0.0.1');
  expect(letter).not.toMatch(/evil|mine/);

  const body = { url: 'https://hooks.example.com/in' };
  expect((await send(url, 'PUT', '/api/v1/webhook-endpoint', { key, body })).status).toBe(200);
  await noticed(email, 3);
  expect(changesToldTo(email).at(-1)).toMatch(
    /a webhook URL was added or changed, by the API key fnl_[0-9A-Za-z]{4}\.{3}/,
  );
  expect((await send(url, 'PUT', '/api/v1/webhook-endpoint', { key, body: { url: 'nothing' } })).status).toBe(422);
  const waiting = await query<{ count: number }>(
    harness.database.url,
    `select count(*)::int from letters as l join users as u on u.id = l.user_id
     where u.email = $1 and l.kind = 'change_notice'`,
    [email],
  );
  expect(waiting).toEqual([{ count: 3 }]);
});

test('a process that dies after the change leaves a letter that goes out all the same', async () => {
  const { email, session } = await newSession();
  await noticed(email, 1);
  await confirm(session);
  // As a kill between the row of the letter and the answer of the other service leaves it.
  const [answered, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  harness.endpoints.put = async () => {
    going.resolve();
    await answered.promise;
  };
  const put = send(url, 'PUT', '/api/v1/webhook-endpoint', { session, body: { url: 'https://a.example/in' } });
  await going.promise;
  harness.clock.advance(4 * minuteMs);
  // Its sign-up wakes the loop of the letters.
  await createSeller(url);
  await noticed(email, 2);
  answered.resolve();
  expect((await put).status).toBe(200);
  expect(changesToldTo(email)).toHaveLength(2);
});

test('an API key makes no key and rotates itself alone, with its expiry and its scopes', async () => {
  const { session, key, accountId } = await newSession();
  expect(statusAndCode(await send(url, 'POST', '/api/v1/api-keys', { key, body: { name: 'endless' } }))).toEqual([
    403,
    'insufficient_scope',
  ]);
  await confirm(session);
  const expiresAt = new Date(harness.clock.nowMs() + 60_000).toISOString();
  const body = { name: 'short', scopes: ['read', 'write'], expiresAt };
  const short = (await send(url, 'POST', '/api/v1/api-keys', { session, body })).json;
  const { data } = (await send(url, 'GET', '/api/v1/api-keys', { key })).json;
  const other = data.find(({ name }: { name: string }) => name === 'main');
  expect(accountId).toMatch(/^acc_/);
  const rotate = (id: string, of = short.key) => send(url, 'POST', `/api/v1/api-keys/${id}/rotate`, { key: of });
  expect(statusAndCode(await rotate(other.id))).toEqual([403, 'insufficient_scope']);
  const rotated = (await rotate(short.id)).json;
  expect([rotated.expires_at, rotated.scopes]).toEqual([expiresAt, ['read', 'write']]);
});

test('a key without the scope read makes no link to a buyer’s purchases', async () => {
  const { session } = await newSession();
  await confirm(session);
  const body = { name: 'writes', scopes: ['write'] };
  const { key } = (await send(url, 'POST', '/api/v1/api-keys', { session, body })).json;
  const link = await send(url, 'POST', '/api/v1/portal-links', { key, body: { email: 'grace@example.com' } });
  expect(statusAndCode(link)).toEqual([403, 'insufficient_scope']);
});

test('a key without the scope read gets no stored URL or address by a change that leaves it as it is', async () => {
  const { session } = await newSession();
  await confirm(session);
  const body = { name: 'writes', scopes: ['write'] };
  const { key } = (await send(url, 'POST', '/api/v1/api-keys', { session, body })).json;
  for (const [method, path, given] of [
    ['PATCH', '/api/v1/settings', { businessName: 'Mine' }],
    ['PATCH', `/api/v1/webhook-endpoints/${newId('webhookEndpoint', 0)}`, { active: true }],
    ['PATCH', `/api/v1/automations/${newId('automation', 0)}`, { active: true }],
    ['PATCH', `/api/v1/products/${newId('product', 0)}`, { priceCents: 1 }],
    ['PATCH', `/api/v1/products/${newId('product', 0)}/bumps/${newId('bump', 0)}`, { priceCents: 1 }],
  ] as const)
    expect(statusAndCode(await send(url, method, path, { key, body: given }))).toEqual([403, 'insufficient_scope']);
});

/** Fields of answers that show where an account's data, buyers or money go, or a secret. */
const stored = /^(url|headers|secret|accessUrl|access_url|checkoutUrl|supportEmail|action)$/;
/** Why a key without `read` may get the answer all the same. */
const givenByTheCall: Readonly<Record<string, string>> = {
  createBump: 'It shows what the call gave.',
  createProduct: 'It shows what the call gave.',
  createUpsell: 'It shows what the call gave.',
  createWebhookEndpoint: 'It shows what the call gave, and the secret that it made.',
  createAutomation: 'It shows what the call gave, and the secret that it made.',
  putLogo: 'The public address of what the call gave.',
  putProductImage: 'The public address of what the call gave.',
  putBumpImage: 'The public address of what the call gave.',
  putUpsellImage: 'The public address of what the call gave.',
  putPaymentMethod: 'The page of the bank at which this call goes on.',
};

function fieldsOf(schema: object): string[] {
  const { properties, ...rest } = schema as { properties?: Record<string, object> };
  const within = (value: unknown): string[] =>
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([, part]) => (typeof part === 'object' && part !== null ? fieldsOf(part) : []))
      : [];
  return [...Object.entries(properties ?? {}).flatMap(([name, of]) => [name, ...fieldsOf(of)]), ...within(rest)];
}

test('every change whose answer shows a stored URL, address or secret takes the scope read too', () => {
  const shows = operations
    .filter(({ auth, mediaType }) => auth === 'account' && mediaType === undefined)
    .filter((operation) => !scopesOf(operation).includes('read'))
    .filter(({ response }) =>
      fieldsOf(z.toJSONSchema(response, { io: 'output', unrepresentable: 'any' })).some((name) => stored.test(name)),
    )
    .map(({ id }) => id);
  expect(shows.sort()).toEqual(Object.keys(givenByTheCall).sort());
});
