import { accountSettingsChanged } from '@app/contracts/accounts';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

startGateway();
sellerForEachTest();
afterEach(() => harness.clock.reset());

const password = 'a long password';
let addresses = 0;
const newAddress = () => `moved-${++addresses}@example.com`;
const post = (path: string, body: object, session?: string) =>
  send(url, 'POST', path, { body, ...(session && { session }) });
const change = (email: string, session = seller.session) => post('/api/auth/email', { password, email }, session);
const confirm = (token: string, session = seller.session) => post('/api/auth/email/redeem', { token }, session);
/** The button of a letter's page, in the seller's browser. */
const press = (link: string) => fetch(link, { method: 'POST', headers: { cookie: seller.session } });
const logIn = (email: string, given = password) => post('/api/auth/login', { email, password: given });
const me = (session = seller.session) => send(url, 'GET', '/api/auth/me', { session });
/** Since the test file began. */
/** Without those that tell the owner of a key. */
const sentTo = (email: string, count = 1) =>
  announced(letterAttempted, ({ to, kind }) => to === email && kind !== 'change_notice', count);
/** The links of a page's letters to the address, oldest first. */
const linksTo = (email: string, page = 'email-change'): string[] =>
  lettersTo(email).flatMap((text) => new RegExp(`http://[\\w.:]+/letters/${page}/[\\w-]{43}`).exec(text)?.[0] ?? []);
const tokenOf = (link = '') => link.slice(link.lastIndexOf('/') + 1);

/** Requests a change and returns the token that the new address gets. */
async function requested(email: string): Promise<string> {
  const letters = linksTo(email).length;
  expect((await change(email)).json).toEqual({ ok: true });
  await sentTo(email, letters + 1);
  return tokenOf(linksTo(email).at(-1));
}

test('a new address holds once its link is redeemed, by POST alone; other sessions end and the services are notified', async () => {
  const other = (await logIn(seller.email)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const email = newAddress();
  expect((await change(email.toUpperCase())).json).toEqual({ ok: true });
  await sentTo(email);
  // The first one verifies the address.
  await sentTo(seller.email, 2);
  expect(lettersTo(seller.email).filter((text) => text.includes('/forgot-password'))).toHaveLength(1);
  expect(lettersTo(seller.email).join()).not.toContain(email);
  const [link = ''] = linksTo(email);
  expect(await (await fetch(link)).text()).toContain('method="post"');
  expect((await me()).json).toMatchObject({ email: seller.email, emailVerified: false });
  expect((await logIn(email)).status).toBe(401);
  expect(await (await press(link)).text()).toContain('is changed');
  expect((await me()).json).toMatchObject({ email, emailVerified: true });
  expect((await me(other)).status).toBe(401);
  expect([(await logIn(seller.email)).status, (await logIn(email)).status]).toEqual([401, 200]);
  expect((await press(link)).status).toBe(404);
  const { json } = await send(url, 'GET', '/api/v1/settings', { session: seller.session });
  expect(json).toMatchObject({ email, emailVerified: true, supportEmail: email, supportEmailVerified: true });
  const events = await query<{ data: unknown }>(
    harness.database.url,
    `select payload::json->'data' as data from outbox where subject = $1 and payload::json->>'accountId' = $2
     order by (payload::json->'data'->>'revision')::int`,
    [accountSettingsChanged.subject, seller.accountId],
  );
  expect(events).toMatchObject([
    { data: { email: seller.email } },
    { data: { revision: 2, email, emailVerified: true } },
  ]);
});

test('without the password, and for an address that is none or the same, nothing is sent', async () => {
  const refused = (body: object) => post('/api/auth/email', body, seller.session);
  expect((await refused({ password: 'a wrong password', email: newAddress() })).status).toBe(401);
  expect(await refused({ password, email: 'a@b' })).toMatchObject({
    status: 422,
    json: { errors: [{ field: 'email' }] },
  });
  expect(await refused({ password, email: seller.email.toUpperCase() })).toMatchObject({
    status: 422,
    json: { errors: [{ field: 'email', code: 'unchanged' }] },
  });
  expect((await post('/api/auth/email', { password, email: newAddress() })).status).toBe(401);
  const letters = await query(
    harness.database.url,
    `select 1 from letters as l join users as u on u.id = l.user_id where u.email = $1 and l.kind not in ('verification', 'change_notice')`,
    [seller.email],
  );
  expect(letters).toEqual([]);
});

test('for another account’s address the answer is the same, and that account gets no email', async () => {
  const other = await createSeller(url);
  await sentTo(other.email);
  expect(await change(other.email)).toMatchObject({ status: 200, json: { ok: true } });
  await sentTo(seller.email, 2);
  const rows = await query(
    harness.database.url,
    `select sealed is null as never_sent from letters where kind = 'email_change' and recipient = $1`,
    [other.email],
  );
  expect(rows).toEqual([{ never_sent: true }]);
  expect(lettersTo(other.email)).toHaveLength(1);
});

test('an address that another account has taken meanwhile is refused, and both accounts keep theirs', async () => {
  const email = newAddress();
  const token = await requested(email);
  const body = { email, password, name: 'Faster' };
  expect((await post('/api/auth/signup', body)).status).toBe(200);
  expect(await confirm(token)).toMatchObject({ status: 409, json: { code: 'email_taken' } });
  expect((await me()).json).toMatchObject({ email: seller.email });
  expect((await logIn(email)).status).toBe(200);
  expect((await logIn(seller.email)).status).toBe(200);
});

test('of several changes the one requested last can be confirmed, also of those at the same moment', async () => {
  const [first, second] = [newAddress(), newAddress()];
  const earlier = await requested(first);
  const later = await requested(second);
  expect((await confirm(earlier)).status).toBe(404);
  const [third, fourth] = [newAddress(), newAddress()];
  await Promise.all([change(third), change(fourth)]);
  const waiting = await query<{ recipient: string }>(
    harness.database.url,
    `select l.recipient from letters as l join users as u on u.id = l.user_id
     where l.kind = 'email_change' and u.email = $1`,
    [seller.email],
  );
  expect(waiting).toHaveLength(1);
  expect((await confirm(later)).status).toBe(404);
  const last = waiting[0]?.recipient ?? '';
  await sentTo(last);
  const answers = await Promise.all([1, 2].map(() => confirm(tokenOf(linksTo(last)[0]))));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404]);
  expect((await me()).json).toMatchObject({ email: last });
});

