import { randomBytes } from 'node:crypto';
import { openPortalSession } from '@app/testing/portal-session';
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
/** Of the API. */
let secret: string;

/** A browser in which a buyer has opened their purchases. */
beforeEach(async () => {
  const { cards } = harness;
  cards.isDeclined = () => false;
  cards.change = null;
  cards.renewal = null;
  cards.onContinued = () => undefined;
  cards.renewedAt = null;
  cards.confirmation = null;
  cards.orderCents = 900;
  const { key, ...seller } = await createSeller(url);
  accountId = seller.accountId;
  const { handle } = (await send(url, 'GET', '/api/v1/settings', { key })).json;
  secret = await openPortalSession(harness.database.url, accountId, { email: cards.buyer });
  path = `/p/${handle}/subscriptions/${subscriptionId}`;
  cookie = `fnl_portal_${handle}=${encodeURIComponent(`${secret}.${handle}.${cards.buyer}`)}`;
});

const show = (rest: string): Promise<Sent> => send(url, 'GET', path + rest, { headers: { cookie } });
function post(form: Record<string, string>, address = '203.0.113.1', at = url): Promise<Sent> {
  const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': address };
  const raw = `${new URLSearchParams({ key: randomBytes(8).toString('hex'), ...form })}`;
  return send(at, 'POST', `${path}/card`, { headers, raw });
}
const give = (card: string, address?: string, at?: string): Promise<Sent> => post({ do: 'save', card }, address, at);
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

/** The card is saved, and the bank wants the charge of what is past due confirmed. */
function waitAtBank(url: string | null = 'https://bank.example/confirm?of=payment'): void {
  harness.cards.renewal = 'requires_action';
  harness.cards.confirmation = { url };
}

test('a payment that waits at the bank leads from the saved card to the bank and, once it is confirmed, to its outcome', async () => {
  const { cards } = harness;
  waitAtBank();
  const taken = await give('sim_ok');
  expect([taken.status, taken.headers.location]).toEqual([303, `${path}/card?check=0`]);
  for (const address of ['/card?check=0', '/card', '/card?back=1']) {
    const { continued } = cards;
    const shown = await show(address);
    expect(textOf(shown)).toContain('Confirm the payment of $9.00 at your bank. Nothing is charged until you do.');
    expect(shown.text).toContain('href="https://bank.example/confirm?of=payment"');
    expect(cards.continued).toBe(continued + 1);
  }
  const subscription = await show('');
  expect(textOf(subscription)).toContain('Your bank waits for your confirmation of the payment.');
  expect(subscription.text).toMatch(new RegExp(`href="${path}/card"[^>]*>Confirm the payment</a>`));
  expect(subscription.text).not.toContain('bank.example');
  cards.renewal = 'succeeded';
  cards.confirmation = null;
  const paid = await show('/card?back=1');
  expect([paid.status, paid.headers.location]).toEqual([303, `${path}?said=paid`]);
  expect(textOf(await show('?said=paid'))).toContain('The payment went through.');
});

test('a payment without an outcome is looked up again by its page until it is declined, and then it has a card form', async () => {
  const { cards } = harness;
  waitAtBank();
  const confirmed = await post({ do: 'continue' });
  expect([confirmed.status, confirmed.headers.location]).toEqual([303, `${path}/card?check=0`]);
  // Given up: nothing can be confirmed any more, and the processor has not said that it is over.
  cards.confirmation = null;
  expect(textOf(await show('/card?check=0'))).toContain('Your payment is being checked');
  cards.renewal = 'sent';
  const checking = await show('/card');
  expect(textOf(checking)).toContain('Your payment is being checked');
  expect(checking.text).toContain(`hx-get="${path}/card?check=1"`);
  cards.renewal = 'declined';
  const declined = await show('/card?check=1');
  expect([declined.status, textOf(declined)]).toEqual([
    200,
    expect.stringContaining('The payment did not go through, and nothing was charged.'),
  ]);
  expect(textOf(declined)).toContain('Enter your card once more, and your bank asks you.');
  expect(textOf(await show('/card'))).not.toContain('did not go through');
});

