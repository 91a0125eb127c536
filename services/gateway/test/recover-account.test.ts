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
  for (const args of [[], ['recover'], ['remove', seller.email], ['recover', seller.email, 'more']]) {
    const { code, output } = await account(...args);
    expect([code, output]).toEqual([1, expect.stringContaining('recover EMAIL')]);
  }
  expect(await statusBy(seller.session)).toBe(200);
});
