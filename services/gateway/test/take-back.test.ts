import { accountTakenBack } from '@app/contracts/accounts';
import { DomainError } from '@app/contracts/errors';
import { announced } from '@app/testing/points';
import { untilBlocked } from '@app/testing/poll-system';
import { lockTable, query } from '@app/testing/sql';
import { afterEach, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { database, harness, startGateway, url } from './set-up.ts';
import { switchCodesOn } from './switch-codes-on.ts';

/** Guarantee: a password that is chosen by a letter takes a never verified account from whoever made it, or changes nothing at all. */
startGateway();
afterEach(() => {
  harness.processors.revoke = async () => undefined;
});

const password = 'the password of the owner';
const sentTo = (email: string, kind: string) =>
  announced(letterAttempted, (letter) => letter.to === email && letter.kind === kind);
const tokenIn = (email: string, page: string) =>
  new RegExp(`/letters/${page}/([\\w-]{43})`).exec(lettersTo(email).join())?.[1] ?? '';

const verify = ({ email, session }: { email: string; session: string }) =>
  send(url, 'POST', '/api/auth/verification/redeem', { session, body: { token: tokenIn(email, 'verification') } });

async function resetToken(email: string): Promise<string> {
  await send(url, 'POST', '/api/auth/password-reset', { body: { email } });
  await sentTo(email, 'password_reset');
  return tokenIn(email, 'password-reset');
}
const redeem = (token: string, more = {}) =>
  send(url, 'POST', '/api/auth/password-reset/redeem', { body: { token, password, ...more } });
const statusBy = async (caller: { key?: string; session?: string }) =>
  (await send(url, 'GET', '/api/v1/settings', caller)).status;
const events = (accountId: string) =>
  query(harness.database.url, `select id from outbox where payload like '%' || $1 || '%' and subject = $2`, [
    ...[accountId, accountTakenBack.subject],
  ]);
const revoked = (accountId: string) =>
  harness.requested.filter((input) => {
    const { revoked: what, accountId: of } = input as { revoked?: string; accountId?: string };
    return what !== undefined && of === accountId;
  });

test('it is verified, its keys and sessions end, and the services end what they have, once before and once after', async () => {
  const { email, accountId, key, session } = await createSeller(url);
  await send(url, 'PATCH', '/api/v1/settings', {
    key,
    body: { supportEmail: 'hijacker@example.com', checkoutUrl: 'https://hijacker.example/' },
  });
  const token = await resetToken(email);
  expect((await redeem(token)).status).toBe(200);
  expect([await statusBy({ key }), await statusBy({ session })]).toEqual([401, 401]);
  const entered = await send(url, 'POST', '/api/auth/login', { body: { email, password } });
  const own = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const settings = (await send(url, 'GET', '/api/v1/settings', { session: own })).json;
  expect(settings).toMatchObject({ emailVerified: true, supportEmail: email, checkoutUrl: null });
  expect(await events(accountId)).toHaveLength(1);
  expect(revoked(accountId)).toHaveLength(4);
});

test.each([
  ['a key', 'POST', '/api/v1/api-keys', { name: 'late' }],
  ['an address for support', 'PATCH', '/api/v1/settings', { supportEmail: 'hijacker@example.com' }],
])(
  '%s that its former session asked for a moment before is not there a moment after',
  async (_, method, path, body) => {
    const { accountId, session } = await createSeller(url);
    await send(url, 'POST', '/api/auth/confirm', { session, body: { password: 'a long password' } });
    const release = await lockTable(harness.database.url, 'letters');
    const late = send(url, method, path, { session, body });
    // The call was let in, and waits to write its own letter: the loop that sends letters waits with another statement.
    await untilBlocked(database, 1, 'insert into letters');
    const run = (sql: string) => query(harness.database.url, sql, [accountId]);
    await run('delete from sessions where user_id in (select id from users where account_id = $1)');
    await run('update api_keys set revoked_at = now() where account_id = $1');
    await release();
    expect(await late).toMatchObject({ status: 401, json: { code: 'unauthorized' } });
    expect(await run('select from api_keys where account_id = $1 and revoked_at is null')).toEqual([]);
    expect(await run(`select from accounts where id = $1 and support_email = 'hijacker@example.com'`)).toEqual([]);
  },
);

test('while a service is out nothing is changed, and the link stays valid', async () => {
  const { email, accountId, key, session } = await createSeller(url);
  const token = await resetToken(email);
  harness.processors.revoke = async () => {
    throw new DomainError('service_unavailable', 'Billing is out.');
  };
  expect((await redeem(token)).status).toBe(503);
  expect([await statusBy({ key }), await statusBy({ session })]).toEqual([200, 200]);
  expect(await events(accountId)).toEqual([]);
  harness.processors.revoke = async () => undefined;
  expect((await redeem(token)).status).toBe(200);
  expect(await statusBy({ key })).toBe(401);
});

test('factors that were set up before the address was verified end with it; those of a verified account stay', async () => {
  const hijacked = await createSeller(url);
  await switchCodesOn(url, hijacked.session, harness.clock.nowMs());
  expect((await redeem(await resetToken(hijacked.email))).status).toBe(200);
  const entered = await send(url, 'POST', '/api/auth/login', { body: { email: hijacked.email, password } });
  expect(entered.json).toEqual({ ok: true, accountId: hijacked.accountId });

  const owner = await createSeller(url);
  await sentTo(owner.email, 'verification');
  await verify(owner);
  await switchCodesOn(url, owner.session, harness.clock.nowMs());
  expect((await redeem(await resetToken(owner.email))).status).toBe(200);
  const begun = await send(url, 'POST', '/api/auth/login', { body: { email: owner.email, password } });
  expect(begun.json).toMatchObject({ ok: false, factorDue: true });
});

test('a reset of a verified account ends nothing elsewhere, and its keys where that is wanted', async () => {
  const { email, accountId, key, session } = await createSeller(url);
  await sentTo(email, 'verification');
  await verify({ email, session });
  const token = await resetToken(email);
  expect((await redeem(token)).status).toBe(200);
  expect([await statusBy({ key }), await statusBy({ session })]).toEqual([200, 401]);
  expect([await events(accountId), revoked(accountId)]).toEqual([[], []]);

  const entered = await send(url, 'POST', '/api/auth/login', { body: { email, password } });
  const own = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const change = { password, newPassword: 'another password of the owner', revokeKeys: true };
  expect((await send(url, 'POST', '/api/auth/password', { session: own, body: change })).status).toBe(200);
  expect([await statusBy({ key }), await statusBy({ session: own })]).toEqual([401, 200]);
});

test('a reset may revoke all keys of a verified account', async () => {
  const { email, key, session } = await createSeller(url);
  await sentTo(email, 'verification');
  await verify({ email, session });
  expect((await redeem(await resetToken(email), { revokeKeys: true })).status).toBe(200);
  expect(await statusBy({ key })).toBe(401);
});
