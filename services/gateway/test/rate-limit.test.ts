import { createHash } from 'node:crypto';
import { Agent } from 'node:http';
import { announced } from '@app/testing/points';
import { lockTable, query } from '@app/testing/sql';
import { beforeAll, expect, test } from 'vitest';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { newApiKey } from '../src/identity/api-key-format.ts';
import { clientCountsExchanged } from '../src/points/points.ts';
import { createSeller, platformKey, signUp } from './harness.ts';
import { type Sent, send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway({ RATE_LIMIT_PER_MINUTE: '5', TRUST_PROXY: '1' });

let unlimited: RunningGateway;
/** Replicas that limit strangers: each test has addresses and accounts of its own. */
let one: RunningGateway;
let two: RunningGateway;
beforeAll(async () => {
  unlimited = await harness.start();
  const settings = { RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' };
  [one, two] = [await harness.start(settings), await harness.start(settings)];
});

/** A read that needs no other service: how soon one answers is no matter of this file. */
const read = (at: string, caller: object) => send(at, 'GET', '/api/v1/settings', caller);
const statusOf = ({ status }: Sent) => status;
const keyOf = async (at: string, session: string) =>
  (await send(at, 'POST', '/api/v1/api-keys', { session, body: { name: 'k' } })).json.key as string;

test('an account has one quota for a minute over all its keys and sessions; health and the platform key are outside of it', async () => {
  const { key, session } = await createSeller(unlimited.url);
  const second = await keyOf(unlimited.url, session);
  const answers: Sent[] = [];
  for (const caller of [{ key }, { key: second }, { session }, { key }, { key: second }, { session }])
    answers.push(await read(url, caller));
  expect(answers.map(statusOf)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(answers.map(({ headers }) => headers['ratelimit-policy'])).toEqual(Array(6).fill('"account";q=5;w=60'));
  expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['4', '3', '2', '1', '0', '0']);
  expect(answers[0]?.headers.ratelimit).toMatch(/^"account";r=4;t=60$/);
  expect(answers[1]?.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '3' });
  expect(answers[1]?.headers['ratelimit-reset']).toMatch(/^(60|5\d)$/);
  const refused = answers[5];
  expect(refused?.json).toMatchObject({ code: 'rate_limited', status: 429 });
  expect(refused?.headers.ratelimit).toMatch(/^"account";r=0;t=\d+$/);
  expect(refused?.headers['retry-after']).toMatch(/^(60|5\d)$/);
  const runDaily = (caller: string) => send(url, 'POST', '/api/cron/daily', { key: caller });
  expect([(await runDaily(key)).status, (await runDaily(platformKey)).status]).toEqual([429, 200]);
  expect((await send(url, 'GET', '/healthz')).headers.ratelimit).toBeUndefined();
  const other = await createSeller(unlimited.url);
  expect((await read(url, { key: other.key })).status).toBe(200);
});

test('two replicas hold one quota together, to the request', async () => {
  const settings = { RATE_LIMIT_PER_MINUTE: '40' };
  // A replica that waits longer for the database counts alone.
  const deps = { quotaWithinMs: 20_000 };
  const [one, two] = [await harness.start(settings, deps), await harness.start(settings, deps)];
  const { key, session } = await createSeller(unlimited.url);
  const second = await keyOf(unlimited.url, session);
  const rush = await Promise.all(
    Array.from({ length: 72 }, (_, i) => read((i % 2 === 0 ? one : two).url, { key: i % 3 === 0 ? key : second })),
  );
  // What a replica has leased and not used is given to the next caller there.
  const late = await Promise.all(Array.from({ length: 20 }, (_, i) => read((i % 2 === 0 ? one : two).url, { key })));
  late.push(await read(one.url, { key }), await read(two.url, { key }));
  const answers = [...rush, ...late];
  expect(new Set(answers.map(statusOf))).toEqual(new Set([200, 429]));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
  expect(late.slice(-2).map(statusOf)).toEqual([429, 429]);
});

test('a quota that cannot be shared refuses no caller: each replica counts alone, without waiting', async () => {
  const gateway = await harness.start({ RATE_LIMIT_PER_MINUTE: '50' });
  const { key } = await createSeller(unlimited.url);
  const gone = await createSeller(unlimited.url);
  const release = await lockTable(harness.database.url, 'rate_windows', 'access exclusive');
  const answers = await Promise.all(Array.from({ length: 60 }, () => read(gateway.url, { key })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(50);
  await release();
  await query(harness.database.url, 'alter table rate_windows rename to windows_gone');
  expect((await read(gateway.url, { key: gone.key })).headers['ratelimit-remaining']).toBe('49');
  await query(harness.database.url, 'alter table windows_gone rename to rate_windows');
});

test('an address gets sixty requests a minute without a valid key, and another address does not suffer from it', async () => {
  const from = (address: string, method = 'GET', path = '/api/v1/settings') =>
    send(url, method, path, {
      headers: { 'x-forwarded-for': address, authorization: 'Bearer fnl_guess' },
      ...(method === 'POST' ? { body: {} } : {}),
    });
  const statuses = [];
  for (let i = 0; i < 60; i++) statuses.push((await from('203.0.113.9')).status);
  expect(new Set(statuses)).toEqual(new Set([401]));
  const next = [await from('203.0.113.9'), await from('203.0.113.9', 'POST', '/api/auth/login')];
  for (const { status, headers } of next)
    expect([status, headers['ratelimit-policy']]).toEqual([429, '"address";q=60;w=60']);
  expect((await from('203.0.113.10')).status).toBe(401);
});

/** The replicas know of so many requests of this address. */
const exchanged = (address: string, requests: number) =>
  announced(clientCountsExchanged, ({ counts }) =>
    counts.some(({ client, taken }) => client === address && taken >= requests),
  );

test('what an address has used at one replica is used up at the others, but for a few requests there', async () => {
  const open = async (at: string) =>
    (await send(at, 'POST', '/api/auth/login', { headers: { 'x-forwarded-for': '203.0.113.200' }, body: {} })).status;
  for (let i = 0; i < 60; i++) expect(await open(one.url)).toBe(422);
  expect(await open(one.url)).toBe(429);
  await exchanged('203.0.113.200', 60);
  for (let i = 0; i < 6; i++) expect(await open(two.url)).toBe(422);
  await exchanged('203.0.113.200', 66);
  // By itself it would allow sixty.
  expect(await open(two.url)).toBe(429);
});

test('fifteen buyers behind one address all buy: pages and the checkout have a limit of their own', async () => {
  const { key } = await createSeller(unlimited.url);
  const { handle } = (await send(unlimited.url, 'GET', '/api/v1/settings', { key })).json;
  const headers = { 'x-forwarded-for': '203.0.113.201' };
  const guess = { headers: { ...headers, authorization: 'Bearer fnl_guess' } };
  for (let i = 0; i < 61; i++) await send(one.url, 'GET', '/api/v1/settings', guess);
  expect((await send(one.url, 'GET', '/api/v1/settings', guess)).status).toBe(429);
  const buy = async (): Promise<number[]> => {
    const page = await send(one.url, 'GET', `/c/${handle}/course`, { headers });
    const opened = await send(one.url, 'POST', '/api/checkout', { headers, body: { handle, slug: 'course' } });
    const path = `/api/checkout/${opened.json.id}`;
    const buyer = { headers: { ...headers, 'x-checkout-secret': `${opened.json.secret}` } };
    const changes: Sent[] = [];
    for (const email of ['a@b.co', 'ada@b.co', 'ada@example.com'])
      changes.push(await send(one.url, 'PATCH', path, { ...buyer, body: { email } }));
    const paid = await send(one.url, 'POST', `${path}/pay`, { ...buyer, body: { paymentMethod: 'tok' } });
    return [page, opened, ...changes, paid, await send(one.url, 'GET', path, buyer)].map(statusOf);
  };
  const bought = await Promise.all(Array.from({ length: 15 }, buy));
  expect(bought).toEqual(Array(15).fill(Array(7).fill(200)));
  const page = await send(one.url, 'GET', `/c/${handle}/course`, { headers });
  expect(page.headers['ratelimit-policy']).toBe('"buyers";q=600;w=60');
});

test('the checkout gets 600 requests a minute from an address, over both replicas', async () => {
  const headers = { 'x-forwarded-for': '203.0.113.202' };
  const open = async (at: string) => (await send(at, 'POST', '/api/checkout', { headers, body: {} })).status;
  expect(new Set(await Promise.all(Array.from({ length: 600 }, () => open(one.url))))).toEqual(new Set([422]));
  expect(await open(one.url)).toBe(429);
  await exchanged('203.0.113.202', 600);
  for (let i = 0; i < 6; i++) expect(await open(two.url)).toBe(422);
  await exchanged('203.0.113.202', 606);
  expect(await open(two.url)).toBe(429);
  expect((await send(one.url, 'GET', '/api/v1/settings', { headers })).status).toBe(401);
});

test('an address that sends invented keys makes few statements, and a valid key from there is never refused', async () => {
  const { key, session } = await createSeller(unlimited.url);
  const other = await createSeller(unlimited.url);
  const from = (caller: { key?: string; session?: string }) =>
    send(one.url, 'GET', '/api/v1/settings', { ...caller, headers: { 'x-forwarded-for': '203.0.113.77' } });
  const invented = () => from({ key: newApiKey() });
  const answers = await Promise.all(Array.from({ length: 100 }, invented));
  const counts = [401, 429].map((status) => answers.filter((answer) => answer.status === status).length);
  expect(counts).toEqual([60, 40]);
  const flood = Promise.all(Array.from({ length: 100 }, invented));
  const valid = await Promise.all([from({ key }), from({ session }), from({ key: other.key })]);
  expect(valid.map(statusOf)).toEqual([200, 200, 200]);
  expect(new Set((await flood).map(statusOf))).toEqual(new Set([429]));
  expect((await from({ session: `fnl_session=${'A'.repeat(43)}` })).status).toBe(429);
});

test('a burst with one valid key is one look-up, and counts as no stranger', async () => {
  const { key } = await createSeller(unlimited.url);
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000' });
  const burst = await Promise.all(Array.from({ length: 70 }, () => read(limited.url, { key })));
  expect(new Set(burst.map(statusOf))).toEqual(new Set([200]));
  const stranger = await read(limited.url, { key: 'nonsense' });
  expect([stranger.status, stranger.headers['ratelimit-remaining']]).toEqual([401, '59']);
});

const logIn = (at: string, email: string, address: string, password = 'a guess') =>
  send(at, 'POST', '/api/auth/login', { headers: { 'x-forwarded-for': address }, body: { email, password } });

test('ten attempts a minute with one email from one address, over all replicas; other callers are not affected', async () => {
  const { email, session } = await createSeller(one.url);
  const attempts: Sent[] = [];
  const began = performance.now();
  for (let i = 0; i < 11; i++) {
    const spelled = i % 3 === 0 ? email : email.toUpperCase();
    attempts.push(await logIn((i % 2 === 0 ? one : two).url, spelled, '198.51.100.1'));
  }
  expect(attempts.map(statusOf)).toEqual([...Array(10).fill(401), 429]);
  expect(attempts[10]?.json.code).toBe('rate_limited');
  // The minute of the first attempt: what is left of it now at least, and never more than all of it.
  const retryAfter = Number(attempts[10]?.headers['retry-after']);
  expect(retryAfter).toBeGreaterThanOrEqual(60 - Math.ceil((performance.now() - began) / 1_000));
  expect(retryAfter).toBeLessThanOrEqual(60);
  // The right password is not accepted from there any more; the owner gets in from elsewhere, and a session goes on.
  expect((await logIn(one.url, email, '198.51.100.1', 'a long password')).status).toBe(429);
  expect((await logIn(one.url, email, '198.51.100.2', 'a long password')).status).toBe(200);
  expect((await read(one.url, { session })).status).toBe(200);
  expect((await logIn(one.url, 'bob@example.com', '198.51.100.1')).status).toBe(401);
});

test('while someone guesses from many addresses each has three attempts an hour, and the owner’s own are not used up', async () => {
  const { email } = await signUp(one.url);
  const owner = createHash('sha256').update(email).digest('base64url');
  await query(
    harness.database.url,
    `insert into rate_windows (caller, ends_at, taken) values ('sign-in email ${owner}', now() + interval '1 hour', 100)`,
  );
  const attempts: Sent[] = [];
  for (let i = 0; i < 4; i++) attempts.push(await logIn(one.url, email, '198.51.100.3'));
  expect(attempts.map(statusOf)).toEqual([401, 401, 401, 429]);
  expect(Number(attempts[3]?.headers['retry-after'])).toBeGreaterThan(3_500);
  for (let i = 0; i < 5; i++) {
    const [wrong, right] = [
      await logIn(one.url, email, '198.51.100.4'),
      await logIn(one.url, email, '198.51.100.4', 'a long password'),
    ];
    expect([wrong.status, right.status]).toEqual([401, 200]);
  }
});

test('without proxies in front the forwarded address is not believed', async () => {
  const direct = await harness.start({ RATE_LIMIT_PER_MINUTE: '5' });
  const statuses = [];
  for (let i = 0; i < 61; i++)
    statuses.push(
      (await send(direct.url, 'GET', '/api/v1/settings', { headers: { 'x-forwarded-for': `203.0.113.${i}` } })).status,
    );
  expect(statuses.at(-1)).toBe(429);
});

test('a client over its limit gets one refusal a second on a connection', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1' });
  const { key } = await createSeller(unlimited.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const again = () => send(limited.url, 'GET', '/api/v1/settings', { key, agent });
  expect((await again()).status).toBe(200);
  const beganMs = performance.now();
  const answers = [await again(), await again()];
  const tookMs = performance.now() - beganMs;
  expect(answers.map(statusOf)).toEqual([429, 429]);
  // Timers may be a millisecond early. How much later they are is the machine's matter.
  expect(tookMs).toBeGreaterThanOrEqual(1_990);
  agent.destroy();
});

test('an account’s requests beyond sixty at once are queued, and none is refused', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '600' });
  const { key } = await createSeller(unlimited.url);
  const beganMs = performance.now();
  const answers = await Promise.all(Array.from({ length: 81 }, () => read(limited.url, { key })));
  const tookMs = performance.now() - beganMs;
  expect(answers.map(statusOf)).toEqual(Array(81).fill(200));
  // 20 a second; timers may be a millisecond early.
  expect(tookMs).toBeGreaterThanOrEqual(999);
});

test('what has no route counts for the client’s address, as buyers’ requests do', async () => {
  const lost = (path: string) => send(url, 'GET', path, { headers: { 'x-forwarded-for': '203.0.113.77' } });
  const [first] = await Promise.all(Array.from({ length: 600 }, () => lost('/no/such/page')));
  expect(first?.headers['ratelimit-policy']).toBe('"buyers";q=600;w=60');
  expect((await lost('/no/such/page')).status).toBe(429);
});
