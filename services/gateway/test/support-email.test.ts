import { accountSettingsChanged } from '@app/contracts/accounts';
import { announced } from '@app/testing/points';
import { untilBlocked } from '@app/testing/poll-system';
import { lockTable, query } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { database, harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

/** Guarantee: an address that is given for support is used for nothing until its reader has confirmed it. */
startGateway();
sellerForEachTest();
const verify = (accountId: string) =>
  query(harness.database.url, 'update accounts set email_verified = true where id = $1', [accountId]);
beforeEach(() => verify(seller.accountId));
afterEach(() => harness.clock.reset());

let addresses = 0;
const newAddress = () => `help-${++addresses}@example.com`;
const give = (supportEmail: string, key = seller.key) =>
  send(url, 'PATCH', '/api/v1/settings', { key, body: { supportEmail } });
const settings = async (key = seller.key) => (await send(url, 'GET', '/api/v1/settings', { key })).json;
const again = (key = seller.key) => send(url, 'POST', '/api/v1/settings/support-email/verification', { key });
const redeem = (token: string) => send(url, 'POST', '/api/auth/support-email/redeem', { body: { token } });
const tokenOf = (link = '') => link.slice(link.lastIndexOf('/') + 1);

/** The links of the letters to the address, oldest first, once so many were sent. */
async function linksTo(email: string, count = 1): Promise<string[]> {
  await announced(letterAttempted, ({ to, kind }) => to === email && kind === 'support_email', count);
  return lettersTo(email).flatMap(
    (text) => /http:\/\/[\w.:]+\/letters\/support-email\/[\w-]{43}/.exec(text)?.[0] ?? [],
  );
}

const eventsOf = async (accountId: string) =>
  (
    await query<{ data: { supportEmail: string; supportEmailVerified: boolean } }>(
      harness.database.url,
      `select payload::json->'data' as data from outbox where subject = $1 and payload::json->>'accountId' = $2
       order by (payload::json->'data'->>'revision')::int`,
      [accountSettingsChanged.subject, accountId],
    )
  ).map(({ data }) => data);

test('it waits, and no service knows of it; opening its link changes nothing, the button makes it the one that is used', async () => {
  const email = newAddress();
  await send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body: { businessName: 'Buy at spam.example' } });
  const before = { supportEmail: seller.email, supportEmailPending: email };
  expect((await give(email)).json).toMatchObject(before);
  const [link = ''] = await linksTo(email);
  expect(lettersTo(email).join()).not.toContain('spam.example');
  for (let opened = 0; opened < 2; opened += 1)
    expect(await (await fetch(link)).text()).toContain('Buy at spam.example');
  expect(await settings()).toMatchObject(before);
  expect((await eventsOf(seller.accountId)).map(({ supportEmail }) => supportEmail)).not.toContain(email);
  expect((await fetch(link, { method: 'POST' })).status).toBe(200);
  const after = { supportEmail: email, supportEmailVerified: true };
  expect(await settings()).toMatchObject({ ...after, supportEmailPending: null });
  expect((await eventsOf(seller.accountId)).at(-1)).toMatchObject(after);
  expect((await fetch(link, { method: 'POST' })).status).toBe(404);
});

test('the account’s own address counts at once, and the one that is used ends one that waits', async () => {
  const email = newAddress();
  await give(email);
  const [link] = await linksTo(email);
  expect((await give(seller.email.toUpperCase())).json).toMatchObject({ supportEmailPending: null });
  expect((await redeem(tokenOf(link))).status).toBe(404);
  expect(await settings()).toMatchObject({
    supportEmail: seller.email.replace('seller', 'SELLER'),
    supportEmailPending: null,
  });
});

test('of several addresses the one given last can confirm; one that is sent again ends the link before', async () => {
  const [first, second] = [newAddress(), newAddress()];
  await give(first);
  const [early] = await linksTo(first);
  await give(second);
  const [replaced] = await linksTo(second);
  expect((await redeem(tokenOf(early))).status).toBe(404);
  expect((await again()).json).toEqual({ ok: true });
  const [, latest] = await linksTo(second, 2);
  expect((await redeem(tokenOf(replaced))).status).toBe(404);
  expect((await redeem(tokenOf(latest))).json).toEqual({ ok: true });
  expect(await settings()).toMatchObject({ supportEmail: second });
  expect((await again()).json).toEqual({ ok: true });
  expect(await linksTo(second, 2)).toHaveLength(2);
});

