import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DomainError } from '@app/contracts/errors';
import { newId } from '@app/contracts/ids';
import { createLogger, type Logger } from '@app/service-kit/logger';
import { guardLeaks } from '@app/testing/leak-guard';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { requestEnded } from '../src/points/points.ts';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { type Sent, send } from './http.ts';

guardLeaks();

let harness: Harness;
let url: string;
let folder: string;
let logger: Logger;
let seller: Awaited<ReturnType<typeof createSeller>>;
let handle: string;

beforeAll(async () => {
  harness = await createHarness();
  folder = mkdtempSync(join(tmpdir(), 'checkout-lines-'));
  logger = createLogger({ service: 'gateway', level: 'trace', destination: join(folder, 'log') });
  ({ url } = await harness.start({ TRUST_PROXY: '1' }, { logger }));
  seller = await createSeller(url);
  ({ handle } = (await send(url, 'GET', '/api/v1/settings', { key: seller.key })).json);
});
afterAll(async () => {
  await harness.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  const { checkout } = harness;
  checkout.forget();
  checkout.pay = checkout.paid;
  checkout.continue = checkout.paid as () => ReturnType<typeof checkout.paid>;
});

type Headers = Record<string, string>;
const open = (body: object = {}, headers: Headers = {}, at = url): Promise<Sent> =>
  send(at, 'POST', '/api/checkout', { body: { handle, slug: 'course', ...body }, headers });

