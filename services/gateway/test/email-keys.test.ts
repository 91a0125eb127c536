import { openDatabase } from '@app/service-kit/database';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, describe, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { sharedMailboxes, userKeys } from '../src/identity/shared-mailboxes.ts';
import { letterAttempted } from '../src/points/points.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

/** Guarantee: one mailbox is one owner of an account, however the address is written. */
startGateway();
afterEach(() => harness.clock.reset());

const password = 'a long password';
const post = (path: string, body: object) => send(url, 'POST', path, { body });
const signUp = (email: string, given = password) => post('/api/auth/signup', { email, password: given, name: 'Öz' });
const logIn = (email: string, given = password) => post('/api/auth/login', { email, password: given });

describe.each([
  ['Özlem-1@example.com', 'özlem-1@EXAMPLE.com'],
  ['maya@münchen.example', 'MAYA@xn--mnchen-3ya.example'],
  ['o\u0308zlem-2@example.com', 'ÖZLEM-2@example.com'],
])('%s', (own, other) => {
  test('logs in, is taken, and gets its letters in another spelling too', async () => {
    expect((await signUp(own)).status).toBe(200);
    expect((await logIn(other)).status).toBe(200);
    expect((await logIn(own)).status).toBe(200);
    expect((await signUp(other)).json).toMatchObject({ code: 'email_taken' });
    const to = own.toLowerCase();
    const sent = announced(letterAttempted, (letter) => letter.kind === 'password_reset' && letter.to === to);
    expect((await post('/api/auth/password-reset', { email: other })).status).toBe(200);
    await sent;
  });
});

test.each(['ada@１２７.0.0.1', 'ada@\u00ad.com', 'ada@127.0.0.0x1', 'ada@example.com.'])(
  '%j is refused as an address at its field',
  async (email) => {
    const { status, json } = await signUp(email);
    expect([status, json]).toEqual([
      422,
      expect.objectContaining({
        errors: [{ field: 'email', code: 'invalid_format', message: 'must be an email address' }],
      }),
    ]);
  },
);

test('two accounts that had one mailbox stay apart, each logs in by its own spelling, and both are reported', async () => {
  const [older, younger] = ['info@xn--bcher-kva.example', 'info@bücher.example'] as const;
  await signUp(older, 'the older password');
  await signUp('stays-apart@example.com', 'the younger password');
  await query(harness.database.url, `update users set email_key = null where email = any ($1)`, [
    [older, 'stays-apart@example.com'],
  ]);
  // As the release before let them sign up.
  await query(harness.database.url, 'update users set email = $1 where email = $2', [
    younger,
    'stays-apart@example.com',
  ]);
  const database = await openDatabase(databaseOptions(harness.database.url));
  await database.transaction((client) => userKeys.fill(client, ''));
  expect((await logIn(older, 'the older password')).status).toBe(200);
  expect((await logIn(younger, 'the younger password')).status).toBe(200);
  expect((await logIn('INFO@BÜCHER.example', 'the younger password')).status).toBe(200);
  expect((await logIn(younger, 'the older password')).status).toBe(401);
  const ids = await query<{ account_id: string }>(
    harness.database.url,
    'select account_id from users where email = any ($1) order by id',
    [[older, younger]],
  );
  expect(await sharedMailboxes(database)).toEqual([
    { accountId: ids[1]?.account_id, olderAccountId: ids[0]?.account_id },
  ]);
  await database.close();
});
