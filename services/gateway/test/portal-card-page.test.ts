import { randomBytes } from 'node:crypto';
import { query } from '@app/testing/sql';
import { beforeEach, expect, test } from 'vitest';
import { createSeller } from './harness.ts';
import { type Sent, send } from './http.ts';
import { harness, startGateway, url } from './set-up.ts';

startGateway();

const subscriptionId = 'sub_01kaf2m4n6p8r0t2v4x6z8b0dg';
let accountId: string;
let path: string;
let cookie: string;

/** A browser in which a buyer has opened their purchases. */
beforeEach(async () => {
  const { cards } = harness;
  cards.isDeclined = () => false;
  cards.change = null;
  cards.orderCents = 900;
  const { key, ...seller } = await createSeller(url);
  accountId = seller.accountId;
  const { handle } = (await send(url, 'GET', '/api/v1/settings', { key })).json;
  const secret = randomBytes(32).toString('base64url');
  await query(
    harness.database.url,
    `insert into portal_sessions (hash, account_id, email, created_at, expires_at)
     values (sha256($1), $2, $3, now(), now() + interval '1 day')`,
    [secret, accountId, cards.buyer],
  );
  path = `/p/${handle}/subscriptions/${subscriptionId}`;
  cookie = `fnl_portal_${handle}=${encodeURIComponent(`${secret}.${handle}.${cards.buyer}`)}`;
});

const show = (rest: string): Promise<Sent> => send(url, 'GET', path + rest, { headers: { cookie } });
function give(card: string, address = '203.0.113.1', at = url): Promise<Sent> {
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address };
  const raw = `${new URLSearchParams({ key: randomBytes(8).toString('hex'), do: 'save', card })}`;
  return send(at, 'POST', `${path}/card`, { headers, raw });
}
const textOf = ({ text }: Sent): string => text.replaceAll(/<[^>]*>/g, ' ');

test('the form without a card is refused at its field, and calls no processor', async () => {
  const given = harness.cards.given.length;
  const refused = await give('');
  expect([refused.status, harness.cards.given.length]).toEqual([422, given]);
  expect(textOf(refused)).toContain('Choose a card.');
});

test('a page over the limit of declined cards says so, keeps the card that was chosen, and calls no processor', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' });
  harness.cards.isDeclined = () => true;
  for (let times = 0; times < 10; times++) {
    const declined = await give('sim_declined', '203.0.113.2', limited.url);
    expect([declined.status, textOf(declined)]).toEqual([422, expect.stringContaining('This card was declined.')]);
  }
  const given = harness.cards.given.length;
  const refused = await give('sim_slow', '203.0.113.2', limited.url);
  expect([refused.status, harness.cards.given.length]).toEqual([429, given]);
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  expect(textOf(refused)).toMatch(/Cards are not taken from here at the moment. Nothing was charged. Try again in \d+/);
  expect(refused.text).toContain('<option value="sim_slow" selected>');
});

test('at an account’s limit of declined cards a card is taken of who has paid before, and of no other', async () => {
  const limited = await harness.start({ RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' });
  await query(
    harness.database.url,
    `insert into rate_windows (caller, ends_at, taken) values ($1, now() + interval '10 minutes', 200)`,
    [`declines account ${accountId}`],
  );
  expect((await give('sim_ok', '203.0.113.3', limited.url)).status).toBe(303);
  harness.cards.orderCents = 0;
  expect((await give('sim_ok', '203.0.113.4', limited.url)).status).toBe(429);
});

test('a card that is being checked is looked up again by its page, with script and without, until it is saved', async () => {
  const { cards } = harness;
  cards.change = { status: 'processing', url: null };
  const taken = await give('sim_slow');
  expect([taken.status, taken.headers.location]).toEqual([303, `${path}/card`]);
  const checking = await show('/card?check=1');
  expect(textOf(checking)).toContain('Your new card is being checked');
  expect(checking.text).toContain(`hx-get="${path}/card?check=2"`);
  expect(checking.text).toMatch(
    new RegExp(`<noscript><meta http-equiv="refresh" content="\\d+;url=${path}/card.check=2">`),
  );
  cards.change = null;
  const { continued } = cards;
  const saved = await show('/card?check=2');
  expect([saved.status, saved.headers.location]).toEqual([303, `${path}?said=card`]);
  // What is past due is charged by it, also where the card was saved by another way.
  expect(cards.continued).toBe(continued + 1);
});

test('the processor is queried about a card at the bank once the buyer is back, and not by opening the page', async () => {
  const { cards } = harness;
  cards.change = { status: 'requires_action', url: 'https://bank.example/confirm?of=card' };
  const { continued } = cards;
  const shown = await show('/card');
  expect(shown.text).toContain('href="https://bank.example/confirm?of=card"');
  expect(cards.continued).toBe(continued);
  // The buyer has not decided there.
  expect(textOf(await show('/card?back=1'))).toContain('Your bank asks you to confirm');
  expect(cards.continued).toBe(continued + 1);
  cards.change = { status: 'declined', url: null };
  expect(textOf(await show('/card?back=1'))).toContain('This card was declined.');
});
