import { codeOf } from '@app/testing/one-time-codes';
import { announced } from '@app/testing/points';
import { pollSystem, untilBlocked } from '@app/testing/poll-system';
import { lockTable, query } from '@app/testing/sql';
import { afterEach, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { type Sent, send } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { database, harness, startGateway, url } from './set-up.ts';
import { switchCodesOn } from './switch-codes-on.ts';

/** Guarantee: a new password ends every session, one that is being opened at that moment with the password before among them. */
startGateway();
afterEach(() => harness.clock.reset());

const password = 'a long password';
const newPassword = 'the password of afterwards';
const run = (sql: string, values: unknown[] = []) => query<Record<string, unknown>>(harness.database.url, sql, values);
const logIn = (email: string) => send(url, 'POST', '/api/auth/login', { body: { email, password } });
const cookieOf = (answer: Sent, name: string) =>
  (answer.headers['set-cookie'] ?? []).find((line) => line.startsWith(`${name}=`))?.split(';')[0] ?? '';
const statusBy = async (session: string) => (await send(url, 'GET', '/api/auth/me', { session })).status;

async function resetToken(email: string): Promise<string> {
  await send(url, 'POST', '/api/auth/password-reset', { body: { email } });
  await announced(letterAttempted, ({ to, kind }) => to === email && kind === 'password_reset');
  return /\/letters\/password-reset\/([\w-]{43})/.exec(lettersTo(email).join())?.[1] ?? '';
}

/** Whether a new password waits for what locks its user. */
const isWaiting = async () =>
  (
    await run(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like 'select id from users%for update'`)
  ).length > 0;

type Seller = Awaited<ReturnType<typeof createSeller>>;

const newPasswords = {
  'a reset': async ({ email }: Seller) => {
    const token = await resetToken(email);
    return () => send(url, 'POST', '/api/auth/password-reset/redeem', { body: { token, password: newPassword } });
  },
  'a change': async ({ session }: Seller) => {
    return () => send(url, 'POST', '/api/auth/password', { session, body: { password, newPassword } });
  },
};

const logIns = {
  'by the password': async ({ email }: Seller) => {
    return () => logIn(email);
  },
  'by a code': async ({ email, session }: Seller) => {
    const { secret } = (await send(url, 'POST', '/api/auth/codes', { session })).json;
    const activate = { code: codeOf(secret, harness.clock.nowMs()) };
    await send(url, 'POST', '/api/auth/codes/activate', { session, body: activate });
    harness.clock.advance(60_000);
    const cookie = cookieOf(await logIn(email), 'fnl_login');
    const body = { code: codeOf(secret, harness.clock.nowMs()) };
    return () => send(url, 'POST', '/api/auth/login/factor', { headers: { cookie }, body });
  },
};

for (const [how, begin] of Object.entries(newPasswords))
  for (const [way, prepare] of Object.entries(logIns))
    test(`${how} ends a session that is being opened ${way}`, async () => {
      const seller = await createSeller(url);
      await run('update accounts set email_verified = true where id = $1', [seller.accountId]);
      const change = await begin(seller);
      const enter = await prepare(seller);
      const [before] = await run('select password_hash from users where email = $1', [seller.email]);
      // What a session is stored with, after the password or code was found right.
      const release = await lockTable(harness.database.url, 'known_origins');
      const entering = enter();
      await untilBlocked(database, 1, 'with known as');
      const changing = change();
      await pollSystem('a new password that is stored, or waits for the log-in', async () => {
        const [now] = await run('select password_hash from users where email = $1', [seller.email]);
        return now?.password_hash !== before?.password_hash || (await isWaiting());
      });
      await release();
      const entered = await entering;
      expect((await changing).status).toBe(200);
      if (entered.status === 200) expect(await statusBy(cookieOf(entered, 'fnl_session'))).toBe(401);
      const open = await run('select s.id from sessions as s join users as u on u.id = s.user_id where u.email = $1', [
        seller.email,
      ]);
      expect(open).toHaveLength(how === 'a reset' ? 0 : 1);
    });

const begun = {
  'by the password': async ({ email }: Seller) => logIn(email),
  'by a link': async ({ email }: Seller) => {
    const token = 'l'.repeat(43);
    await run(`insert into login_links select sha256($2), id, now() + interval '1 hour' from users where email = $1`, [
      ...[email, Buffer.from(token)],
    ]);
    return await send(url, 'POST', '/api/auth/login-link/redeem', { body: { token } });
  },
};

for (const [how, begin] of Object.entries(newPasswords))
  for (const [way, enter] of Object.entries(begun))
    test(`${how} ends a log-in that is begun ${way} and lacks its factor`, async () => {
      const seller = await createSeller(url);
      await run('update accounts set email_verified = true where id = $1', [seller.accountId]);
      await switchCodesOn(url, seller.session, harness.clock.nowMs());
      const change = await begin(seller);
      // What says whether a factor is due, after the password or link was found right.
      const release = await lockTable(harness.database.url, 'one_time_codes', 'access exclusive');
      const entering = enter(seller);
      await untilBlocked(database, 1, 'select exists (select from one_time_codes');
      expect((await change()).status).toBe(200);
      await release();
      expect(await entering).toMatchObject({ status: 401, json: { code: 'invalid_credentials' } });
      const pending = 'select p.hash from pending_logins as p join users as u on u.id = p.user_id where u.email = $1';
      expect(await run(pending, [seller.email])).toEqual([]);
    });

test('of two answers with one code, and of two with one backup code, one opens a session', async () => {
  const seller = await createSeller(url);
  const { session, email } = seller;
  const { secret } = (await send(url, 'POST', '/api/auth/codes', { session })).json;
  const activate = { code: codeOf(secret, harness.clock.nowMs()) };
  const { backupCodes } = (await send(url, 'POST', '/api/auth/codes/activate', { session, body: activate })).json;
  harness.clock.advance(60_000);
  for (const code of [codeOf(secret, harness.clock.nowMs()), backupCodes[0]]) {
    const cookies = [cookieOf(await logIn(email), 'fnl_login'), cookieOf(await logIn(email), 'fnl_login')];
    const answers = await Promise.all(
      cookies.map((cookie) => send(url, 'POST', '/api/auth/login/factor', { headers: { cookie }, body: { code } })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 401]);
  }
});
