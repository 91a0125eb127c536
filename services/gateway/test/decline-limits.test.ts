import { DomainError } from '@app/contracts/errors';
import { guardLeaks } from '@app/testing/leak-guard';
import { openPortalSession } from '@app/testing/portal-session';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningGateway } from '../src/gateway-deps.ts';
import { createHarness, createSeller, type Harness } from './harness.ts';
import { type Sent, send } from './http.ts';

guardLeaks();

let harness: Harness;
/** Two replicas with limits on one database. */
let replicas: [RunningGateway, RunningGateway];
let unlimited: RunningGateway;
const settings = { RATE_LIMIT_PER_MINUTE: '1000', TRUST_PROXY: '1' };

beforeAll(async () => {
  harness = await createHarness();
  replicas = [await harness.start(settings), await harness.start(settings)];
  unlimited = await harness.start({ TRUST_PROXY: '1' });
});
afterAll(() => harness.close());
beforeEach(async () => {
  await query(harness.database.url, 'delete from rate_windows');
  const { checkout } = harness;
  checkout.forget();
  checkout.pay = async () => ({ status: 'declined', totalCents: 4_900, reason: 'card_declined' });
  checkout.continue = checkout.pay as () => ReturnType<typeof checkout.pay>;
});

let addresses = 0;
/** One that no other test has used: the general limit of requests is per address too. */
const newAddress = () => `203.0.113.${++addresses}`;

/** A checkout of a new seller, opened where nothing is counted. */
async function opened(seller?: { handle: string }) {
  const { key } = seller === undefined ? await createSeller(unlimited.url) : { key: '' };
  const handle = seller?.handle ?? (await send(unlimited.url, 'GET', '/api/v1/settings', { key })).json.handle;
  const { json } = await send(unlimited.url, 'POST', '/api/checkout', { body: { handle, slug: 'course' } });
  const call = (path: string, address: string, at = replicas[0].url): Promise<Sent> =>
    send(at, 'POST', `/api/checkout/${json.id}${path}`, {
      headers: { 'x-checkout-secret': json.secret, 'x-forwarded-for': address },
      ...(path === '/pay' ? { body: { paymentMethod: 'tok' } } : {}),
    });
  return { handle, id: json.id as string, pay: (address: string, at?: string) => call('/pay', address, at), call };
}
const either = (index: number) => replicas[index % 2 === 0 ? 0 : 1].url;
const timesRequested = (what: string) => harness.checkout.requested.filter(({ name }) => name === what).length;
const bare = ({ status, text, headers }: Sent) => [
  status,
  headers['retry-after'],
  // Each replica of the tests has an address of its own.
  text.replace(/"requestId":"[^"]*"/, '').replace(/http:\/\/[^/]*/, ''),
];

/** Every attempt to pay waits, and is declined once what this returns is called. */
function holdDeclines(): () => void {
  const gate = Promise.withResolvers<void>();
  harness.checkout.pay = async () => {
    await gate.promise;
    return { status: 'declined', totalCents: 4_900, reason: 'card_declined' };
  };
  return gate.resolve;
}

test('ten declined attempts from one address, over both replicas and many checkouts; then no processor is called', async () => {
  const address = newAddress();
  const shop = await opened();
  for (let i = 0; i < 10; i++) {
    const checkout = await opened(shop);
    expect((await checkout.pay(address, either(i))).json.status).toBe('declined');
  }
  const [first, second] = [await opened(shop), await opened()];
  const requested = timesRequested('pay');
  const refused = [await first.pay(address, either(0)), await second.pay(address, either(1))];
  for (const answer of refused) {
    expect(bare(answer)).toEqual(bare(refused[0] as Sent));
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([429, 'rate_limited', '600']);
    expect(answer.json.detail).toBe('Too many payments were declined: pay again after the header `retry-after`.');
  }
  expect(timesRequested('pay')).toBe(requested);
  expect((await first.pay(newAddress())).json.status).toBe('declined');
});

/** Of so many attempts at once at one account, over both replicas, the allowed ones are tried and declined, and no other. */
async function payAtOnce(attempts: number, allowed: number, addressOf: (index: number) => string): Promise<void> {
  const shop = await opened();
  const checkouts = await Promise.all(Array.from({ length: attempts }, () => opened(shop)));
  const decline = holdDeclines();
  const paying = Promise.all(checkouts.map((checkout, i) => checkout.pay(addressOf(i), either(i))));
  await harness.checkout.untilRequested('pay', allowed);
  decline();
  const statuses = (await paying).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(allowed);
  expect(statuses.filter((status) => status === 429)).toHaveLength(attempts - allowed);
  expect(timesRequested('pay')).toBe(allowed);
}

