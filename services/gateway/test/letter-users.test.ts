import { announced } from '@app/testing/points';
import { afterEach, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller, signUp } from './harness.ts';
import { send } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { harness, startGateway, url } from './set-up.ts';

/**
 * Guarantee: the reader of a mailbox gives nobody else's account its address, whatever they click: whoever signed up with the
 * address of somebody else has the account's password, and its reader has not.
 */
startGateway();
afterEach(() => {
  delete harness.books.endpoint;
  harness.clock.reset();
});

const password = 'a long password';
const ownPassword = 'the password of the reader';
type Kind = 'verification' | 'email-change';

async function linkTo(email: string, kind: Kind): Promise<string> {
  await announced(letterAttempted, ({ to, kind: of }) => to === email && of === kind.replace('-', '_'));
  return new RegExp(`http://[\\w.:]+/letters/${kind}/[\\w-]{43}`).exec(lettersTo(email).join())?.[0] ?? '';
}
const tokenOf = (link: string) => link.slice(link.lastIndexOf('/') + 1);
const press = (link: string, form: Record<string, string> = {}, cookie = '') =>
  fetch(link, { method: 'POST', headers: { cookie }, body: new URLSearchParams(form) });
const me = async (session: string) => (await send(url, 'GET', '/api/auth/me', { session })).json;
const redeem = (kind: Kind, token: string, more: object = {}, session?: string) =>
  send(url, 'POST', `/api/auth/${kind === 'verification' ? 'verification' : 'email'}/redeem`, {
    body: { token, ...more },
    ...(session && { session }),
  });

let moved = 0;
/** A letter to the address of somebody else, about the account of the one who gave it. */
async function letterTo(kind: Kind) {
  const attacker = await createSeller(url);
  if (kind === 'verification') return { attacker, link: await linkTo(attacker.email, kind), email: attacker.email };
  const email = `reader-${++moved}@example.com`;
  await send(url, 'POST', '/api/auth/email', { session: attacker.session, body: { password, email } });
  return { attacker, link: await linkTo(email, kind), email };
}

for (const kind of ['verification', 'email-change'] as const) {
  test(`${kind}: a click by the reader of the mailbox changes nothing, nor does a guess, and the link stays valid`, async () => {
    const { attacker, link, email } = await letterTo(kind);
    const before = await me(attacker.session);
    const page = await (await fetch(link)).text();
    expect(page).toContain('type="password"');
    expect((await press(link)).status).toBe(403);
    expect((await press(link, { password: ownPassword })).status).toBe(422);
    expect(await redeem(kind, tokenOf(link))).toMatchObject({ status: 403, json: { code: 'password_required' } });
    expect(await redeem(kind, tokenOf(link), { password: ownPassword })).toMatchObject({
      status: 401,
      json: { code: 'invalid_credentials' },
    });
    const stranger = await signUp(url);
    expect((await redeem(kind, tokenOf(link), {}, stranger.session)).status).toBe(403);
    expect((await press(link, {}, stranger.session)).status).toBe(403);
    expect(await me(attacker.session)).toEqual(before);
    expect((await press(link, { password })).status).toBe(200);
    expect(await me(attacker.session)).toMatchObject({ email, emailVerified: true });
  });

  test(`${kind}: a browser with a session of the user redeems by one button; one whose session has ended does not`, async () => {
    const { attacker, link } = await letterTo(kind);
    const ended = await send(url, 'POST', '/api/auth/login', { body: { email: attacker.email, password } });
    const endedSession = ended.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    await send(url, 'POST', '/api/auth/logout', { session: endedSession });
    expect((await press(link, {}, endedSession)).status).toBe(403);
    const page = await fetch(link, { headers: { cookie: attacker.session } });
    expect(await page.text()).not.toContain('type="password"');
    expect((await press(link, {}, attacker.session)).status).toBe(200);
    expect(await me(attacker.session)).toMatchObject({ emailVerified: true });
  });

  test(`${kind}: guesses of the password count with those of logging in`, async () => {
    const { attacker, link } = await letterTo(kind);
    const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000' });
    const there = `${limited.url}${new URL(link).pathname}`;
    const statuses: number[] = [];
    for (let n = 0; n < 11; n += 1) statuses.push((await press(there, { password: `a wrong password ${n}` })).status);
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 422), 429]);
    expect((await press(there, { password })).status).toBe(429);
    const login = { email: attacker.email, password };
    expect((await send(limited.url, 'POST', '/api/auth/login', { body: login })).status).toBe(429);
  });
}