test('a payment that ended long before the buyer came back is not said to be theirs', async () => {
  const { cards } = harness;
  cards.renewal = 'succeeded';
  cards.renewedAt = new Date(harness.clock.nowMs() - 3_600_001);
  expect((await show('/card?back=1')).headers.location).toBe(`${path}?said=card`);
});

test('who opens the page again after they have confirmed a payment reads that it went through', async () => {
  waitAtBank();
  harness.cards.onContinued = () => {
    harness.cards.renewal = 'succeeded';
    harness.cards.confirmation = null;
  };
  expect((await show('/card')).headers.location).toBe(`${path}?said=paid`);
});

test('where the bank’s address is not known at the moment the page offers to check again', async () => {
  waitAtBank(null);
  const shown = await show('/card');
  expect(textOf(shown)).toContain('The confirmation cannot be shown at the moment. Nothing was charged.');
  expect(shown.text).toContain('Try again');
});

test('another card is taken in place of the confirmation, and one that is declined leaves the payment at the bank', async () => {
  const { cards } = harness;
  waitAtBank();
  cards.isDeclined = (token) => token === 'sim_declined';
  expect((await give('sim_declined')).status).toBe(422);
  cards.change = { status: 'declined', url: null };
  expect(textOf(await show('/card'))).toContain('This card was declined.');
  cards.change = { status: 'requires_action', url: 'https://bank.example/confirm?of=card' };
  expect((await show('/card')).text).toContain('href="https://bank.example/confirm?of=card"');
  cards.change = null;
  expect((await show('/card')).text).toContain('href="https://bank.example/confirm?of=payment"');
});

test('where a payment is confirmed is said anew each time, and is kept nowhere', async () => {
  const { cards } = harness;
  const headers = { 'x-portal-session': secret, 'idempotency-key': 'continues' };
  const at = `/api/portal/subscriptions/${subscriptionId}`;
  const proceed = async () => (await send(url, 'POST', `${at}/payment-method/continue`, { headers })).json;
  waitAtBank(null);
  cards.confirmation = { url: null, clientSecret: 'pi_1_secret_of_the_buyer' };
  expect(await proceed()).toMatchObject({
    renewal_under_way: true,
    payment_method: { status: 'saved', url: null },
    renewal_confirmation: { url: null, client_secret: 'pi_1_secret_of_the_buyer' },
  });
  cards.confirmation = { url: 'https://bank.example/confirm', clientSecret: 'pi_1_secret_of_the_buyer' };
  expect((await proceed()).renewal_confirmation).toEqual({ url: 'https://bank.example/confirm' });
  const body = { paymentMethod: 'sim_ok' };
  const put = await send(url, 'PUT', `${at}/payment-method`, { headers: { 'x-portal-session': secret }, body });
  expect(put.json).toMatchObject({ renewal_under_way: true, renewal_confirmation: null });
  const read = await send(url, 'GET', at, { headers: { 'x-portal-session': secret } });
  expect(read.json).toMatchObject({ awaits_confirmation: true, charges: [{ status: 'processing' }] });
  expect(`${put.text} ${read.text}`).not.toMatch(/secret_of|bank\.example/);
  const stored = `select status from idempotency_records where key = 'continues'`;
  expect(await query(harness.database.url, stored)).toEqual([{ status: null }]);
  cards.renewal = 'succeeded';
  cards.confirmation = null;
  const { continued } = cards;
  expect(await proceed()).toMatchObject({ status: 'active', renewal_under_way: false, renewal_confirmation: null });
  // Now there is an outcome, which a repetition gets.
  expect(await proceed()).toMatchObject({ status: 'active' });
  expect(await query(harness.database.url, stored)).toEqual([{ status: 200 }]);
  expect(cards.continued).toBe(continued + 1);
});
