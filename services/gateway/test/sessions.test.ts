import { sessionResource } from '@app/contracts/accounts';
import { listOf } from '@app/contracts/common';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, expect, test } from 'vitest';
import { credentialUseRecorded } from '../src/points/points.ts';
import { createSeller, platformKey } from './harness.ts';
import { send } from './http.ts';
import { harness, seller, sellerForEachTest, startGateway, url } from './set-up.ts';

startGateway();
sellerForEachTest();
afterEach(() => harness.clock.reset());
const password = 'a long password';
const newPassword = 'an even longer password';

async function logIn(given = password, headers: Record<string, string> = {}): Promise<string> {
  const { headers: got } = await send(url, 'POST', '/api/auth/login', {
    ...{ headers, body: { email: seller.email, password: given } },
  });
  return got['set-cookie']?.[0]?.split(';')[0] ?? '';
}

async function list(session: string, page = '') {
  const { json } = await send(url, 'GET', `/api/auth/sessions${page}`, { session });
  return listOf(sessionResource.strict()).strict().parse(json);
}
const statusOf = async (session: string) => (await send(url, 'GET', '/api/auth/me', { session })).status;
const end = (session: string, id: string) => send(url, 'DELETE', `/api/auth/sessions/${id}`, { session });
const change = (session: string, body: object) => send(url, 'POST', '/api/auth/password', { session, body });

test('a user sees their own sessions, where each was opened, and which one is theirs now', async () => {
  const phone = await logIn(password, { 'user-agent': `a phone ${'x'.repeat(400)}` });
  await createSeller(url);
  const { data } = await list(seller.session);
  expect(data).toMatchObject([
    { current: false, address: '127.0.0.1', user_agent: expect.stringMatching(/^a phone x{292}$/) },
    { current: true, address: '127.0.0.1' },
  ]);
  expect((await list(phone)).data.map(({ id, current }) => [id, current])).toEqual([
    [data[0]?.id, true],
    [data[1]?.id, false],
  ]);
  const firstPage = await list(seller.session, '?limit=1');
  expect([firstPage.data.map(({ id }) => id), firstPage.has_more]).toEqual([[data[0]?.id], true]);
  const secondPage = await list(seller.session, `?before=${data[0]?.id}`);
  expect([secondPage.data.map(({ id }) => id), secondPage.has_more]).toEqual([[data[1]?.id], false]);
});

test('a session says when it was used last, and is not listed after its end', async () => {
  const { data: first } = await list(seller.session);
  const id = first[0]?.id ?? '';
  await announced(credentialUseRecorded, (used) => used.id === id);
  expect((await list(seller.session)).data[0]?.last_used_at).toEqual(expect.any(String));
  harness.clock.advance(29 * 86_400_000);
  const later = await logIn();
  expect((await list(later)).data).toHaveLength(2);
  harness.clock.advance(2 * 86_400_000);
  expect((await list(later)).data.map(({ current }) => current)).toEqual([true]);
});

test('an ended session answers no more, and its cookie goes with the own one', async () => {
  const phone = await logIn();
  const { data } = await list(seller.session);
  const [ofPhone, own] = data.map(({ id }) => id);
  expect((await end(seller.session, ofPhone as string)).json).toEqual({ ok: true });
  expect([await statusOf(phone), await statusOf(seller.session)]).toEqual([401, 200]);
  const again = await end(seller.session, ofPhone as string);
  expect([again.status, again.json.code]).toEqual([404, 'session_not_found']);
  const out = await end(seller.session, own as string);
  expect(out.headers['set-cookie']?.[0]).toMatch(/^fnl_session=; Path=\/; Max-Age=0;/);
  expect(await statusOf(seller.session)).toBe(401);
});

