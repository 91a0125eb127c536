import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { runAccountCommand } from '../src/account-command.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';
import { switchCodesOn } from './switch-codes-on.ts';

/** Guarantee: who runs the deployment lets an owner in who has lost every factor, wholly or not at all, and the owner can read of it. */
startGateway({ RATE_LIMIT_PER_MINUTE: '0' });
sellerForEachTest();

const password = 'a long password';
const run = (sql: string, values: unknown[] = []) => query<Record<string, unknown>>(harness.database.url, sql, values);
const statusBy = async (session: string) => (await send(url, 'GET', '/api/v1/settings', { session })).status;
const logIn = () => send(url, 'POST', '/api/auth/login', { body: { email: seller.email, password } });

async function account(...args: string[]) {
  let output = '';
  const settings = { DATABASE_URL: harness.database.url, PUBLIC_URL: url };
  const code = await runAccountCommand(
    args,
    () => settings,
    (text) => {
      output += text;
    },
  );
  return { code, output, link: /\/login\/once\/[\w-]{43}/.exec(output)?.[0] ?? '' };
}

const beginWithCodes = async (): Promise<void> => {
  await switchCodesOn(url, seller.session, harness.clock.nowMs());
  expect((await logIn()).json.factorDue).toBe(true);
};

test('recover ends the factors and sessions, its link logs in once, and the audit log tells of it', async () => {
  await beginWithCodes();
  const { code, link } = await account('recover', seller.email.toUpperCase());
  expect(code).toBe(0);
  // A process of the gateway that has seen the session a moment ago finds out within a second.
  const sql = 'select s.id from sessions as s join users as u on u.id = s.user_id where u.email = $1';
  expect(await run(sql, [seller.email])).toEqual([]);
  const entered = await send(url, 'POST', link);
  const session = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  expect(await statusBy(session)).toBe(200);
  const again = await send(url, 'POST', link);
  expect(again.headers['set-cookie']).toBeUndefined();
  expect((await logIn()).json).toEqual({ ok: true, accountId: seller.accountId });
  const { data } = (await send(url, 'GET', '/api/v1/audit-log', { session })).json;
  expect(data.find(({ operation }: { operation: string }) => operation === 'recover')).toMatchObject({
    outcome: 'done',
    actor: { kind: 'operator', id: null, name: null },
    address: null,
  });
});

test('killed before its commit it changes nothing', async () => {
  await beginWithCodes();
  const name = `dies_${seller.accountId}`;
  await run(`create function ${name}() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$`);
  await run(
    `create trigger ${name} before insert on audit_log for each row when (new.account_id = '${seller.accountId}') execute function ${name}()`,
  );
  await expect(account('recover', seller.email)).rejects.toThrow('died');
  await run(`drop function ${name} cascade`);
  expect(await statusBy(seller.session)).toBe(200);
  expect((await logIn()).json.factorDue).toBe(true);
});

test('an address that nobody has, and words that are no command, are told and change nothing', async () => {
  const unknown = await account('recover', 'nobody@example.com');
  expect([unknown.code, unknown.output]).toEqual([1, 'Nobody logs in with nobody@example.com.\n']);
  for (const args of [
    ...[
      [],
      ['recover'],
      ['remove', seller.email],
      ['recover', seller.email, 'more'],
      ['recover', seller.email, '--name', 'x'],
    ],
    ...[['create'], ['create', 'a@example.com', 'more'], ['create', 'a@example.com', '--unknown', 'x']],
  ]) {
    const { code, output } = await account(...args);
    expect([code, output]).toEqual([1, expect.stringContaining('recover EMAIL')]);
  }
  expect(await statusBy(seller.session)).toBe(200);
});

const resetLink = (output: string) => /\/letters\/password-reset\/[\w-]{43}/.exec(output)?.[0] ?? '';
const accountsOf = (email: string) =>
  run('select a.id, a.business_name from accounts as a join users as u on u.account_id = a.id where u.email = $1', [
    email,
  ]);

test('create makes an account where none may sign up; its link sets the password once, and its address counts as verified', async () => {
  const closed = await harness.start({ SIGNUP: 'closed' });
  const email = 'first@example.com';
  const { code, output } = await account('create', 'First@example.com', '--name', 'First Shop');
  const link = resetLink(output);
  expect([code, output]).toEqual([0, expect.stringContaining(`${url}${link}`)]);
  const choose = (chosen: string) =>
    fetch(`${closed.url}${link}`, { method: 'POST', body: new URLSearchParams({ password: chosen }) });
  expect((await choose('the first password')).status).toBe(200);
  expect((await choose('another password')).status).toBe(404);
  const body = { email, password: 'the first password' };
  const entered = await send(closed.url, 'POST', '/api/auth/login', { body });
  const session = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const settings = (await send(closed.url, 'GET', '/api/v1/settings', { session })).json;
  expect(settings).toMatchObject({
    email,
    emailVerified: true,
    businessName: 'First Shop',
    supportEmailVerified: true,
  });
  const { data } = (await send(closed.url, 'GET', '/api/v1/audit-log', { session })).json;
  expect(data).toContainEqual(
    expect.objectContaining({ operation: 'create', actor: expect.objectContaining({ kind: 'operator' }) }),
  );
});

test('create makes nothing twice, and says what is wrong with an address or a name', async () => {
  expect((await account('create', seller.email)).code).toBe(1);
  expect((await account('create', seller.email)).output).toContain('recover');
  const wrong = await account('create', 'nobody');
  expect([wrong.code, wrong.output]).toEqual([1, expect.stringMatching(/email .*\n$/)]);
  const nameless = await account('create', 'new@example.com', '--name', ' ');
  expect([nameless.code, nameless.output]).toEqual([1, expect.stringMatching(/name .*\n$/)]);
  expect(await accountsOf('new@example.com')).toEqual([]);
});

test('create that is killed before its commit has made nothing, and one killed before it printed leaves an account that recover opens', async () => {
  const email = 'killed@example.com';
  await run(`create function dies_made() returns trigger language plpgsql as $$ begin raise exception 'died'; end $$`);
  await run(
    `create trigger dies_made before insert on audit_log for each row when (new.operation = 'create') execute function dies_made()`,
  );
  await expect(account('create', email)).rejects.toThrow('died');
  await run('drop function dies_made cascade');
  expect(await accountsOf(email)).toEqual([]);
  expect((await account('create', email)).code).toBe(0);
  expect(await accountsOf(email)).toMatchObject([{ business_name: 'killed' }]);
  const { link } = await account('recover', email);
  const entered = await send(url, 'POST', link);
  expect(await statusBy(entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '')).toBe(200);
});
