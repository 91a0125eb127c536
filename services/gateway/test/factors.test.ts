import { query } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { codeAt } from '../src/identity/factors/totp.ts';
import { removeFactorsStatement } from '../src/identity/factors/user-factors.ts';
import { newCredential } from './authenticator.ts';
import { createSeller } from './harness.ts';
import { send as sendFrom, type ToSend } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

/** Guarantee: who has only the password, a link or a session cannot log in or change what the log-in takes. */
startGateway({ RATE_LIMIT_PER_MINUTE: '600', TRUST_PROXY: '1' });
sellerForEachTest();
afterEach(() => harness.clock.reset());

const password = 'a long password';
/** Each request from another address: what bounds guesses here is not of addresses. */
let sent = 0;
const send = (at: string, method: string, path: string, what: ToSend = {}) => {
  sent += 1;
  const headers = { 'x-forwarded-for': `10.0.${sent >> 8}.${sent & 255}`, ...what.headers };
  return sendFrom(at, method, path, { ...what, headers });
};
const run = (sql: string, values: unknown[] = []) => query<Record<string, unknown>>(harness.database.url, sql, values);
const api = (method: string, path: string, body?: unknown, session = seller.session) =>
  send(url, method, `/api/auth${path}`, { session, ...(body === undefined ? {} : { body }) });
const cookies = (headers: { 'set-cookie'?: string[] | undefined }): string =>
  (headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; ');

const fromBase32 = (text: string): Buffer => {
  const bits = [...text].map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'));
  return Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
};
const step = (): number => Math.floor(harness.clock.nowMs() / 30_000);

let secret: Buffer;
let backupCodes: string[];
beforeEach(async () => {
  await run('delete from rate_windows');
  secret = fromBase32((await api('POST', '/codes')).json.secret);
  const activated = await api('POST', '/codes/activate', { code: codeAt(secret, step()) });
  expect(activated.status).toBe(200);
  ({ backupCodes } = activated.json);
  // The code that activated them is used up.
  harness.clock.advance(30_000);
});

const logIn = (given = password) =>
  send(url, 'POST', '/api/auth/login', { body: { email: seller.email, password: given } });
const withCode = (code: string, pending: string) => api('POST', '/login/factor', { code }, pending);
const isLoggedIn = async (session: string) => (await api('GET', '/me', undefined, session)).status === 200;

test('the password alone opens no session; with a code it does, and the session says so', async () => {
  const begun = await logIn();
  expect([begun.status, begun.json]).toEqual([200, { ok: false, factorDue: true, methods: ['code', 'backup_code'] }]);
  const pending = cookies(begun.headers);
  expect(begun.headers['set-cookie']?.[0]).toMatch(
    /^fnl_login=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
  );
  expect(await isLoggedIn(pending)).toBe(false);
  const entered = await withCode(codeAt(secret, step()), pending);
  expect([entered.status, entered.json]).toEqual([200, { ok: true, accountId: seller.accountId }]);
  const session = cookies(entered.headers);
  expect(await isLoggedIn(session)).toBe(true);
  const { json } = await api('GET', '/sessions', undefined, session);
  expect(json.data.map(({ factor }: { factor: string }) => factor)).toEqual(['code', null]);
});

test('a code is taken once, and so is a log-in that waits', async () => {
  const code = codeAt(secret, step());
  const pending = cookies((await logIn()).headers);
  expect((await withCode(code, pending)).status).toBe(200);
  const again = await withCode(code, pending);
  expect([again.status, again.json.code]).toEqual([401, 'login_expired']);
  const replayed = await withCode(code, cookies((await logIn()).headers));
  expect([replayed.status, replayed.json.code]).toEqual([401, 'invalid_credentials']);
  // Nor one of before it, which a look over the shoulder may have caught.
  const earlier = await withCode(codeAt(secret, step() - 1), cookies((await logIn()).headers));
  expect(earlier.json.code).toBe('invalid_credentials');
});

test('of two answers with one code at once one opens a session', async () => {
  const code = codeAt(secret, step());
  const pending = await Promise.all([logIn(), logIn(), logIn()]);
  const answers = await Promise.all(pending.map(({ headers }) => withCode(code, cookies(headers))));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401, 401]);
});

test('a log-in waits for ten minutes', async () => {
  const pending = cookies((await logIn()).headers);
  harness.clock.advance(600_000);
  expect((await withCode(codeAt(secret, step()), pending)).json.code).toBe('login_expired');
});

