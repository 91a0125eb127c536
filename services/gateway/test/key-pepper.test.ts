import { rotateSecrets } from '@app/service-host/rotate-secrets';
import { codeOf } from '@app/testing/one-time-codes';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { createLetterBox } from '../src/identity/letters/letters.ts';
import { letterAttempted } from '../src/points/points.ts';
import { gatewayRotation } from '../src/rotation.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

/** Guarantee: what is under the secret before is readable during a rotation, is sealed anew or counted, and nothing is forgotten. */
startGateway();
afterEach(() => harness.clock.reset());

const next = { KEY_PEPPER: 'n'.repeat(32), KEY_PEPPER_PREVIOUS: 'p'.repeat(32) };
let during: RunningGateway;
beforeAll(async () => {
  during = await harness.start(next);
});

const run = (sql: string, values: unknown[] = []) => query<Record<string, unknown>>(harness.database.url, sql, values);
async function rotate(settings: Parameters<typeof gatewayRotation>[0] = next) {
  const lines: string[] = [];
  const code = await rotateSecrets('gateway', harness.database.url, gatewayRotation(settings), (line) =>
    lines.push(line),
  );
  return { code, output: lines.join('\n') };
}

/** Every column of bytes, and whether what it holds is under `KEY_PEPPER`: a new one has to say so here. */
const columns: Readonly<Record<string, 'sealed' | 'counted' | 'moves' | 'apart'>> = {
  'api_keys.hash': 'moves',
  'one_time_codes.sealed': 'sealed',
  'letters.sealed': 'sealed',
  'idempotency_records.response': 'counted',
  // Of a record, with its response: it ends with that.
  'idempotency_records.fingerprint': 'counted',
  // Hashes of random tokens and codes, and what is public.
  'backup_codes.hash': 'apart',
  'known_origins.origin': 'apart',
  'letters.token_hash': 'apart',
  'login_links.token_hash': 'apart',
  'logos.bytes': 'apart',
  'passkey_challenges.hash': 'apart',
  'passkeys.credential_id': 'apart',
  'passkeys.public_key': 'apart',
  'pending_logins.hash': 'apart',
  'portal_links.token_hash': 'apart',
  'portal_sessions.hash': 'apart',
  'sessions.hash': 'apart',
};

test('every column of bytes is known, and what is sealed there is sealed anew or counted', async () => {
  const found = await run(
    `select table_name || '.' || column_name as name from information_schema.columns
     where table_schema = 'public' and data_type = 'bytea'
       and table_name not in ('outbox', 'inbox') order by 1`,
  );
  expect(found.map(({ name }) => name)).toEqual(Object.keys(columns).toSorted());
  const rotated = gatewayRotation(next).columns.map(({ read }) => read([[], 1]).text);
  for (const [name, how] of Object.entries(columns)) {
    const [table = '', column = ''] = name.split('.');
    const isRead = rotated.some((sql) => sql.includes(`from ${table}\n`) && sql.includes(`${column} as sealed`));
    expect([name, isRead]).toEqual([name, how === 'sealed' || name === 'idempotency_records.response']);
  }
});

test('during a rotation a key, a code, a kept answer and a letter of before go on; what is left is counted, and goes', async () => {
  const seller = await createSeller(url);
  const unused = await createSeller(url);
  const { email, session, key } = seller;
  const { secret } = (await send(url, 'POST', '/api/auth/codes', { session })).json;
  const activate = { code: codeOf(secret, harness.clock.nowMs()) };
  expect((await send(url, 'POST', '/api/auth/codes/activate', { session, body: activate })).status).toBe(200);
  const order = {
    key,
    headers: { 'idempotency-key': 'kept' },
    body: { productSlug: 'course', email: 'ada@example.com' },
  };
  const placed = await send(url, 'POST', '/api/v1/orders', order);
  await announced(letterAttempted, ({ to, kind }) => to === email && kind === 'verification');
  // One that waits until tomorrow, because the mail server is out.
  await send(url, 'POST', '/api/auth/password-reset', { body: { email } });
  await announced(letterAttempted, ({ to, kind }) => to === email && kind === 'password_reset');
  const waiting = `insert into letters (id, kind, user_id, token_hash, sealed, created_at, next_attempt_at, expires_at)
    select $1, kind, user_id, decode(md5($1), 'hex'), $2, created_at, created_at + interval '1 day', expires_at from letters
    where kind = 'password_reset' and user_id = (select id from users where email = $3) limit 1`;
  const link = `${url}/letters/password-reset/${'w'.repeat(43)}`;
  const sealed = createLetterBox([next.KEY_PEPPER_PREVIOUS]).seal(Buffer.from(link), 'letter_that_waits');
  await run(waiting, ['letter_that_waits', sealed, email]);

  const first = await rotate();
  expect(first.output).toMatch(/secrets of one-time codes: 1 sealed anew, 0 already, 0 left, 0 cannot be opened/);
  expect(first.output).toMatch(/letters that wait to be sent: 1 sealed anew, 0 already, 0 left, 0 cannot be opened/);
  expect(first.output).toMatch(/responses kept for an Idempotency-Key: 0 sealed anew, 0 already, 1 left/);
  expect(first.output).toMatch(/left under KEY_PEPPER_PREVIOUS: 2 API keys, which move at their next use/);
  expect(first.code).toBe(2);
  expect((await rotate()).output).toMatch(/secrets of one-time codes: 0 sealed anew, 1 already/);

  const again = await send(during.url, 'POST', '/api/v1/orders', order);
  expect([again.text, again.headers['idempotent-replayed']]).toEqual([placed.text, 'true']);
  const login = await send(during.url, 'POST', '/api/auth/login', { body: { email, password: 'a long password' } });
  const cookie = login.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  harness.clock.advance(60_000);
  const body = { code: codeOf(secret, harness.clock.nowMs()) };
  const factor = await send(during.url, 'POST', '/api/auth/login/factor', { headers: { cookie }, body });
  expect(factor.json).toMatchObject({ ok: true });
  const [letter] = await run('select sealed from letters where id = $1', ['letter_that_waits']);
  const opened = createLetterBox([next.KEY_PEPPER]).open(letter?.sealed as Buffer, 'letter_that_waits');
  expect(opened.toString()).toBe(link);

  expect((await rotate()).output).toMatch(/left under KEY_PEPPER_PREVIOUS: 1 API keys/);
  expect((await send(during.url, 'GET', '/api/v1/settings', { key: unused.key })).status).toBe(200);
  await run('delete from idempotency_records');
  const last = await rotate();
  expect([last.code, last.output]).toEqual([0, expect.stringContaining('nothing is left')]);
  const after = await harness.start({ KEY_PEPPER: next.KEY_PEPPER });
  for (const { key: moved } of [seller, unused])
    expect((await send(after.url, 'GET', '/api/v1/settings', { key: moved })).status).toBe(200);
});

test('what neither secret opens is told, and the secret before must stay', async () => {
  const { session } = await createSeller(url);
  await send(url, 'POST', '/api/auth/codes', { session });
  const wrong = await rotate({ KEY_PEPPER: 'x'.repeat(32), KEY_PEPPER_PREVIOUS: 'y'.repeat(32) });
  expect([wrong.code, wrong.output]).toEqual([
    1,
    expect.stringMatching(/1 cannot be opened|[1-9]\d* values open neither/),
  ]);
});
