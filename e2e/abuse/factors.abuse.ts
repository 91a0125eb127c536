import { createTestNats } from '@app/testing/nats';
import { codeOf } from '@app/testing/one-time-codes';
import { startSmtpServer } from '@app/testing/smtp-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Cluster, startClusterOn } from '../support/cluster.ts';
import { verifyAddress } from '../support/letters.ts';
import { print } from '../support/print.ts';
import { type Answer, call, type Seller, signUp } from '../support/seller.ts';

/** Bound: whoever has the password of an owner with one-time codes, or their mailbox, gets in by neither. */
let server: Awaited<ReturnType<typeof startSmtpServer>>;
let cluster: Pick<Cluster, 'baseUrl' | 'close'>;
beforeAll(async () => {
  server = await startSmtpServer();
  // As in production: each answer of a log-in is counted.
  const settings = { SMTP_URL: server.url, EMAIL_FROM: 'mail@platform.example', RATE_LIMIT_PER_MINUTE: '600' };
  cluster = await startClusterOn(await createTestNats(), { settings, apart: [] });
});
afterAll(async () => {
  await cluster.close();
  await server.close();
});

const password = 'a long enough password';
const cookieOf = ({ headers }: Answer): string =>
  headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
const logIn = (email: string, given = password) =>
  call(cluster.baseUrl, 'POST', '/api/auth/login', { body: { email, password: given } });
const isIn = async (cookie: string): Promise<boolean> =>
  (await call(cluster.baseUrl, 'GET', '/api/auth/me', { headers: { cookie } })).status === 200;
const answerWith = (cookie: string, code: string) =>
  call(cluster.baseUrl, 'POST', '/api/auth/login/factor', { headers: { cookie }, body: { code } });

/** An owner whose log-in takes codes, and the code that switched them on. */
async function ownerWithCodes(): Promise<{ owner: Seller; used: string }> {
  const owner = await signUp(cluster.baseUrl);
  const headers = { cookie: cookieOf(await logIn(owner.email)) };
  await call(cluster.baseUrl, 'POST', '/api/auth/confirm', { headers, body: { password } });
  const { secret } = (await call(cluster.baseUrl, 'POST', '/api/auth/codes', { headers })).json;
  const used = codeOf(secret);
  const activated = await call(cluster.baseUrl, 'POST', '/api/auth/codes/activate', { headers, body: { code: used } });
  expect(activated.status).toBe(200);
  return { owner, used };
}

test('a stolen password opens nothing, a code that was used neither, and guesses end after ten', async () => {
  const { owner, used } = await ownerWithCodes();
  const begun = await logIn(owner.email);
  expect(begun.json).toMatchObject({ ok: false, factorDue: true });
  const pending = cookieOf(begun);
  expect(await isIn(pending)).toBe(false);
  const replayed = await answerWith(pending, used);
  expect([replayed.status, replayed.json.code]).toEqual([401, 'invalid_credentials']);
  const statuses: number[] = [];
  for (let guess = 0; guess < 15; guess++) {
    // Begun anew each time: a log-in of one's own forgives nothing.
    const cookie = guess % 5 === 0 ? cookieOf(await logIn(owner.email)) : pending;
    statuses.push((await answerWith(cookie, used)).status);
  }
  expect(statuses.filter((status) => status === 200)).toEqual([]);
  expect(statuses.filter((status) => status === 401)).toHaveLength(9);
  expect(statuses.at(-1)).toBe(429);
  expect(await isIn(pending)).toBe(false);
  print('a stolen password and a used code: 16 answers opened nothing, ten were looked at');
});

test('a reset by who reads the mail does not pass the factor', async () => {
  const { owner } = await ownerWithCodes();
  const { email } = owner;
  await verifyAddress(cluster.baseUrl, owner, server);
  await call(cluster.baseUrl, 'POST', '/api/auth/password-reset', { body: { email } });
  const [letter] = await server.receivedEmails(1, ({ to, text }) => to === email && text.includes('/password-reset/'));
  const token = /\/letters\/password-reset\/([\w-]{43})/.exec((letter?.text ?? '').replaceAll('=\r\n', ''))?.[1] ?? '';
  const chosen = 'the password of the thief';
  const body = { token, password: chosen };
  const redeemed = await call(cluster.baseUrl, 'POST', '/api/auth/password-reset/redeem', { body });
  expect(redeemed.status).toBe(200);
  expect(await isIn(cookieOf(redeemed))).toBe(false);
  const begun = await logIn(email, chosen);
  expect(begun.json).toMatchObject({ ok: false, factorDue: true });
  expect(await isIn(cookieOf(begun))).toBe(false);
  print('a reset by the mail: the new password opened nothing without the factor');
});