test('ten backup codes work once each, as people type them, and new ones end them', async () => {
  expect(backupCodes).toHaveLength(10);
  const [first = '', second = ''] = backupCodes;
  const typed = first.toUpperCase().replaceAll('-', ' ');
  expect((await withCode(typed, cookies((await logIn()).headers))).status).toBe(200);
  expect((await withCode(first, cookies((await logIn()).headers))).json.code).toBe('invalid_credentials');
  expect((await api('GET', '/factors')).json).toMatchObject({ codes: true, backupCodesLeft: 9, passkeys: [] });
  const fresh = (await api('POST', '/backup-codes')).json.backupCodes;
  expect((await withCode(second, cookies((await logIn()).headers))).json.code).toBe('invalid_credentials');
  expect((await withCode(fresh[0], cookies((await logIn()).headers))).status).toBe(200);
  const stored = JSON.stringify(await run('select encode(hash, $1) as hash from backup_codes', ['escape']));
  expect(fresh.some((code: string) => stored.includes(code))).toBe(false);
});

test('guesses of codes are bounded for the user, from whatever address and log-in, and a right code forgives them', async () => {
  const guess = async (n: number) => (await withCode(String(100_000 + n), cookies((await logIn()).headers))).status;
  for (let n = 0; n < 10; n++) expect(await guess(n)).toBe(401);
  expect(await guess(11)).toBe(429);
  const right = await withCode(codeAt(secret, step()), cookies((await logIn()).headers));
  expect([right.status, right.json.code]).toEqual([429, 'rate_limited']);
  expect(Number(right.headers['retry-after'])).toBeGreaterThan(3_000);
  await run(`delete from rate_windows where caller like 'codes hour%'`);
  expect((await withCode(codeAt(secret, step()), cookies((await logIn()).headers))).status).toBe(200);
  expect(await run(`select from rate_windows where caller like 'codes %'`)).toEqual([]);
}, 60_000);

test('an owner whose password is known is told of it once a day, at the third wrong code, and never at an unverified address', async () => {
  const told = () =>
    run(
      `select l.detail from letters as l join users as u on u.id = l.user_id
       where u.email = $1 and kind = 'change_notice' and detail like '%three wrong codes%'`,
      [seller.email],
    );
  const fail = async (times: number) => {
    for (let n = 0; n < times; n += 1) {
      await run(`delete from rate_windows where caller like 'codes %'`);
      expect((await withCode('000000', cookies((await logIn()).headers))).status).toBe(401);
    }
  };
  await fail(3);
  expect(await told()).toEqual([]);
  await run('update accounts set email_verified = true where id = $1', [seller.accountId]);
  await run(`delete from rate_windows where caller like 'wrong codes %'`);
  await fail(2);
  expect(await told()).toEqual([]);
  await fail(5);
  expect(await told()).toEqual([
    {
      detail: expect.stringMatching(
        /^somebody gave your right password and then three wrong codes.*network address 10\./,
      ),
    },
  ]);
  expect((await withCode(codeAt(secret, step()), cookies((await logIn()).headers))).status).toBe(200);
  await fail(3);
  expect(await told()).toHaveLength(1);
});

test('a new password by the link of an email does not pass the factor, and ends log-ins that wait', async () => {
  // Of an account whose address was never verified it would remove them.
  await run('update accounts set email_verified = true where id = $1', [seller.accountId]);
  const pending = cookies((await logIn()).headers);
  await run(
    `insert into letters (id, kind, user_id, token_hash, created_at, next_attempt_at, expires_at)
     select 'ltr_' || id, 'password_reset', id, sha256($2), now(), 'infinity', now() + interval '1 day' from users where email = $1`,
    [seller.email, Buffer.from('t'.repeat(43))],
  );
  const reset = await send(url, 'POST', '/api/auth/password-reset/redeem', {
    body: { token: 't'.repeat(43), password: 'an even longer password' },
  });
  expect([reset.status, cookies(reset.headers)]).toEqual([200, '']);
  expect((await withCode(codeAt(secret, step()), pending)).json.code).toBe('login_expired');
  expect((await logIn('an even longer password')).json.factorDue).toBe(true);
});

test('a printed link does not pass the factor', async () => {
  await run(`insert into login_links select sha256($2), id, now() + interval '1 hour' from users where email = $1`, [
    seller.email,
    Buffer.from('l'.repeat(43)),
  ]);
  const opened = await send(url, 'POST', '/api/auth/login-link/redeem', { body: { token: 'l'.repeat(43) } });
  expect(opened.json).toMatchObject({ ok: false, factorDue: true });
  expect((await withCode(codeAt(secret, step()), cookies(opened.headers))).status).toBe(200);
});