test('thirty attempts at once from one address are ten cards tested, over both replicas', async () => {
  const address = newAddress();
  await payAtOnce(30, 10, () => address);
});

test('250 addresses at once have at most 200 declined attempts at one account', async () => {
  await payAtOnce(250, 200, (i) => `198.51.${Math.floor(i / 200)}.${i % 200}`);
});

/** As if this many attempts at the account of a checkout had been declined within ten minutes. */
const declinedBefore = async (checkoutId: string, taken: number): Promise<string> => {
  const accountId = harness.checkout.secrets.get(checkoutId)?.accountId ?? '';
  await query(
    harness.database.url,
    `insert into rate_windows (caller, ends_at, taken) values ('declines account ${accountId}', now() + interval '10 minutes', ${taken})
     on conflict (caller) do update set taken = excluded.taken`,
  );
  return accountId;
};
/** The status, and for how many half minutes: some seconds of them may be over. */
const refusedFor = ({ status, headers }: Sent) => {
  const seconds = headers['retry-after'];
  return [status, seconds === undefined ? undefined : Math.ceil(Number(seconds) / 30)];
};
/** The refusals under way are over; what they are remembered by is not. */
const refusalsPass = () => query(harness.database.url, `delete from rate_windows where caller like 'refused %'`);

test('at an account’s limit who has paid before pays on; others are refused for a minute, then two, each by itself', async () => {
  const shop = await opened();
  const [buyer, stranger, other] = [newAddress(), newAddress(), newAddress()];
  harness.checkout.pay = harness.checkout.paid;
  await (await opened(shop)).pay(buyer, either(0));
  await declinedBefore(shop.id, 200);
  harness.checkout.forget();
  expect((await (await opened(shop)).pay(buyer, either(1))).json.status).toBe('paid');
  harness.checkout.pay = async () => ({ status: 'declined', totalCents: 4_900, reason: 'card_declined' });
  const refused = async (address: string, at: number) =>
    refusedFor(await (await opened(shop)).pay(address, either(at)));
  // At once: a refusal is sent a second late.
  const both = await Promise.all([refused(stranger, 0), refused(stranger, 1)]);
  expect(both).toEqual(Array(2).fill([429, 2]));
  await refusalsPass();
  // One attempt, which is declined; the next refusal has begun.
  expect(await refused(stranger, 1)).toEqual([200, undefined]);
  expect(await refused(stranger, 0)).toEqual([429, 4]);
  await refusalsPass();
  harness.checkout.pay = harness.checkout.paid;
  expect(await refused(stranger, 0)).toEqual([200, undefined]);
  expect(await refused(stranger, 1)).toEqual([200, undefined]);
  expect(await refused(other, 1)).toEqual([429, 2]);
});