test('a new password ends the link, so that whoever had the account cannot confirm later', async () => {
  const email = newAddress();
  await give(email);
  const [link] = await linksTo(email);
  const body = { password: 'a long password', newPassword: 'another long password' };
  expect((await send(url, 'POST', '/api/auth/password', { session: seller.session, body })).status).toBe(200);
  expect((await redeem(tokenOf(link))).status).toBe(404);
  expect(await settings()).toMatchObject({ supportEmail: seller.email, supportEmailPending: email });
});

test('the change and its letter are one transaction: killed before it nothing has changed, after it any replica sends the letter', async () => {
  const email = newAddress();
  const release = await lockTable(harness.database.url, 'letters');
  const given = send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body: { supportEmail: email } });
  await untilBlocked(database, 1, 'insert into letters');
  const stored = () =>
    query(harness.database.url, 'select support_email_pending from accounts where id = $1', [seller.accountId]);
  expect(await stored()).toEqual([{ support_email_pending: null }]);
  await release();
  expect((await given).status).toBe(200);
  expect(await stored()).toEqual([{ support_email_pending: email }]);
  expect(await linksTo(email)).toHaveLength(1);
});

test('letters to one address, and letters that one account causes, are bounded', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000' });
  const giveThere = async (key: string, supportEmail: string) =>
    (await send(limited.url, 'PATCH', '/api/v1/settings', { key, body: { supportEmail } })).status;
  const verifiedKey = async () => {
    const { accountId, key } = await createSeller(url);
    await verify(accountId);
    return key;
  };
  const key = await verifiedKey();
  const statuses: number[] = [];
  for (let n = 1; n <= 21; n += 1) statuses.push(await giveThere(key, `stranger-${n}@victim.example`));
  expect(statuses).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
  const email = newAddress();
  for (let n = 1; n <= 6; n += 1) expect(await giveThere(await verifiedKey(), email)).toBe(200);
  const rows = await query(
    harness.database.url,
    `select 1 from letters where kind = 'support_email' and recipient = $1`,
    [email],
  );
  expect(rows.length).toBeLessThanOrEqual(5);
});

test('one that was taken before is asked when its account wants that, and confirms', async () => {
  const email = newAddress();
  await query(
    harness.database.url,
    'update accounts set support_email = $2, support_email_verified = false, email_verified = true where id = $1',
    [seller.accountId, email],
  );
  expect(await settings()).toMatchObject({
    supportEmail: email,
    supportEmailVerified: false,
    supportEmailPending: null,
  });
  expect((await again()).json).toEqual({ ok: true });
  const [link] = await linksTo(email);
  expect((await redeem(tokenOf(link))).json).toEqual({ ok: true });
  expect(await settings()).toMatchObject({ supportEmail: email, supportEmailVerified: true });
});

test.each(['by its first letter', 'by another address'])(
  'an account that is not verified writes to no such address; it is asked once the account is verified %s',
  async (way) => {
    const owner = await createSeller(url);
    const [first, second, next] = [newAddress(), newAddress(), newAddress()];
    for (const email of [first, second]) expect((await give(email, owner.key)).status).toBe(200);
    expect((await again(owner.key)).json).toEqual({ ok: true });
    const letters = async () =>
      (
        await query<{ recipient: string }>(
          harness.database.url,
          `select l.recipient from letters as l join users as u on u.id = l.user_id where u.account_id = $1 and l.kind = 'support_email'`,
          [owner.accountId],
        )
      ).map(({ recipient }) => recipient);
    expect(await letters()).toEqual([]);
    const { session } = owner;
    const isChange = way === 'by another address';
    if (isChange) await send(url, 'POST', '/api/auth/email', { session, body: { email: next } });
    const [to, kind] = isChange ? ([next, 'email_change'] as const) : ([owner.email, 'verification'] as const);
    await announced(letterAttempted, (sent) => sent.to === to && sent.kind === kind);
    const token = /\/letters\/[\w-]+\/([\w-]{43})/.exec(lettersTo(to).join())?.[1] ?? '';
    const path = isChange ? '/api/auth/email/redeem' : '/api/auth/verification/redeem';
    expect((await send(url, 'POST', path, { session, body: { token } })).json).toEqual({ ok: true });
    expect(await letters()).toEqual([second]);
    const [link] = await linksTo(second);
    expect((await redeem(tokenOf(link))).json).toEqual({ ok: true });
    expect(await settings(owner.key)).toMatchObject({ supportEmail: second, supportEmailVerified: true });
  },
);
