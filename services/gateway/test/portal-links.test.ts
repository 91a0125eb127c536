import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newIdSuffix } from '@app/contracts/ids';
import { createPortalLink } from '@app/contracts/portal';
import { connectNats } from '@app/messaging/connect';
import { createRequester } from '@app/messaging/requester';
import { announced } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { confirmedSupport } from './letter-files.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
let accountId: string;
let handle: string;
let sellersOwn: string;
let key: string;
let buyer: string;
let buyers = 0;

/** A verified seller, one of whose buyers is `buyer`. */
beforeEach(async () => {
  ({ accountId, email: sellersOwn, key } = await createSeller(url));
  await query(harness.database.url, 'update accounts set email_verified = true where id = $1', [accountId]);
  ({ handle } = (await send(url, 'GET', '/api/v1/settings', { key })).json);
  buyer = `buyer${++buyers}@example.com`;
  harness.checkout.buyers.set(buyer, { bought: true, rehearsed: false });
});
afterEach(() => harness.clock.reset());

const request = (email: string, at = url) =>
  send(at, 'POST', '/api/portal/links', { body: { handle, email }, headers: { origin: 'https://own.example' } });
const open = (token: string) => send(url, 'POST', '/api/portal/sessions', { body: { token } });
const withSession = (secret: string) => ({ headers: { 'x-portal-session': secret } });
const close = (secret: string) => send(url, 'DELETE', '/api/portal/sessions', withSession(secret));

interface Letter {
  readonly letterId: string;
  readonly outcome: string;
  readonly text: string;
}

/** What became of the only letter that an address caused. */
async function letterOf(email: string): Promise<Letter> {
  const [handed] = await announced(letterAttempted, ({ to }) => to === email);
  if (handed === undefined) throw new Error('no letter');
  const { letterId, outcome } = handed;
  const text =
    outcome === 'taken'
      ? readFileSync(join(harness.emails, `${letterId}.eml`), 'latin1')
          .replaceAll('=\r\n', '')
          .replaceAll('=3D', '=')
      : '';
  return { letterId, outcome, text };
}

async function requestedToken(email = buyer): Promise<string> {
  expect(await request(email)).toMatchObject({ status: 200, json: { ok: true } });
  return new RegExp(`/p/${handle}/open/([\\w-]{43})`).exec((await letterOf(email)).text)?.[1] ?? '';
}

test('a buyer’s letter is the seller’s, and its link opens the portal once, for a day', async () => {
  const name = (await send(url, 'GET', '/api/v1/settings', { key })).json.businessName;
  await confirmedSupport(url, key, 'help@own.example');
  const token = await requestedToken(buyer);
  const { text } = await letterOf(buyer);
  for (const part of [`To: ${buyer}`, name, 'Reply-To: help@own.example', 'once, for 60 minutes'])
    expect(text).toContain(part);
  const opened = await open(token);
  expect(opened.json).toEqual({
    status: 'opened',
    secret: expect.stringMatching(/^[\w-]{43}$/),
    handle,
    email: buyer,
    subscriptionId: null,
    expiresAt: expect.any(String),
  });
  expect((await open(token)).json).toEqual({ status: 'expired', handle, email: buyer });
  const stored = JSON.stringify(
    await query(
      harness.database.url,
      `select encode(l.token_hash, 'escape') as hash, encode(s.hash, 'escape') as secret, encode(t.sealed, 'escape') as sealed
       from portal_links as l, portal_sessions as s, letters as t`,
    ),
  );
  for (const secret of [token, opened.json.secret]) expect(stored).not.toContain(secret);
});

test('of two simultaneous calls with one link one opens a session', async () => {
  const token = await requestedToken();
  const answers = await Promise.all([open(token), open(token)]);
  expect(answers.map(({ json }) => json.status).sort()).toEqual(['expired', 'opened']);
  const sessions = await query(harness.database.url, 'select 1 from portal_sessions where email = $1', [buyer]);
  expect(sessions).toHaveLength(1);
});