test('the page says what account it is and what is set up there, and of an account with a verified address only whose it is', async () => {
  harness.books.endpoint = JSON.stringify({ url: 'https://hooks.hijacker.example/secret-path' });
  const { attacker, link } = await letterTo('verification');
  const page = await (await fetch(link)).text();
  for (const said of ['Seller ', 'hooks.hijacker.example', 'I did not make this account', attacker.email])
    expect(page).toContain(said);
  expect(page).not.toContain('secret-path');
  const read = (token: string) => send(url, 'POST', '/api/auth/letters/read', { body: { token } });
  expect((await read(tokenOf(link))).json).toMatchObject({
    purpose: 'verification',
    email: attacker.email,
    password_due: true,
    set_up: { api_keys: 1, webhook_hosts: ['hooks.hijacker.example'], automations: 0, payment_processor: 'simulated' },
  });
  await press(link, { password });
  expect((await read(tokenOf(link))).status).toBe(404);
  const email = 'mistyped@example.com';
  await send(url, 'POST', '/api/auth/email', { session: attacker.session, body: { password, email } });
  const change = await linkTo(email, 'email-change');
  const shown = await (await fetch(change)).text();
  expect(shown).not.toContain('hooks.hijacker.example');
  expect(shown).not.toContain(attacker.email);
  expect((await read(tokenOf(change))).json).toMatchObject({ purpose: 'email_change', email, set_up: null });
});

test('who did not make the account takes it from the page: a new password verifies it and ends what was set up', async () => {
  const { attacker, link, email } = await letterTo('verification');
  const takes = `${link}/not-mine`;
  expect(await (await fetch(takes)).text()).toContain('made it with your address');
  expect((await press(takes, { password: 'password123' })).status).toBe(422);
  expect(await me(attacker.session)).toMatchObject({ emailVerified: false });
  expect((await press(takes, { password: ownPassword })).status).toBe(200);
  expect((await send(url, 'GET', '/api/v1/settings', { key: attacker.key })).status).toBe(401);
  expect((await send(url, 'GET', '/api/auth/me', { session: attacker.session })).status).toBe(401);
  const login = (given: string) => send(url, 'POST', '/api/auth/login', { body: { email, password: given } });
  expect((await login(password)).status).toBe(401);
  const entered = await login(ownPassword);
  const session = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  expect(await me(session)).toMatchObject({ email, emailVerified: true });
  expect((await fetch(takes)).status).toBe(404);
});

test('of a verified account the letter that verified it resets no password', async () => {
  const attacker = await createSeller(url);
  await linkTo(attacker.email, 'verification');
  await send(url, 'POST', '/api/auth/verification', { session: attacker.session });
  await announced(letterAttempted, ({ to, kind }) => to === attacker.email && kind === 'verification', 2);
  const [first = '', second = ''] = lettersTo(attacker.email).flatMap(
    (text) => /http:\/\/[\w.:]+\/letters\/verification\/[\w-]{43}/.exec(text)?.[0] ?? [],
  );
  expect((await press(first, {}, attacker.session)).status).toBe(200);
  const body = { token: tokenOf(second), password: ownPassword };
  expect((await send(url, 'POST', '/api/auth/password-reset/redeem', { body })).status).toBe(404);
  expect((await fetch(`${second}/not-mine`)).status).toBe(404);
});
