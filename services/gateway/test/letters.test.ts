import { accountSettingsChanged } from '@app/contracts/accounts';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, expect, test } from 'vitest';
import { recipientWindow, unverifiedWindow } from '../src/identity/letters/new-letter.ts';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();
afterEach(() => harness.clock.reset());

/** Since the test file began. */
/** Without those that tell the owner of a key. */
const sentTo = (email: string, count = 1) =>
  announced(letterAttempted, ({ to, kind }) => to === email && kind !== 'change_notice', count);
/** The links of the letters to the address, of one kind, oldest first. */
const linksTo = (email: string, path: string): string[] =>
  lettersTo(email).flatMap((text) => new RegExp(`http://[\\w.:]+/letters/${path}/[\\w-]{43}`).exec(text)?.[0] ?? []);
const tokenOf = (link = '') => link.slice(link.lastIndexOf('/') + 1);
const me = async (session: string) => (await send(url, 'GET', '/api/auth/me', { session })).json;
const post = (path: string, body?: object, session?: string) =>
  send(url, 'POST', path, { ...(body && { body }), ...(session && { session }) });
/** The button of a letter's page, in the browser of the session. */
const press = (link: string, session: string) => fetch(link, { method: 'POST', headers: { cookie: session } });

test('sign-up sends a letter; its page verifies by POST alone, once, and the services are notified', async () => {
  const seller = await createSeller(url);
  await sentTo(seller.email);
  expect(await me(seller.session)).toMatchObject({ email: seller.email, emailVerified: false });
  const [link = ''] = linksTo(seller.email, 'verification');
  for (let opened = 0; opened < 2; opened++) expect(await (await fetch(link)).text()).toContain('method="post"');
  expect(await me(seller.session)).toMatchObject({ emailVerified: false });
  expect(await (await press(link, seller.session)).text()).toContain('is verified');
  expect(await me(seller.session)).toMatchObject({ emailVerified: true });
  expect((await press(link, seller.session)).status).toBe(404);
  const events = await query<{ data: unknown }>(
    harness.database.url,
    `select payload::json->'data' as data from outbox
     where subject = $1 and payload::json->>'accountId' = $2 order by (payload::json->'data'->>'revision')::int`,
    [accountSettingsChanged.subject, seller.accountId],
  );
  expect(events).toMatchObject([
    { data: { revision: 1, email: seller.email, emailVerified: false } },
    { data: { revision: 2, email: seller.email, emailVerified: true } },
  ]);
});

test('a letter that is requested again verifies too, none is sent once that is done, and none works after 48 hours', async () => {
  const seller = await createSeller(url);
  await sentTo(seller.email);
  expect((await post('/api/auth/verification', undefined, seller.session)).json).toEqual({ ok: true });
  await sentTo(seller.email, 2);
  const [first, second] = linksTo(seller.email, 'verification');
  harness.clock.advance(48 * 3_600_000 - 60_000);
  expect((await post('/api/auth/verification/redeem', { token: tokenOf(second) }, seller.session)).json).toEqual({
    ok: true,
  });
  harness.clock.advance(120_000);
  expect((await post('/api/auth/verification/redeem', { token: tokenOf(first) }, seller.session)).status).toBe(404);
  expect((await post('/api/auth/verification', undefined, seller.session)).json).toEqual({ ok: true });
  expect(linksTo(seller.email, 'verification')).toHaveLength(2);
});

test('a password is reset by a letter: all sessions end, the token works once, and a weak password leaves it valid', async () => {
  const seller = await createSeller(url);
  await sentTo(seller.email);
  expect((await post('/api/auth/password-reset', { email: seller.email.toUpperCase() })).json).toEqual({ ok: true });
  await sentTo(seller.email, 2);
  const [link = ''] = linksTo(seller.email, 'password-reset');
  const submit = (password: string) => fetch(link, { method: 'POST', body: new URLSearchParams({ password }) });
  expect((await submit('password123')).status).toBe(422);
  expect((await send(url, 'GET', '/api/auth/me', { session: seller.session })).status).toBe(200);
  const stored = JSON.stringify(await query(harness.database.url, `select encode(sealed, 'escape') from letters`));
  expect(stored).not.toContain(tokenOf(link));
  expect((await submit('a new long password')).status).toBe(200);
  expect((await send(url, 'GET', '/api/auth/me', { session: seller.session })).status).toBe(401);
  expect((await submit('another long password')).status).toBe(404);
  const logIn = (password: string) => post('/api/auth/login', { email: seller.email, password });
  expect((await logIn('a long password')).status).toBe(401);
  expect((await logIn('a new long password')).status).toBe(200);
});

test('an address that no user has gets the same answer and no letter', async () => {
  expect(await post('/api/auth/password-reset', { email: 'unknown@example.com' })).toMatchObject({
    status: 200,
    json: { ok: true },
  });
  const rows = await query(harness.database.url, 'select kind from letters where user_id is null and sealed is null');
  expect(rows).toEqual([{ kind: 'password_reset' }]);
});

test('45 resets of own accounts keep no letter from an owner who has requested none that day', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', LETTERS_PER_DAY: '40', TRUST_PROXY: '1' });
  const request = (to: string, address: string) =>
    send(limited.url, 'POST', '/api/auth/password-reset', {
      headers: { 'x-forwarded-for': address },
      body: { email: to },
    });
  const own = await Promise.all(Array.from({ length: 9 }, () => createSeller(url)));
  for (const [n, { email }] of own.entries())
    for (let times = 1; times <= 5; times += 1) await request(email, `198.51.100.${n}`);
  const owner = await createSeller(url);
  await request(owner.email, '203.0.113.77');
  const rows = await query(
    harness.database.url,
    `select 1 from letters as l join users as u on u.id = l.user_id where u.email = $1 and l.kind = 'password_reset'`,
    [owner.email],
  );
  expect(rows).toHaveLength(1);
});