test('a new password ends a change that waits, and a change ends the links that went to the earlier address', async () => {
  const email = newAddress();
  const ended = await requested(email);
  const next = 'an even longer password';
  await post('/api/auth/password', { password, newPassword: next }, seller.session);
  expect((await confirm(ended)).status).toBe(404);
  await post('/api/auth/password', { password: next, newPassword: password }, seller.session);
  const endedByReset = await requested(email);
  await post('/api/auth/password-reset', { email: seller.email });
  const resets = () => linksTo(seller.email, 'password-reset');
  // One letter verifies the address, and two are notices of changes.
  await sentTo(seller.email, 4);
  const reset = { token: tokenOf(resets()[0]), password };
  expect((await post('/api/auth/password-reset/redeem', reset)).status).toBe(200);
  expect((await confirm(endedByReset)).status).toBe(404);
  const session = (await logIn(seller.email)).headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  await post('/api/auth/password-reset', { email: seller.email });
  // One more is about the password.
  await sentTo(seller.email, 6);
  await change(email, session);
  await sentTo(email, 3);
  expect((await confirm(tokenOf(linksTo(email)[2]), session)).status).toBe(200);
  const late = { token: tokenOf(resets()[1]), password: 'of a former mailbox' };
  expect((await post('/api/auth/password-reset/redeem', late)).status).toBe(404);
  expect((await logIn(email)).status).toBe(200);
});

test('a link works for 48 hours', async () => {
  const token = await requested(newAddress());
  harness.clock.advance(48 * 3_600_000 + 60_000);
  expect((await confirm(token)).status).toBe(404);
});

test('an account requests five changes a day, and an address gets five such letters', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' });
  const other = await createSeller(url);
  await query(harness.database.url, 'update accounts set email_verified = true where id = any($1)', [
    [seller.accountId, other.accountId],
  ]);
  const email = newAddress();
  let clients = 0;
  const request = async ({ session }: { session: string }) => {
    const headers = { 'x-forwarded-for': `198.51.100.${++clients}` };
    return (await send(limited.url, 'POST', '/api/auth/email', { session, headers, body: { password, email } })).status;
  };
  for (let n = 1; n <= 5; n++) {
    expect(await request(seller)).toBe(200);
    // The next one would drop a letter that is not sent yet.
    await sentTo(email, n);
  }
  expect(await request(seller)).toBe(429);
  for (let n = 1; n <= 5; n++) expect(await request(other)).toBe(200);
  expect(await request(other)).toBe(429);
  for (const { email: own } of [seller, other]) await sentTo(own, 6);
  const rows = await query(
    harness.database.url,
    `select l.kind, count(*)::int from letters as l join users as u on u.id = l.user_id
     where u.email = $1 and l.kind <> 'change_notice' group by l.kind order by l.kind`,
    [other.email],
  );
  expect(rows).toEqual([
    { kind: 'email_change_notice', count: 5 },
    { kind: 'verification', count: 1 },
  ]);
});