test('just below an account’s limit an attempt that hangs keeps no buyer in line who has paid before', async () => {
  const shop = await opened();
  const [buyer, hanging] = [newAddress(), newAddress()];
  harness.checkout.pay = harness.checkout.paid;
  await (await opened(shop)).pay(buyer, either(0));
  await declinedBefore(shop.id, 199);
  const [reached, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  harness.checkout.pay = async () => {
    reached.resolve();
    await answered.promise;
    return { status: 'declined', totalCents: 4_900, reason: 'card_declined' };
  };
  const slow = (await opened(shop)).pay(hanging, either(0));
  await reached.promise;
  harness.checkout.pay = harness.checkout.paid;
  expect((await (await opened(shop)).pay(buyer, either(1))).json.status).toBe('paid');
  answered.resolve();
  expect((await slow).json.status).toBe('declined');
});

test('an order that costs nothing makes no buyer one who has paid before', async () => {
  const shop = await opened();
  const address = newAddress();
  harness.checkout.pay = async () => ({ status: 'paid', totalCents: 0 });
  expect((await (await opened(shop)).pay(address)).json.status).toBe('paid');
  await declinedBefore(shop.id, 200);
  expect((await (await opened(shop)).pay(address)).status).toBe(429);
});

test('at an account’s limit a checkout that has succeeded before is answered, from wherever', async () => {
  const shop = await opened();
  await declinedBefore(shop.id, 200);
  harness.checkout.pay = harness.checkout.paid;
  harness.checkout.succeeded.add(shop.id);
  expect((await shop.pay(newAddress())).json.status).toBe('paid');
  expect((await (await opened(shop)).pay(newAddress())).status).toBe(429);
});

test('a seller whose account reaches its limit is notified once, however many are refused', async () => {
  const [victim, other] = [await opened(), await opened()];
  const accounts = [await declinedBefore(victim.id, 200), await declinedBefore(other.id, 199)];
  for (let i = 0; i < 3; i++) expect((await victim.pay(newAddress(), either(i))).status).toBe(429);
  const rows = await query<{ account: string }>(
    harness.database.url,
    `select payload::json ->> 'accountId' as account from outbox where subject = 'evt.gateway.payments.limited.v1'`,
  );
  expect(rows.filter(({ account }) => accounts.includes(account))).toEqual([{ account: accounts[0] }]);
});

test('small payments that succeed one after another count: after twenty from one address the next is refused', async () => {
  const address = newAddress();
  const shop = await opened();
  harness.checkout.pay = async () => ({ status: 'paid', totalCents: 500 });
  const pay = async (i: number) => (await (await opened(shop)).pay(address, either(i))).status;
  const statuses = [];
  for (let i = 0; i < 25; i++) statuses.push(await pay(i));
  expect(statuses).toEqual([...Array(19).fill(200), ...Array(6).fill(429)]);
});

test('an attempt that ends without an outcome gives its capacity back; one whose process is killed holds it until the window ends', async () => {
  const address = newAddress();
  const shop = await opened();
  harness.checkout.pay = async () => {
    throw new DomainError('price_changed', 'The total is now $5.00.');
  };
  for (let i = 0; i < 12; i++) expect((await shop.pay(address, either(i))).status).toBe(409);
  harness.checkout.pay = async () => ({ status: 'declined', totalCents: 4_900, reason: 'card_declined' });
  await query(harness.database.url, `update rate_windows set held = 18 where caller = 'declines address ${address}'`);
  expect((await (await opened(shop)).pay(address)).status).toBe(200);
  await query(harness.database.url, `update rate_windows set ends_at = now() - interval '1 second'`);
  for (let i = 0; i < 10; i++) expect((await (await opened(shop)).pay(address)).status).toBe(200);
  expect((await (await opened(shop)).pay(address)).status).toBe(429);
});

test('fifteen buyers who pay something cheap from one address at once all pay', async () => {
  const address = newAddress();
  harness.checkout.pay = async () => ({ status: 'paid', totalCents: 500 });
  const shop = await opened();
  const checkouts = await Promise.all(Array.from({ length: 15 }, () => opened(shop)));
  const answers = await Promise.all(checkouts.map((checkout, i) => checkout.pay(address, either(i))));
  expect(answers.map(({ json }) => json.status)).toEqual(Array(15).fill('paid'));
});

test('attempts that succeed do not count', async () => {
  const address = newAddress();
  harness.checkout.pay = harness.checkout.paid;
  const checkout = await opened();
  for (let i = 0; i < 12; i++) expect((await checkout.pay(address, either(i))).json.status).toBe('paid');
  expect(await counted()).toEqual([{ taken: 0 }, { taken: 0 }]);
});

test('200 declined attempts at one account stop its payments from strange addresses, and at no other account', async () => {
  const [victim, other] = [await opened(), await opened()];
  await declinedBefore(victim.id, 199);
  expect((await victim.pay(newAddress(), either(0))).json.status).toBe('declined');
  const requested = timesRequested('pay');
  expect([refusedFor(await victim.pay(newAddress(), either(1))), timesRequested('pay')]).toEqual([[429, 2], requested]);
  expect((await other.pay(newAddress(), either(1))).json.status).toBe('declined');
});

test('a window that is over holds no buyer back', async () => {
  const address = newAddress();
  const checkout = await opened();
  for (let i = 0; i < 10; i++) await checkout.pay(address);
  expect((await checkout.pay(address)).status).toBe(429);
  await query(harness.database.url, `update rate_windows set ends_at = now() - interval '1 second'`);
  expect((await checkout.pay(address)).json.status).toBe('declined');
});

const counted = () =>
  query<{ taken: number }>(
    harness.database.url,
    `select taken from rate_windows where caller like 'declines a%' order by caller`,
  );
const confirmation = async () => ({
  status: 'requires_action' as const,
  totalCents: 4_900,
  action: { url: 'https://bank.example' },
});

test('an attempt that the bank declines later counts once, however often its outcome is requested', async () => {
  const address = newAddress();
  const checkout = await opened();
  harness.checkout.pay = confirmation;
  await checkout.pay(address);
  for (let i = 0; i < 12; i++)
    expect((await checkout.call('/continue', address, either(i))).json.status).toBe('declined');
  expect(await counted()).toEqual([{ taken: 1 }, { taken: 2 }]);
});

test('attempts that wait at the bank count, wherever their outcome is read; one that succeeds is taken back', async () => {
  const address = newAddress();
  harness.checkout.pay = confirmation;
  const shop = await opened();
  const checkouts = await Promise.all(Array.from({ length: 11 }, () => opened(shop)));
  for (const [i, checkout] of checkouts.slice(0, 10).entries())
    expect((await checkout.pay(address, either(i))).json.status).toBe('requires_action');
  expect((await checkouts[10]?.pay(address))?.status).toBe(429);
  harness.checkout.continue = harness.checkout.paid as () => ReturnType<typeof harness.checkout.pay>;
  for (let i = 0; i < 3; i++) await checkouts[0]?.call('/continue', address, either(i));
  expect(await counted()).toEqual([{ taken: 9 }, { taken: 18 }]);
  expect((await checkouts[10]?.pay(address))?.json.status).toBe('requires_action');
});

test('a checkout that had all its attempts is refused in the very words of the other limits', async () => {
  const address = newAddress();
  const checkout = await opened();
  for (let i = 0; i < 10; i++) await checkout.pay(address);
  const byAddress = await checkout.pay(address);
  harness.checkout.pay = async () => {
    throw new DomainError('rate_limited', 'This checkout has had 10 attempts to pay.');
  };
  expect(bare(await checkout.pay(newAddress()))).toEqual(bare(byAddress));
});

test('over the limit an address learns nothing of a checkout: an unknown one gets the same refusal', async () => {
  const address = newAddress();
  const checkout = await opened();
  for (let i = 0; i < 10; i++) await checkout.pay(address);
  const unknown = await send(replicas[0].url, 'POST', '/api/checkout/cko_01m7xft13ne0wattr3dpc56bw9/pay', {
    headers: { 'x-checkout-secret': 'A'.repeat(43), 'x-forwarded-for': address },
    body: { paymentMethod: 'tok' },
  });
  expect(bare(unknown)).toEqual(bare(await checkout.pay(address)));
});

test('where no limit is set declined attempts are not counted', async () => {
  const address = newAddress();
  const checkout = await opened();
  for (let i = 0; i < 15; i++) expect((await checkout.pay(address, unlimited.url)).json.status).toBe('declined');
  const windows = await query<{ caller: string }>(harness.database.url, 'select caller from rate_windows');
  expect(windows.filter(({ caller }) => caller.startsWith('declines'))).toEqual([]);
});

test('a declined attempt whose count fails is shown to its buyer all the same', async () => {
  const checkout = await opened();
  const address = newAddress();
  harness.checkout.pay = async () => {
    await query(harness.database.url, 'alter table rate_windows add constraint full_disk check (taken < 0) not valid');
    return { status: 'declined', totalCents: 4_900, reason: 'card_declined' };
  };
  const answer = await checkout.pay(address);
  await query(harness.database.url, 'alter table rate_windows drop constraint full_disk');
  expect([answer.status, answer.json.status]).toEqual([200, 'declined']);
});

test('cards that buyers save in the portal count as attempts to pay: ten declined or nineteen saved from an address', async () => {
  const { accountId } = await createSeller(unlimited.url);
  const { cards } = harness;
  const secret = await openPortalSession(harness.database.url, accountId, { email: cards.buyer });
  const path = '/api/portal/subscriptions/sub_01kaf2m4n6p8r0t2v4x6z8b0dg/payment-method';
  const save = (address: string, index: number) =>
    send(either(index), 'PUT', path, {
      headers: { 'x-portal-session': secret, 'x-forwarded-for': address },
      body: { paymentMethod: `card-${index}` },
    });
  for (const [isDeclined, most] of [
    [true, 10],
    [false, 19],
  ] as const) {
    const address = newAddress();
    cards.isDeclined = () => isDeclined;
    for (let index = 0; index < most; index++) {
      const { status, json } = await save(address, index);
      expect(isDeclined ? [status, json.code] : status).toEqual(isDeclined ? [422, 'card_declined'] : 200);
    }
    const given = cards.given.length;
    expect((await save(address, most)).status).toBe(429);
    expect(cards.given.length).toBe(given);
  }
});