test('a stranger’s address gets five letters a day of an account that was made with it, the last one for a reset', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' });
  const { email, session } = await createSeller(limited.url);
  const headers = { 'x-forwarded-for': '198.51.100.200' };
  for (let n = 1; n <= 6; n += 1) {
    await send(limited.url, 'POST', '/api/v1/api-keys', { session, headers, body: { name: 'k' } });
    await send(limited.url, 'POST', '/api/auth/verification', { session, headers });
  }
  for (let n = 1; n <= 3; n += 1)
    await send(limited.url, 'POST', '/api/auth/password-reset', { headers, body: { email } });
  const rows = await query<{ kind: string; count: number }>(
    harness.database.url,
    `select l.kind, count(*)::int from letters as l join users as u on u.id = l.user_id where u.email = $1
     group by l.kind`,
    [email],
  );
  expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(5);
  expect(rows.find(({ kind }) => kind === 'password_reset')?.count).toBe(1);
});

test('requests for unknown addresses use up no letter of the day', async () => {
  const settings = { RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1', LETTERS_PER_DAY: '1' };
  const unlimited = await createSeller(url);
  await sentTo(unlimited.email);
  const { url: limited } = await harness.start(settings);
  const reset = (email: string, address: string) =>
    send(limited, 'POST', '/api/auth/password-reset', { body: { email }, headers: { 'x-forwarded-for': address } });
  for (let n = 1; n <= 3; n += 1) await reset(`unknown-${n}@example.com`, `203.0.113.2${n}`);
  await reset(unlimited.email, '203.0.113.29');
  await sentTo(unlimited.email, 2);
  expect(linksTo(unlimited.email, 'password-reset')).toHaveLength(1);
});

test('letters of a kind to one address, and letters by one client, are bounded', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' });
  const { email } = await createSeller(url);
  await sentTo(email);
  const request = (address: string, to = email) =>
    send(limited.url, 'POST', '/api/auth/password-reset', {
      headers: { 'x-forwarded-for': address },
      body: { email: to },
    });
  for (let n = 1; n <= 8; n++) expect((await request(`198.51.100.${n}`)).status).toBe(200);
  const rows = await query(
    harness.database.url,
    `select 1 from letters as l join users as u on u.id = l.user_id
    where u.email = $1 and l.kind = 'password_reset'`,
    [email],
  );
  expect(rows).toHaveLength(5);
  const answers = [];
  for (let n = 0; n < 21; n++) answers.push((await request('203.0.113.9', `unknown-${n}@example.com`)).status);
  expect(answers).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
});

test('a stranger who requests resets all day keeps the owner of a verified account from none; twenty reach the owner at most', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' });
  const verified = await createSeller(url);
  await query(harness.database.url, 'update accounts set email_verified = true where id = $1', [verified.accountId]);
  const unverified = await createSeller(url);
  const request = async (email: string, address: string) =>
    expect(
      await send(limited.url, 'POST', '/api/auth/password-reset', {
        headers: { 'x-forwarded-for': address },
        body: { email },
      }),
    ).toMatchObject({ status: 200, json: { ok: true } });
  const resets = async (email: string) =>
    (
      await query(
        harness.database.url,
        `select 1 from letters as l join users as u on u.id = l.user_id where u.email = $1 and l.kind = 'password_reset'`,
        [email],
      )
    ).length;
  for (let n = 1; n <= 8; n += 1) await request(verified.email, '203.0.113.41');
  expect(await resets(verified.email)).toBe(5);
  for (let n = 1; n <= 2; n += 1) await request(verified.email.toUpperCase(), '198.51.100.41');
  expect(await resets(verified.email)).toBe(6);
  for (let n = 1; n <= 20; n += 1) await request(verified.email, `198.51.100.${50 + n}`);
  expect(await resets(verified.email)).toBe(20);
  // Whose address it is nobody knows.
  for (let n = 1; n <= 8; n += 1) await request(unverified.email, `198.51.100.${80 + n}`);
  expect(await resets(unverified.email)).toBe(5);
});

test('a reset that is not sent any more is stored as one for an unknown address, so that both take as long', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' });
  const { email, accountId } = await createSeller(url);
  const requestBoth = async (n: number) => {
    for (const to of [email, 'unknown-flooded@example.com'])
      await send(limited.url, 'POST', '/api/auth/password-reset', {
        headers: { 'x-forwarded-for': `198.51.100.${120 + n}` },
        body: { email: to },
      });
  };
  const rows = () =>
    query<{ to: string | null; sealed: boolean }>(
      harness.database.url,
      `select u.account_id as to, l.sealed is not null as sealed from letters as l left join users as u on u.id = l.user_id
       where l.kind = 'password_reset' and (u.account_id = $1 or l.user_id is null)`,
      [accountId],
    );
  for (let n = 1; n <= 5; n += 1) await requestBoth(n);
  const before = await rows();
  for (let n = 6; n <= 8; n += 1) await requestBoth(n);
  const after = await rows();
  expect(after.filter(({ to }) => to !== null)).toHaveLength(5);
  expect(after).toHaveLength(before.length + 6);
  expect(after.some(({ to, sealed }) => to === null && sealed)).toBe(false);
  // What was not sent uses up nothing.
  const windows = [recipientWindow('password_reset', email), unverifiedWindow(email)];
  const counted = await query<{ taken: number }>(
    harness.database.url,
    'select taken from rate_windows where caller = any($1)',
    [windows],
  );
  // One letter of the sign-up's is in the second.
  expect(counted.map(({ taken }) => taken).toSorted()).toEqual([5, 5]);
});