async function opened() {
  const { id, secret } = (await open()).json as { id: string; secret: string };
  const call = (method: string, path = '', body?: unknown, headers: Headers = {}): Promise<Sent> =>
    send(url, method, `/api/checkout/${id}${path}`, {
      headers: { 'x-checkout-secret': secret, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  return { id, secret, call };
}
const card = { paymentMethod: 'tok_that_nobody_may_log' };
/** A problem without the id of its own request. */
const bare = ({ status, text }: Sent) => [status, text.replace(/"requestId":"[^"]*"/, '')];

test('a buyer opens, changes, pays and decides without a key, and never learns whose account it is', async () => {
  const checkout = await opened();
  const [requested] = harness.checkout.requested;
  expect(requested?.context.accountId).toBe(seller.accountId);
  expect(requested?.input).toEqual({
    body: { handle, slug: 'course' },
    account: {
      ...{ testMode: false, supportEmail: seller.email, businessName: expect.any(String), holdDecisionMinutes: 60 },
      settingsRevision: expect.any(Number),
    },
    visitor: expect.stringMatching(/^[\w-]{43}$/),
    imagesUrl: expect.stringMatching(/^http.*\/images\/products$/),
  });
  const answers = [
    await checkout.call('GET'),
    await checkout.call('PATCH', '', { email: 'ada@example.com' }),
    await checkout.call('POST', '/pay', card),
    await checkout.call('POST', '/continue'),
    await checkout.call('POST', '/upsell', { accept: true }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  expect(answers[1]?.json).toMatchObject({ id: checkout.id, email: 'ada@example.com' });
  expect(answers.slice(2).map(({ json }) => json)).toEqual([
    { status: 'paid', totalCents: 4_900 },
    { status: 'paid', totalCents: 4_900 },
    { status: 'paid', totalCents: 7_800 },
  ]);
  for (const { text, headers } of answers) {
    expect(text).not.toContain(seller.accountId);
    expect([headers['cache-control'], headers['set-cookie']]).toEqual(['no-store', undefined]);
  }
});

test('settings are those of the moment at which a checkout is opened', async () => {
  await send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body: { testMode: true } });
  await open();
  await send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body: { testMode: false } });
  const opening = harness.checkout.requested.find(({ name }) => name === 'open');
  expect(opening?.input.account.testMode).toBe(true);
});

test('a switch of test mode is applied at checkout before it is answered; other settings need no such request', async () => {
  const change = (body: object) => send(url, 'PATCH', '/api/v1/settings', { key: seller.key, body });
  const applied = () => harness.checkout.requested.filter(({ name }) => name === 'apply settings');
  await change({ nudgeAfterMinutes: 61 });
  expect(applied()).toEqual([]);
  for (const testMode of [true, false]) await change({ testMode });
  await change({ testMode: false });
  expect(applied().map(({ input, context }) => [input.settings.testMode, context.accountId])).toEqual([
    [true, seller.accountId],
    [false, seller.accountId],
  ]);
  const [on, off] = applied().map(({ input }) => input.revision);
  expect(off).toBe(on + 1);
});

test('checkout learns under which addresses the buyer reached the deployment, and no name that a client can choose', async () => {
  const checkout = await opened();
  await checkout.call('POST', '/pay', card);
  await checkout.call('POST', '/pay', card, { host: 'evil.example' });
  const { port } = new URL(url);
  const own = harness.checkout.requested.filter(({ name }) => name === 'pay').map(({ input }) => input.ownUrls);
  expect(own[0]).toContain(`http://127.0.0.1:${port}`);
  expect(own[1]).toEqual([`http://127.0.0.1:${port}`]);
});

test('a browser that has the cookie of the hosted page, an address and a card are recognised by digests, and by nothing else', async () => {
  const page = await send(url, 'GET', `/c/${handle}/course`);
  const [set = ''] = [page.headers['set-cookie']].flat();
  expect(set).toMatch(/^fnl_buyer=[\w-]{43}; Path=\/; Max-Age=31536000; HttpOnly; SameSite=Lax$/);
  const [cookie = ''] = set.split(';');
  const again = await send(url, 'GET', `/c/${handle}/course`, { headers: { cookie } });
  expect(again.headers['set-cookie']).toBeUndefined();
  const checkout = await opened();
  const paid = async (address: string, headers: Headers, token: string): Promise<string[]> => {
    await checkout.call('POST', '/pay', { paymentMethod: token }, { ...headers, 'x-forwarded-for': address });
    return harness.checkout.requested.at(-1)?.input.buyerDigests;
  };
  const home = await paid('203.0.113.1', { cookie }, 'tok_1');
  const [browser, address, cardDigest] = home;
  expect(await paid('203.0.113.2', { cookie }, 'tok_2')).toContain(browser);
  expect(await paid('203.0.113.1', {}, 'tok_2')).toContain(address);
  expect(await paid('203.0.113.2', {}, 'tok_1')).toContain(cardDigest);
  const strangers = await paid('203.0.113.2', { cookie: 'fnl_buyer=short' }, 'tok_2');
  expect([strangers.length, strangers.filter((digest) => home.includes(digest))]).toEqual([2, []]);
  for (const digest of home) expect(digest).toMatch(/^[\w-]{43}$/);
});

test('an unknown handle is refused by name, and no service is requested', async () => {
  const refused = await open({ handle: 'no-such-shop' });
  expect([refused.status, refused.json.errors[0].field]).toEqual([422, 'handle']);
  expect(harness.checkout.requested).toEqual([]);
});

test('a visitor is the same one all day at one address with one browser, and another one the day after', async () => {
  const visitor = async (address: string, agent: string): Promise<string> => {
    await open({}, { 'x-forwarded-for': address, 'user-agent': agent });
    return harness.checkout.requested.at(-1)?.input.visitor;
  };
  harness.clock.moveTo(new Date('2026-11-20T00:00:00.000Z'));
  const first = await visitor('203.0.113.1', 'a browser');
  const others = [await visitor('203.0.113.2', 'a browser'), await visitor('203.0.113.1', 'another')];
  harness.clock.moveTo(new Date('2026-11-20T23:59:00.000Z'));
  expect(await visitor('203.0.113.1', 'a browser')).toBe(first);
  harness.clock.moveTo(new Date('2026-11-21T00:00:00.000Z'));
  others.push(await visitor('203.0.113.1', 'a browser'));
  harness.clock.reset();
  expect(new Set([first, ...others]).size).toBe(4);
});

test('no secret, a malformed one, another checkout’s, a malformed id and an unknown one: one answer, byte for byte', async () => {
  const [mine, other] = [await opened(), await opened()];
  const at = (id: string, headers: Headers, [method, path, body]: [string, string, unknown]) =>
    send(url, method, `/api/checkout/${id}${path}`, { headers, ...(body === undefined ? {} : { body }) });
  const calls: [string, string, unknown][] = [
    ['GET', '', undefined],
    ['PATCH', '', { name: 'Ada' }],
    ['POST', '/pay', card],
    ['POST', '/continue', undefined],
    ['POST', '/upsell', { accept: true }],
  ];
  for (const call of calls) {
    const secret = { 'x-checkout-secret': mine.secret };
    const answers = [
      await at(mine.id, {}, call),
      await at(mine.id, { 'x-checkout-secret': '' }, call),
      await at(mine.id, { 'x-checkout-secret': `${mine.secret}, ${mine.secret}` }, call),
      await at(mine.id, { 'x-checkout-secret': 'é'.repeat(43) }, call),
      await at(mine.id, { 'x-checkout-secret': other.secret }, call),
      await at('cko_nonsense', secret, call),
      await at(newId('checkout', Date.now()), secret, call),
      await at(newId('order', Date.now()), secret, call),
    ];
    const [first] = answers.map(bare);
    expect(first?.[0], call[1]).toBe(404);
    for (const answer of answers) expect(bare(answer)).toEqual(first);
  }
});

test('a key and a session open nothing here, and take nothing away', async () => {
  const checkout = await opened();
  const path = `/api/checkout/${checkout.id}`;
  for (const caller of [{ key: seller.key }, { session: seller.session }]) {
    expect((await send(url, 'GET', path, caller)).json.code).toBe('checkout_not_found');
  }
  const withAll = { key: 'fnl_nonsense', session: seller.session, headers: { 'x-checkout-secret': checkout.secret } };
  expect((await send(url, 'GET', path, withAll)).status).toBe(200);
});

const page = { origin: 'https://shop.example', 'sec-fetch-site': 'cross-site' };

test('a page of any origin may call, and reads every answer: errors, limits and unknown methods too', async () => {
  const checkout = await opened();
  harness.checkout.pay = async () => {
    throw new DomainError('price_changed', 'It costs more now.');
  };
  const answers = [
    [200, await open({}, page)],
    [200, await checkout.call('GET', '', undefined, page)],
    [404, await send(url, 'GET', `/api/checkout/${checkout.id}`, { headers: page })],
    [404, await send(url, 'GET', `/api/checkout/${'a'.repeat(9_000)}`, { headers: page })],
    [409, await checkout.call('POST', '/pay', card, page)],
    [422, await open({ handle: 7 }, page)],
    [413, await open({ name: 'x'.repeat(300_000) }, page)],
    [415, await send(url, 'POST', '/api/checkout', { raw: 'a', headers: { ...page, 'content-type': 'text/plain' } })],
    [400, await send(url, 'POST', '/api/checkout', { raw: '{', headers: page })],
    [405, await checkout.call('POST', '', {}, page)],
    [406, await checkout.call('GET', '', undefined, { ...page, accept: 'image/png' })],
  ] as const;
  for (const [status, answer] of answers) {
    expect(answer.status).toBe(status);
    expect(answer.headers['access-control-allow-origin'], String(status)).toBe('*');
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    expect(answer.headers['access-control-expose-headers']).toMatch(/x-request-id.*retry-after.*ratelimit/);
  }
});

test('an id of any length is an id of nothing', async () => {
  for (const length of [1, 100, 101, 9_000]) {
    const answer = await send(url, 'GET', `/api/checkout/${'a'.repeat(length)}`, { headers: page });
    expect([length, answer.status, answer.json.code]).toEqual([length, 404, 'checkout_not_found']);
  }
});

test('a preflight is answered with the methods and headers of buyers, and changes nothing for other routes', async () => {
  const preflight = (path: string, method: string) =>
    send(url, 'OPTIONS', path, {
      headers: {
        ...page,
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,x-checkout-secret',
      },
    });
  const { id } = await opened();
  const patch = await preflight(`/api/checkout/${id}`, 'PATCH');
  expect([patch.status, patch.text]).toEqual([204, '']);
  expect(patch.headers).toMatchObject({
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, PATCH',
    'access-control-allow-headers': 'content-type, idempotency-key, x-checkout-secret, x-portal-session, x-request-id',
    'access-control-max-age': '7200',
  });
  const paths = [
    '/api/checkout',
    `/api/checkout/${id}/pay`,
    `/api/checkout/${id}/continue`,
    `/api/checkout/${id}/upsell`,
  ];
  for (const path of paths) {
    expect((await preflight(path, 'POST')).headers['access-control-allow-methods']).toBe('POST');
  }
  for (const path of ['/api/v1/orders', '/api/auth/login', '/api/mcp', '/api/cron/daily', '/healthz', '/nowhere']) {
    const { headers } = await preflight(path, 'POST');
    expect(
      Object.keys(headers).filter((name) => name.startsWith('access-control-')),
      path,
    ).toEqual([]);
  }
  const login = await send(url, 'POST', '/api/auth/login', { headers: page, body: { email: 'a@b.co', password: 'x' } });
  expect([login.status, login.headers['access-control-allow-origin']]).toEqual([403, undefined]);
});

test('an Idempotency-Key belongs to the caller that has the secret: a repeated payment is one, and a stranger replays nothing', async () => {
  const [mine, other] = [await opened(), await opened()];
  const key = { 'idempotency-key': 'pay-1' };
  const first = await mine.call('POST', '/pay', card, key);
  const again = await mine.call('POST', '/pay', card, key);
  expect([again.status, again.text, again.headers['idempotent-replayed']]).toEqual([200, first.text, 'true']);
  expect(harness.checkout.requested.filter(({ name }) => name === 'pay')).toHaveLength(1);
  expect((await mine.call('POST', '/pay', { paymentMethod: 'tok_other' }, key)).json.code).toBe(
    'idempotency_key_reused',
  );
  const stranger = await other.call('POST', '/pay', card, key);
  expect([stranger.status, stranger.headers['idempotent-replayed']]).toEqual([200, undefined]);
  const path = `/api/checkout/${mine.id}/pay`;
  const guess = { ...key, 'x-checkout-secret': other.secret };
  expect((await send(url, 'POST', path, { body: card, headers: guess })).json.code).toBe('checkout_not_found');
});

test('an answer that shows a payment under way is not the answer to its repetition under the same key', async () => {
  const checkout = await opened();
  const key = { 'idempotency-key': 'pay-2' };
  harness.checkout.pay = async () => ({ status: 'processing', totalCents: 4_900 });
  expect((await checkout.call('POST', '/pay', card, key)).json.status).toBe('processing');
  harness.checkout.pay = harness.checkout.paid;
  const again = await checkout.call('POST', '/pay', card, key);
  expect([again.json.status, again.headers['idempotent-replayed']]).toEqual(['paid', undefined]);
  expect((await checkout.call('POST', '/pay', card, key)).headers['idempotent-replayed']).toBe('true');
});

test('a secret is shown once: opening again under the same key shows the same checkout without it', async () => {
  const key = { 'idempotency-key': 'open-1' };
  const first = await open({}, key);
  const again = await open({}, key);
  expect(again.json).toMatchObject({ id: first.json.id, secret_notice: expect.stringContaining('once') });
  expect(again.text).not.toContain(first.json.secret);
  expect(harness.checkout.requested).toHaveLength(1);
  const stored = await query(harness.database.url, 'select * from idempotency_records');
  expect(JSON.stringify(stored)).not.toContain(first.json.secret);
});

test('while one payment hangs its repetition has to wait, and other buyers are answered at once', async () => {
  const gate = Promise.withResolvers<void>();
  harness.checkout.pay = async () => {
    await gate.promise;
    return { status: 'paid', totalCents: 4_900 };
  };
  const [slow, quick] = [await opened(), await opened()];
  const key = { 'idempotency-key': 'slow-1' };
  const paying = slow.call('POST', '/pay', card, key);
  await harness.checkout.untilRequested('pay');
  const meanwhile = await slow.call('POST', '/pay', card, key);
  expect([meanwhile.status, meanwhile.json.code]).toEqual([409, 'idempotency_key_in_use']);
  expect((await quick.call('GET')).status).toBe(200);
  gate.resolve();
  const { text } = await paying;
  expect((await slow.call('POST', '/pay', card, key)).text).toBe(text);
  const commands = harness.checkout.requested
    .filter(({ name }) => name === 'pay')
    .map(({ context }) => context.commandId);
  expect(new Set(commands).size).toBe(1);
});

test('a payment whose answers are lost goes on under its own command until it is known', async () => {
  let answers = 0;
  harness.checkout.pay = async () => {
    answers += 1;
    if (answers < 3) throw new DomainError('outcome_unknown', 'The database went away in the commit.');
    return { status: 'paid', totalCents: 4_900 };
  };
  const checkout = await opened();
  expect((await checkout.call('POST', '/pay', card)).json).toEqual({ status: 'paid', totalCents: 4_900 });
  const commands = harness.checkout.requested
    .filter(({ name }) => name === 'pay')
    .map(({ context }) => context.commandId);
  expect([commands.length, new Set(commands).size]).toEqual([3, 1]);
});

test('bodies that are too large, too deep or of the wrong fields reach no service', async () => {
  const checkout = await opened();
  harness.checkout.forget();
  const refusals = [
    [413, await checkout.call('POST', '/pay', { paymentMethod: 'x'.repeat(300_000) })],
    [422, await checkout.call('POST', '/pay', { paymentMethod: 'x'.repeat(256) })],
    [422, await checkout.call('POST', '/pay', { ...card, amountCents: 1 })],
    [422, await checkout.call('POST', '/pay', { ...card, returnUrl: 'javascript:alert(1)' })],
    [422, await checkout.call('POST', '/pay', {})],
    [422, await checkout.call('POST', '/upsell', { accept: 'yes' })],
    [422, await checkout.call('POST', '/continue', { a: 1 })],
    [422, await checkout.call('PATCH', '', { totalCents: 1 })],
    [422, await checkout.call('PATCH', '', { bumpIds: Array.from({ length: 51 }, () => 'x') })],
    [422, await checkout.call('GET', '?secret=x')],
    [422, await open({ priceCents: 1 })],
  ] as const;
  for (const [index, [status, answer]] of refusals.entries()) expect([index, answer.status]).toEqual([index, status]);
  expect(harness.checkout.requested).toEqual([]);
});

test('no line of the log holds a secret or a card’s token, whatever went well or wrong', async () => {
  const checkout = await opened();
  const token = 'tok_of_a_card_0123456789';
  await checkout.call('POST', '/pay', { paymentMethod: token });
  for (const fault of [
    new Error('unforeseen'),
    new DomainError('internal', 'a fault'),
    new DomainError('invalid_transition', 'no'),
  ]) {
    harness.checkout.pay = async () => {
      throw fault;
    };
    await checkout.call('POST', '/pay', { paymentMethod: token }, { 'idempotency-key': fault.message.slice(0, 2) });
  }
  await checkout.call('POST', '/pay', { paymentMethod: token.repeat(20), more: token });
  await checkout.call('GET', `?secret=${checkout.secret}`);
  await checkout.call('GET', `/nowhere?secret=${checkout.secret}`);
  await checkout.call('DELETE', `?secret=${checkout.secret}`);
  await checkout.call('GET', '', undefined, { 'x-request-id': 'the-last-one' });
  await announced(requestEnded, ({ requestId }) => requestId === 'the-last-one');
  await new Promise<void>((resolve) => logger.flush(() => resolve()));
  const log = readFileSync(join(folder, 'log'), 'utf8');
  expect(log).toContain('the-last-one');
  expect(log).toContain('/api/checkout/:checkoutId/pay');
  expect(log).not.toContain(token);
  for (const { secret } of harness.checkout.secrets.values()) expect(log).not.toContain(secret);
});