test('a user ends all other sessions, and no other user’s', async () => {
  const others = [await logIn(), await logIn()];
  const stranger = await createSeller(url);
  const ended = await send(url, 'DELETE', '/api/auth/sessions', { session: seller.session });
  expect(ended.json).toEqual({ ok: true });
  expect(await Promise.all([...others, seller.session, stranger.session].map(statusOf))).toEqual([401, 401, 200, 200]);
  const { data } = await list(stranger.session);
  expect((await end(seller.session, data[0]?.id ?? '')).status).toBe(404);
  expect(await statusOf(stranger.session)).toBe(200);
});

test('a changed password logs in, the former one does not, and all other sessions end', async () => {
  const other = await logIn();
  const stranger = await createSeller(url);
  const changed = await change(seller.session, { password, newPassword });
  expect([changed.status, changed.json]).toEqual([200, { ok: true }]);
  expect(await Promise.all([seller.session, other, stranger.session].map(statusOf))).toEqual([200, 401, 200]);
  expect(await logIn()).toBe('');
  expect(await statusOf(await logIn(newPassword))).toBe(200);
  // API keys are no sessions.
  expect((await send(url, 'GET', '/api/v1/orders', { key: seller.key })).status).toBe(200);
});

test('a change needs the current password, and a new one that is not easily guessed', async () => {
  const other = await logIn();
  const refused = [
    await change(seller.session, { password: 'another password', newPassword }),
    await change(seller.session, { password, newPassword: 'Password123!' }),
    await change(seller.session, { password, newPassword: seller.email }),
    await change(seller.session, { password, newPassword: 'short' }),
  ];
  expect(refused.map(({ status, json }) => [status, json.code, json.errors?.[0]?.field])).toEqual([
    [401, 'invalid_credentials', undefined],
    [422, 'validation_failed', 'newPassword'],
    [422, 'validation_failed', 'newPassword'],
    [422, 'validation_failed', 'newPassword'],
  ]);
  expect([await statusOf(other), await statusOf(await logIn())]).toEqual([200, 200]);
});

test('of two changes at once one takes effect, and the sessions are those that it left', async () => {
  const other = await logIn();
  const wanted = ['the first new password', 'the second new password'];
  const [first, second] = await Promise.all([
    change(seller.session, { password, newPassword: wanted[0] }),
    change(other, { password, newPassword: wanted[1] }),
  ]);
  const winner = first.status === 200 ? 0 : 1;
  expect([first.status, second.status].toSorted()).toEqual([200, 401]);
  expect(await Promise.all([seller.session, other].map(statusOf))).toEqual(winner === 0 ? [200, 401] : [401, 200]);
  expect(await statusOf(await logIn(wanted[winner]))).toBe(200);
});

test('no key changes the password or reads or ends sessions', async () => {
  const { data } = await list(seller.session);
  const requested = [
    ['POST', '/api/auth/password', { password, newPassword }],
    ['GET', '/api/auth/sessions'],
    ['DELETE', `/api/auth/sessions/${data[0]?.id}`],
    ['DELETE', '/api/auth/sessions'],
  ] as const;
  for (const [method, path, body] of requested) {
    for (const key of [seller.key, platformKey]) {
      const { status, json } = await send(url, method, path, { key, ...(body && { body }) });
      expect([method, path, status, json.code]).toEqual([method, path, 403, 'insufficient_scope']);
    }
    expect((await send(url, method, path, body ? { body } : {})).status).toBe(401);
  }
  expect(await statusOf(seller.session)).toBe(200);
  expect(await statusOf(await logIn())).toBe(200);
});

test('nothing of a password is kept under an Idempotency-Key', async () => {
  const headers = { 'idempotency-key': 'change' };
  const body = { password, newPassword };
  const first = await send(url, 'POST', '/api/auth/password', { session: seller.session, headers, body });
  const again = await send(url, 'POST', '/api/auth/password', { session: seller.session, headers, body });
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
  const kept = JSON.stringify(await query(harness.database.url, 'select * from idempotency_records, users'));
  for (const secret of [password, newPassword]) {
    expect(kept).not.toContain(secret);
    expect(kept).not.toContain(Buffer.from(secret).toString('hex'));
  }
});