test('a link is over after 60 minutes and still says whose it was; a token of no link is unknown', async () => {
  const token = await requestedToken();
  harness.clock.advance(hourMs + minuteMs);
  expect((await open(token)).json).toEqual({ status: 'expired', handle, email: buyer });
  expect(await open('a'.repeat(43))).toMatchObject({ status: 404, json: { code: 'not_found' } });
});

test('a session ends with its day, when it is closed, and never begins with a secret of any other form', async () => {
  const { secret } = (await open(await requestedToken())).json;
  const ended = { status: 401, json: { code: 'portal_session_ended' } };
  for (const wrong of ['', 'short', 'a'.repeat(43), `${secret}, ${secret}`])
    expect(await close(wrong)).toMatchObject(ended);
  expect(await send(url, 'DELETE', '/api/portal/sessions', { key })).toMatchObject(ended);
  harness.clock.advance(24 * hourMs + minuteMs);
  expect(await close(secret)).toMatchObject(ended);
  harness.clock.reset();
  harness.clock.advance(24 * hourMs - minuteMs);
  expect(await close(secret)).toMatchObject({ status: 200, json: { ok: true } });
  expect(await close(secret)).toMatchObject(ended);
});

test('a session of one subscription’s card reaches nothing else, and its link opens again until it expires', async () => {
  const token = 'c'.repeat(43);
  const subscriptionId = 'sub_01m7xft13ne0wattr3dpc56bw9';
  await query(
    harness.database.url,
    `insert into portal_links (token_hash, account_id, email, subscription_id, created_at, expires_at)
     values (sha256($1), $2, $3, $4, now(), now() + interval '72 hours')`,
    [token, accountId, buyer, subscriptionId],
  );
  const first = (await open(token)).json;
  expect(first).toMatchObject({ status: 'opened', subscriptionId });
  expect((await open(token)).json).toMatchObject({ status: 'opened' });
  const read = async (path: string) => {
    const { status, json } = await send(url, 'GET', `/api/portal/${path}`, withSession(first.secret));
    return [status, json.code];
  };
  expect(await read('orders')).toEqual([404, 'not_found']);
  expect(await read('subscriptions')).toEqual([404, 'not_found']);
  expect(await read('orders/ord_01m7xft13ne0wattr3dpc56bw9')).toEqual([404, 'order_not_found']);
  expect(await read('subscriptions/sub_01m7xft13ne0wattr3dpc56bwa')).toEqual([404, 'subscription_not_found']);
  harness.clock.advance(hourMs - minuteMs);
  expect(await read('orders')).toEqual([404, 'not_found']);
  harness.clock.advance(2 * minuteMs);
  expect(await read('orders')).toEqual([401, 'portal_session_ended']);
  harness.clock.advance(72 * hourMs);
  expect((await open(token)).json).toEqual({ status: 'expired', handle, email: buyer });
});

test('until it is answered, a request does the same for any address: the same rows, and no question to checkout', async () => {
  const held = Promise.withResolvers<{ bought: boolean; rehearsed: boolean }>();
  // The loop that finds out who has bought is busy with this letter.
  harness.checkout.buyers.set(`held-${buyer}`, held.promise);
  harness.checkout.forget();
  await request(`held-${buyer}`);
  await harness.checkout.untilRequested('find buyer');
  const seen = [];
  for (const email of [buyer, `stranger-${buyer}`]) {
    const { status, json } = await request(email);
    const [rows] = await query(
      harness.database.url,
      `select count(*)::int as letters, count(sealed)::int as sealed, sum(attempts)::int as attempts,
         (select count(*)::int from portal_links where email = $1) as links
       from letters where recipient = $1`,
      [email],
    );
    seen.push({ status, json, rows });
  }
  const same = { status: 200, json: { ok: true }, rows: { letters: 1, sealed: 1, attempts: 0, links: 1 } };
  expect(seen).toEqual([same, same]);
  const requested = harness.checkout.requested.filter(({ name }) => name === 'find buyer');
  expect(new Set(requested.map(({ input }) => input.email))).toEqual(new Set([`held-${buyer}`]));
  held.resolve({ bought: false, rehearsed: false });
  expect((await letterOf(buyer)).outcome).toBe('taken');
});