test('a session without its person changes no factor; a code confirms it, and the owner gets a letter of each change', async () => {
  const pending = cookies((await logIn()).headers);
  const session = cookies((await withCode(codeAt(secret, step()), pending)).headers);
  for (const [method, path, body] of [
    ['DELETE', '/codes'],
    ['POST', '/backup-codes'],
    ['POST', '/codes'],
    ['POST', '/codes/activate', { code: '123456' }],
  ] as const) {
    const refused = await api(method, path, body, session);
    expect([path, refused.status, refused.json.code]).toEqual([path, 403, 'password_required']);
  }
  harness.clock.advance(30_000);
  const code = codeAt(secret, step());
  expect((await api('POST', '/confirm', { code: '000000' }, session)).json.code).toBe('invalid_credentials');
  expect((await api('POST', '/confirm', { code }, session)).status).toBe(200);
  expect((await api('POST', '/confirm', { code }, session)).status).toBe(401);
  expect((await api('DELETE', '/codes', undefined, session)).status).toBe(200);
  expect((await api('GET', '/factors', undefined, session)).json).toMatchObject({ codes: false, backupCodesLeft: 0 });
  expect((await logIn()).json).toEqual({ ok: true, accountId: seller.accountId });
  const [{ count } = { count: 0 }] = await run(
    `select count(*)::int from letters as l join users as u on u.id = l.user_id where u.email = $1 and kind = 'change_notice' and detail like '%one-time codes were%'`,
    [seller.email],
  );
  expect(count).toBe(2);
  expect(lettersTo(seller.email).join()).not.toContain(backupCodes[0]);
});

test('codes that were set up and proved no code change nothing, and a wrong first code switches nothing on', async () => {
  const other = await createSeller(url);
  const set = (await api('POST', '/codes', undefined, other.session)).json;
  expect(set.uri).toContain(`secret=${set.secret}`);
  expect((await api('POST', '/codes/activate', { code: '000000' }, other.session)).json.code).toBe(
    'invalid_credentials',
  );
  const entered = await send(url, 'POST', '/api/auth/login', { body: { email: other.email, password } });
  expect(entered.json.ok).toBe(true);
  const stored = await run('select encode(sealed, $1) as sealed from one_time_codes', ['escape']);
  expect(JSON.stringify(stored)).not.toContain(fromBase32(set.secret).toString('latin1'));
});

test('a user has twenty passkeys: of two ceremonies that begin at nineteen one adds its passkey', async () => {
  const at = url.replace('127.0.0.1', 'localhost');
  await run(
    `insert into passkeys (id, user_id, credential_id, public_key, counter, name, created_at)
     select 'psk_' || u.id || n, u.id, sha256((u.id || n)::bytea), '', 0, 'of before', now()
     from users as u, generate_series(1, 19) as n where u.email = $1`,
    [seller.email],
  );
  const { session } = seller;
  const begin = async () => (await send(at, 'POST', '/api/auth/passkeys/options', { session })).json.challenge;
  const challenges = [await begin(), await begin()];
  const answers = await Promise.all(
    challenges.map((challenge) =>
      send(at, 'POST', '/api/auth/passkeys', {
        session,
        body: { name: 'Mine', credential: newCredential(at, challenge) },
      }),
    ),
  );
  const outcomes = answers.map(({ status, json }) => [status, json.code]);
  expect(outcomes.toSorted()).toEqual([
    [200, undefined],
    [422, 'limit_reached'],
  ]);
  expect((await api('GET', '/factors')).json.passkeys).toHaveLength(20);
  expect((await send(at, 'POST', '/api/auth/passkeys/options', { session })).json.code).toBe('limit_reached');
});

test('passkeys are not offered under an IP address, and codes are', async () => {
  expect((await api('GET', '/factors')).json.passkeysOffered).toBe(false);
  const challenge = await send(url, 'POST', '/api/auth/passkeys/challenge');
  expect([challenge.status, challenge.json.code]).toEqual([409, 'passkeys_unavailable']);
});

test('who removes all factors lets the password be enough again', async () => {
  const [user] = await run('select id from users where email = $1', [seller.email]);
  const { text, values } = removeFactorsStatement([String(user?.id)]);
  await run(text, values);
  expect((await logIn()).json).toEqual({ ok: true, accountId: seller.accountId });
});

test('killed before the session’s commit nothing is used up: the same code opens it afterwards', async () => {
  const pending = cookies((await logIn()).headers);
  const name = `dies_${seller.accountId}`;
  await run(`create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$`);
  await run(
    `create trigger ${name} before insert on audit_log for each row when (new.account_id = '${seller.accountId}') execute function ${name}()`,
  );
  const code = codeAt(secret, step());
  expect((await withCode(code, pending)).status).toBe(500);
  await run(`drop function ${name} cascade`);
  expect((await withCode(code, pending)).status).toBe(200);
});

test('the log has the password that was right, wrong codes together, and the log-in', async () => {
  const pending = cookies((await logIn()).headers);
  await withCode('000000', pending);
  const session = cookies((await withCode(codeAt(secret, step()), pending)).headers);
  const { json } = await send(url, 'GET', '/api/v1/audit-log?kind=log_in&limit=1', { session });
  expect(json.data).toMatchObject([
    { operation: 'logInWithFactor', outcome: 'done', actor: { kind: 'session', name: seller.email } },
  ]);
});
