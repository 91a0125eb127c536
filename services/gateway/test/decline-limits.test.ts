import { DomainError } from '@app/contracts/errors';
import { guardLeaks } from '@app/testing/leak-guard';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RunningGateway } from '../src/service.ts';
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
const timesAsked = (what: string) => harness.checkout.asked.filter(({ name }) => name === what).length;
const bare = ({ status, text, headers }: Sent) => [
  status,
  headers['retry-after'],
  // Each replica of the tests has an address of its own.
  text.replace(/"requestId":"[^"]*"/, '').replace(/http:\/\/[^/]*/, ''),
];

test('ten declined tries from one address, over both replicas and many checkouts; then no processor is asked', async () => {
  const address = newAddress();
  const shop = await opened();
  for (let i = 0; i < 10; i++) {
    const checkout = await opened(shop);
    expect((await checkout.pay(address, either(i))).json.status).toBe('declined');
  }
  const [first, second] = [await opened(shop), await opened()];
  const asked = timesAsked('pay');
  const refused = [await first.pay(address, either(0)), await second.pay(address, either(1))];
  for (const answer of refused) {
    expect(bare(answer)).toEqual(bare(refused[0] as Sent));
    expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([429, 'rate_limited', '600']);
    expect(answer.json.detail).toBe('Payments are not taken from here at the moment.');
  }
  expect(timesAsked('pay')).toBe(asked);
  expect((await first.pay(newAddress())).json.status).toBe('declined');
});

test('thirty tries at once from one address are not thirty cards tried: few are under way, and the others wait', async () => {
  const address = newAddress();
  const shop = await opened();
  const checkouts = await Promise.all(Array.from({ length: 30 }, () => opened(shop)));
  const gate = Promise.withResolvers<void>();
  harness.checkout.pay = async () => {
    await gate.promise;
    return { status: 'declined', totalCents: 4_900, reason: 'card_declined' };
  };
  const paying = Promise.all(checkouts.map((checkout, i) => checkout.pay(address, either(i))));
  await harness.checkout.untilAsked('pay', 8);
  gate.resolve();
  const answers = await paying;
  const declined = answers.filter(({ status }) => status === 200).length;
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(timesAsked('pay')).toBe(declined);
  expect(declined).toBeGreaterThanOrEqual(10);
  // Nine are known when the last of them begin: four at each replica.
  expect(declined).toBeLessThanOrEqual(17);
});

test('twelve buyers who pay from one address at once all pay', async () => {
  const address = newAddress();
  harness.checkout.pay = harness.checkout.paid;
  const shop = await opened();
  const checkouts = await Promise.all(Array.from({ length: 12 }, () => opened(shop)));
  const answers = await Promise.all(checkouts.map((checkout, i) => checkout.pay(address, either(i))));
  expect(answers.map(({ json }) => json.status)).toEqual(Array(12).fill('paid'));
});

test('tries that succeed do not count', async () => {
  const address = newAddress();
  harness.checkout.pay = harness.checkout.paid;
  const checkout = await opened();
  for (let i = 0; i < 12; i++) expect((await checkout.pay(address, either(i))).json.status).toBe('paid');
  const windows = await query<{ caller: string }>(harness.database.url, 'select caller from rate_windows');
  expect(windows.filter(({ caller }) => caller.startsWith('declines'))).toEqual([]);
});

test('200 declined tries at one account stop its payments from every address, and nobody else’s', async () => {
  const [victim, other] = [await opened(), await opened()];
  const accountId = harness.checkout.secrets.get(victim.id)?.accountId;
  await query(
    harness.database.url,
    `insert into rate_windows (caller, ends_at, taken) values ('declines account ${accountId}', now() + interval '1 minute', 199)`,
  );
  expect((await victim.pay(newAddress(), either(0))).json.status).toBe('declined');
  expect(timesAsked('owner')).toBe(0);
  const asked = timesAsked('pay');
  const refused = await victim.pay(newAddress(), either(1));
  expect([refused.status, refused.headers['retry-after'], timesAsked('pay')]).toEqual([429, '600', asked]);
  expect((await other.pay(newAddress(), either(1))).json.status).toBe('declined');
  expect(timesAsked('owner')).toBe(2);
});

test('a window that is over holds nobody back', async () => {
  const address = newAddress();
  const checkout = await opened();
  for (let i = 0; i < 10; i++) await checkout.pay(address);
  expect((await checkout.pay(address)).status).toBe(429);
  await query(harness.database.url, `update rate_windows set ends_at = now() - interval '1 second'`);
  expect((await checkout.pay(address)).json.status).toBe('declined');
});

const counted = () =>
  query<{ taken: number }>(harness.database.url, `select taken from rate_windows where caller like 'declines a%'`);
const confirmation = async () => ({
  status: 'requires_action' as const,
  totalCents: 4_900,
  action: { url: 'https://bank.example' },
});

test('a try that the bank declines later counts once, however often its outcome is asked for', async () => {
  const address = newAddress();
  const checkout = await opened();
  harness.checkout.pay = confirmation;
  await checkout.pay(address);
  for (let i = 0; i < 12; i++)
    expect((await checkout.call('/continue', address, either(i))).json.status).toBe('declined');
  expect(await counted()).toEqual([{ taken: 1 }, { taken: 1 }]);
});

test('tries that wait at the bank count, whoever reads their outcome where; one that succeeds is taken back', async () => {
  const address = newAddress();
  harness.checkout.pay = confirmation;
  const shop = await opened();
  const checkouts = await Promise.all(Array.from({ length: 11 }, () => opened(shop)));
  for (const [i, checkout] of checkouts.slice(0, 10).entries())
    expect((await checkout.pay(address, either(i))).json.status).toBe('requires_action');
  expect((await checkouts[10]?.pay(address))?.status).toBe(429);
  harness.checkout.continue = harness.checkout.paid as () => ReturnType<typeof harness.checkout.pay>;
  for (let i = 0; i < 3; i++) await checkouts[0]?.call('/continue', address, either(i));
  expect(await counted()).toEqual([{ taken: 9 }, { taken: 9 }]);
  expect((await checkouts[10]?.pay(address))?.json.status).toBe('requires_action');
});

test('a checkout that had all its tries is refused in the very words of the other limits', async () => {
  const address = newAddress();
  const checkout = await opened();
  for (let i = 0; i < 10; i++) await checkout.pay(address);
  const byAddress = await checkout.pay(address);
  harness.checkout.pay = async () => {
    throw new DomainError('rate_limited', 'This checkout was tried 10 times.');
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

test('where no limit is set declined tries are not counted', async () => {
  const address = newAddress();
  const checkout = await opened();
  for (let i = 0; i < 15; i++) expect((await checkout.pay(address, unlimited.url)).json.status).toBe('declined');
  const windows = await query<{ caller: string }>(harness.database.url, 'select caller from rate_windows');
  expect(windows.filter(({ caller }) => caller.startsWith('declines'))).toEqual([]);
});

test('a declined try whose count fails is told to its buyer all the same', async () => {
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