test('an address that has bought nothing gets the same answer, no letter, and its link is gone', async () => {
  const { status, headers, json } = await request(buyer);
  const stranger = await request('stranger@example.com');
  expect([stranger.status, Object.keys(stranger.headers), stranger.json]).toEqual([status, Object.keys(headers), json]);
  expect(await letterOf('stranger@example.com')).toMatchObject({ outcome: 'withheld' });
  expect(await query(harness.database.url, `select 1 from portal_links where email = 'stranger@example.com'`)).toEqual(
    [],
  );
});

test('a buyer of rehearsals alone opens the portal from the seller’s own mailbox, in test mode', async () => {
  harness.checkout.buyers.set(buyer, { bought: false, rehearsed: true });
  await request(buyer);
  expect((await letterOf(buyer)).outcome).toBe('withheld');
  await send(url, 'PATCH', '/api/v1/settings', { key, body: { testMode: true } });
  harness.checkout.buyers.set(`b-${buyer}`, { bought: false, rehearsed: true });
  const token = await requestedToken(`b-${buyer}`);
  expect((await letterOf(`b-${buyer}`)).text).toContain(`To: ${sellersOwn}`);
  expect((await open(token)).json).toMatchObject({ status: 'opened', email: `b-${buyer}` });
});

test('until its address is verified an account’s letters reach no buyer', async () => {
  await query(harness.database.url, 'update accounts set email_verified = false where id = $1', [accountId]);
  await request(buyer);
  expect((await letterOf(buyer)).outcome).toBe('withheld');
});

test('while checkout cannot say whether the address has bought, the letter waits', async () => {
  harness.checkout.buyers.set(buyer, null);
  await request(buyer);
  expect((await letterOf(buyer)).outcome).toBe('deferred');
  harness.checkout.buyers.set(buyer, { bought: true, rehearsed: false });
  harness.clock.advance(5 * minuteMs);
  // Wakes the loop.
  await request(`other-${buyer}`);
  await announced(letterAttempted, ({ to, outcome }) => to === buyer && outcome === 'taken');
});

test('requests for addresses that have bought nothing use up no letter of the day', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', LETTERS_PER_DAY: '1' });
  for (let n = 1; n <= 3; n += 1) {
    await request(`no-buyer-${n}@example.com`, limited.url);
    await letterOf(`no-buyer-${n}@example.com`);
  }
  await request(buyer, limited.url);
  expect((await letterOf(buyer)).outcome).toBe('taken');
  // Whoever has requested none that day gets one, whatever others did.
  harness.checkout.buyers.set(`late-${buyer}`, { bought: true, rehearsed: false });
  for (let n = 1; n <= 2; n += 1) await request(`late-${buyer}`, limited.url);
  expect(
    await query(harness.database.url, 'select 1 from portal_links where email = $1', [`late-${buyer}`]),
  ).toHaveLength(1);
});

test('letters that are not sent use up none of an address’s letters of the day', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000' });
  for (let n = 1; n <= 3; n += 1)
    await send(limited.url, 'POST', '/api/auth/password-reset', { body: { email: buyer } });
  harness.checkout.buyers.set(buyer, { bought: false, rehearsed: false });
  for (let n = 1; n <= 3; n += 1) {
    await request(buyer, limited.url);
    await announced(letterAttempted, ({ to }) => to === buyer, n);
  }
  harness.checkout.buyers.set(buyer, { bought: true, rehearsed: false });
  await request(buyer, limited.url);
  await announced(letterAttempted, ({ to, outcome }) => to === buyer && outcome === 'taken');
});

