import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { harness, startGateway, url } from './set-up.ts';

/** Guarantee: the owner of an account reads of a log-in from elsewhere and of a new password, and no owner is flooded. */
startGateway();
afterEach(() => harness.clock.reset());

const password = 'a long password';
const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
/** Without those that tell the owner of a key. */
const sentTo = (email: string, count: number) =>
  announced(letterAttempted, ({ to, kind }) => to === email && kind !== 'change_notice', count);

const lettersWith = (email: string, subject: string): string[] =>
  lettersTo(email).filter((text) => text.includes(`Subject: ${subject}`));
const logins = (email: string): string[] => lettersWith(email, 'A new log-in to your account');
const passwords = (email: string): string[] => lettersWith(email, 'Your password was changed');

/** What is stored and waits or was sent, of one kind. */
async function stored(email: string, kind: string): Promise<number> {
  const rows = await query<{ count: number }>(
    harness.database.url,
    `select count(*)::int from letters as l join users as u on u.id = l.user_id where u.email = $1 and l.kind = $2`,
    [email, kind],
  );
  return rows[0]?.count ?? 0;
}

async function createVerifiedSeller() {
  const seller = await createSeller(url);
  await sentTo(seller.email, 1);
  const [, token] = /\/letters\/verification\/([\w-]{43})/.exec(lettersTo(seller.email).join()) ?? [];
  const redeem = { session: seller.session, body: { token } };
  expect((await send(url, 'POST', '/api/auth/verification/redeem', redeem)).status).toBe(200);
  return seller;
}

interface From {
  readonly userAgent?: string;
  readonly given?: string;
  readonly at?: string;
}

async function logIn(email: string, { userAgent = 'node', given = password, at = url }: From = {}): Promise<string> {
  const headers = { 'user-agent': userAgent };
  const answer = await send(at, 'POST', '/api/auth/login', { headers, body: { email, password: given } });
  expect(answer.status).toBe(200);
  return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

test('the user is notified once of a log-in from another browser, with its time, browser and address, and with nothing that it says of itself', async () => {
  const { email } = await createVerifiedSeller();
  await logIn(email, { userAgent: `${firefox} <b>Call us</b> https://evil.example` });
  await sentTo(email, 2);
  const [letter = ''] = logins(email);
  expect(letter).toMatch(/on \d{4}-\d\d-\d\d at \d\d:\d\d UTC/);
  expect(letter).toContain('Firefox on Linux, network address 127.0.0.1');
  expect(letter).toContain('/forgot-password');
  expect(letter).not.toMatch(/Call us|evil|\/letters\//);
  // Its next version is the same browser.
  await logIn(email, { userAgent: `${firefox} <b>Call us</b> https://evil.example`.replaceAll('140', '141') });
  expect(await stored(email, 'login_notice')).toBe(1);
  harness.clock.advance(91 * 86_400_000);
  await logIn(email, { userAgent: `${firefox} <b>Call us</b> https://evil.example` });
  await sentTo(email, 3);
  expect(logins(email)).toHaveLength(2);
});

test('the browser of the sign-up is known, and an address that is not verified may be a stranger’s', async () => {
  const { email } = await createVerifiedSeller();
  // The same client as that of the sign-up, which sends no name.
  const headers = {};
  expect((await send(url, 'POST', '/api/auth/login', { headers, body: { email, password } })).status).toBe(200);
  const unverified = await createSeller(url);
  const session = await logIn(unverified.email, { userAgent: firefox });
  const body = { password, newPassword: 'an even longer password' };
  expect((await send(url, 'POST', '/api/auth/password', { session, body })).status).toBe(200);
  for (const kind of ['login_notice', 'password_notice'])
    expect([await stored(email, kind), await stored(unverified.email, kind)]).toEqual([0, 0]);
});

test('the user is notified of a changed password, also one that was chosen by a letter, to the address of that moment', async () => {
  const { email, session } = await createVerifiedSeller();
  const newPassword = 'an even longer password';
  expect((await send(url, 'POST', '/api/auth/password', { session, body: { password, newPassword } })).status).toBe(
    200,
  );
  await sentTo(email, 2);
  const [changed = ''] = passwords(email);
  expect(changed).toMatch(/was changed on \d{4}-\d\d-\d\d at \d\d:\d\d UTC/);
  expect(changed).not.toContain(newPassword);

  await send(url, 'POST', '/api/auth/password-reset', { body: { email } });
  await sentTo(email, 3);
  const [, link = ''] = /\/letters\/password-reset\/([\w-]{43})/.exec(lettersTo(email).join()) ?? [];
  const reset = { token: link, password: 'the longest password of all' };
  expect((await send(url, 'POST', '/api/auth/password-reset/redeem', { body: reset })).status).toBe(200);
  await sentTo(email, 4);
  expect(passwords(email)).toHaveLength(2);
  const refused = await send(url, 'POST', '/api/auth/password-reset/redeem', { body: reset });
  expect([refused.status, await stored(email, 'password_notice')]).toEqual([404, 2]);
});

test('a wrong password notifies no owner, and of many new browsers a day five are notified', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', LETTERS_PER_DAY: '0' });
  const { email } = await createVerifiedSeller();
  const wrong = { headers: { 'user-agent': firefox }, body: { email, password: 'a wrong password' } };
  expect((await send(limited.url, 'POST', '/api/auth/login', wrong)).status).toBe(401);
  for (let n = 0; n < 7; n += 1) await logIn(email, { userAgent: `browser ${'x'.repeat(n)}`, at: limited.url });
  expect(await stored(email, 'login_notice')).toBe(5);
});