test('the five portal letters that an address gets a day use up none of its password resets', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000' });
  harness.checkout.buyers.set(sellersOwn, { bought: true, rehearsed: false });
  for (let n = 1; n <= 6; n += 1) await request(sellersOwn, limited.url);
  await send(limited.url, 'POST', '/api/auth/password-reset', { body: { email: sellersOwn } });
  const stored = async (kind: string) =>
    await query(
      harness.database.url,
      `select 1 from letters as l left join users as u on u.id = l.user_id
       where l.kind = $1 and (l.account_id = $2 or u.account_id = $2)
         and (l.kind <> 'portal_link' or l.token_hash in (select token_hash from portal_links))`,
      [kind, accountId],
    );
  expect([(await stored('portal_link')).length, (await stored('password_reset')).length]).toEqual([5, 1]);
});

test('a stranger who asks for a buyer’s letters all day keeps them from none of their own; twenty reach them at most', async () => {
  const at = (await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' })).url;
  const ask = async (address: string) => {
    const headers = { 'x-forwarded-for': address };
    expect((await send(at, 'POST', '/api/portal/links', { body: { handle, email: buyer }, headers })).json.ok).toBe(
      true,
    );
  };
  const letters = async () =>
    (await query(harness.database.url, 'select 1 from portal_links where email = $1', [buyer])).length;
  for (let n = 1; n <= 20; n += 1) await ask('203.0.113.1');
  expect(await letters()).toBe(5);
  // What is not sent is stored all the same, as for an address that has bought nothing: both take as long.
  const rows = await query(harness.database.url, 'select 1 from letters where recipient = $1', [buyer]);
  expect(rows).toHaveLength(20);
  for (let n = 1; n <= 2; n += 1) await ask('198.51.100.9');
  expect(await letters()).toBe(6);
  for (let n = 1; n <= 30; n += 1) await ask(`198.51.100.${100 + n}`);
  expect(await letters()).toBe(20);
});

test('a handle that no seller has is refused at its field', async () => {
  const body = { handle: 'no-such-shop', email: buyer };
  const { status, json } = await send(url, 'POST', '/api/portal/links', { body });
  expect([status, json.errors]).toMatchObject([422, [{ field: 'handle', code: 'unknown_value' }]]);
});

test('a seller’s link opens the portal once, is shown once, and is the same for a repeated command', async () => {
  const make = (body: object, headers = {}) => send(url, 'POST', '/api/v1/portal-links', { key, body, headers });
  const idempotent = { 'idempotency-key': 'link-1' };
  const first = (await make({ email: buyer }, idempotent)).json;
  expect(first.url).toMatch(new RegExp(`^${url}/p/${handle}/open/[\\w-]{43}$`));
  const again = await make({ email: buyer }, idempotent);
  expect([again.json.url, again.json.secret_notice, again.json.expires_at]).toEqual([
    undefined,
    expect.stringContaining('make another link'),
    first.expires_at,
  ]);
  const token = first.url.slice(first.url.lastIndexOf('/') + 1);
  expect((await open(token)).json).toMatchObject({ status: 'opened', email: buyer });
  expect((await open(token)).json).toMatchObject({ status: 'expired' });
  expect((await make({ email: 'unknown@example.com' })).json).toMatchObject({
    status: 422,
    code: 'buyer_not_found',
    errors: [{ field: 'email', code: 'buyer_not_found' }],
  });
});

test('the dispatcher gets a link for an email, which is for the account and the buyer that it names alone', async () => {
  const link = await connectNats(harness.nats.login('webhook-dispatcher'));
  const requester = createRequester(link);
  const request = (email: string) => {
    const context = { accountId, requestId: 'evt', commandId: newIdSuffix(harness.clock.nowMs()) };
    return requester.request(createPortalLink, { email, subscriptionId: null, validUntil: null }, context);
  };
  try {
    const { url: made } = await request(buyer.toUpperCase());
    // Any replica replies, each with the address of its own: PUBLIC_URL is not set here.
    expect(made).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:\\d+/p/${handle}/open/[\\w-]{43}$`));
    expect((await open(made.slice(made.lastIndexOf('/') + 1))).json).toMatchObject({ status: 'opened', email: buyer });
    await expect(request('unknown@example.com')).rejects.toMatchObject({ code: 'buyer_not_found' });
  } finally {
    await link.close();
  }
});
