import { newId } from '@app/contracts/ids';
import { withdrawalDeclined, withdrawalRequested } from '@app/contracts/withdrawals';
import { announced } from '@app/testing/points';
import { type Producers, startProducers } from '@app/testing/producers';
import { query } from '@app/testing/sql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { letterAttempted } from '../src/points/points.ts';
import { createSeller } from './harness.ts';
import { send } from './http.ts';
import { lettersTo } from './letter-files.ts';
import { harness, startGateway, url } from './set-up.ts';

/** Guarantee: whoever declares a withdrawal and the shop's owner both get a letter with it, and nobody is flooded by it. */
startGateway({ RATE_LIMIT_PER_MINUTE: '600' });

let producers: Producers;
beforeAll(async () => {
  producers = await startProducers(harness.nats, ['checkout']);
});
afterAll(() => producers.close());

const requestedAt = '2026-11-24T18:21:33.518Z';
const orderId = 'ord_01k3m9a2d8e4tb0wq3y6c9f2h4';
const sentTo = (email: string, kind: string, count = 1) =>
  announced(letterAttempted, (letter) => letter.to === email && letter.kind === kind, count);

async function createShop(isVerified = true) {
  const seller = await createSeller(url);
  if (isVerified)
    await query(harness.database.url, 'update accounts set email_verified = true where id = $1', [seller.accountId]);
  const { handle, businessName } = (await send(url, 'GET', '/api/v1/settings', { key: seller.key })).json;
  return { ...seller, handle, businessName };
}

const about = (businessName: string, email: string) => ({
  withdrawalId: newId('withdrawal', Date.now()),
  ...{ orderId, productId: 'prd_1', productName: 'Course', name: 'Ada <b>L</b>', bought: 'the course', email },
  statement: `I withdraw from my contract with ${businessName} about: the course. Ada <b>L</b>`,
  ...{ test: false, requestedAt },
});

const publish = (definition: typeof withdrawalRequested | typeof withdrawalDeclined, accountId: string, data: object) =>
  producers.publish(definition, { id: newId('event', Date.now()), accountId, occurredAt: requestedAt, data });

test('the acknowledgement has the statement and the second, is the shop’s, and promises nothing; the owner gets one too', async () => {
  const { accountId, businessName, handle, email: own } = await createShop();
  await publish(withdrawalRequested, accountId, { ...about(businessName, 'ada@example.com'), late: true });
  await sentTo('ada@example.com', 'withdrawal_received_notice');
  const [letter = '', ...more] = lettersTo('ada@example.com');
  expect(more).toEqual([]);
  for (const part of ['on 2026-11-24 at 18:21:33 UTC', 'about: the course. Ada <b>L</b>', `/p/${handle}`])
    expect(letter).toContain(part);
  expect(letter).toContain('Ada &lt;b&gt;L&lt;/b&gt;');
  expect(letter).toContain(`${businessName} decides about it`);
  expect(letter).not.toMatch(/order was found|c9f2h4|after the days/i);
  await sentTo(own, 'withdrawal_seller_notice');
  const told = lettersTo(own).filter((text) => text.includes('A withdrawal from a contract was declared'));
  expect(told).toHaveLength(1);
  for (const part of ['y6c9f2h4', 'ada@example.com', 'after the days that your shop gives', '/app/orders/withdrawals'])
    expect(told[0]).toContain(part);
});

test('an account that is not verified acknowledges in the platform’s name, five letters a day at most', async () => {
  const { accountId, businessName, supportEmail } = { supportEmail: 'none', ...(await createShop(false)) };
  const to = `${crypto.randomUUID()}@example.com`;
  for (let count = 0; count < 7; count += 1)
    await publish(withdrawalRequested, accountId, { ...about(businessName, to), late: null });
  const last = `${crypto.randomUUID()}@example.com`;
  await publish(withdrawalRequested, accountId, { ...about(businessName, last), late: null });
  await sentTo(last, 'withdrawal_received_notice');
  const letters = lettersTo(to);
  expect(letters.length).toBeGreaterThan(0);
  expect(letters.length).toBeLessThanOrEqual(5);
  for (const letter of letters) expect(letter).not.toMatch(new RegExp(`^From: .*${businessName}`, 'm'));
  expect(letters.join()).not.toContain(`mailto:${supportEmail}`);
});

test('an address gets five acknowledgements a day, whichever shops they are of', async () => {
  const [one, other] = [await createShop(), await createShop()];
  const to = `${crypto.randomUUID()}@example.com`;
  for (const { accountId, businessName } of [one, other, one, other, one, other, one])
    await publish(withdrawalRequested, accountId, { ...about(businessName, to), late: null });
  const last = `${crypto.randomUUID()}@example.com`;
  await publish(withdrawalRequested, one.accountId, { ...about(one.businessName, last), late: null });
  await sentTo(last, 'withdrawal_received_notice');
  expect(lettersTo(to)).toHaveLength(5);
});

test('a decline goes to the address with the seller’s answer, and of an unverified account to nobody', async () => {
  const [verified, other] = [await createShop(), await createShop(false)];
  const declined = { answer: 'You had it\nfor a year.', declinedAt: requestedAt };
  const [to, never] = [`${crypto.randomUUID()}@example.com`, `${crypto.randomUUID()}@example.com`];
  await publish(withdrawalDeclined, other.accountId, { ...about(other.businessName, never), ...declined });
  await publish(withdrawalDeclined, verified.accountId, { ...about(verified.businessName, to), ...declined });
  await sentTo(to, 'withdrawal_declined_notice');
  const [letter = ''] = lettersTo(to);
  for (const part of ['The answer:', 'You had it', 'for a year.', 'about: the course.']) expect(letter).toContain(part);
  expect(lettersTo(never)).toEqual([]);
});

test('the letters of a rehearsal go to the account’s own address', async () => {
  const { accountId, businessName, email: own } = await createShop();
  const to = `${crypto.randomUUID()}@example.com`;
  await publish(withdrawalRequested, accountId, { ...about(businessName, to), test: true, late: false });
  await sentTo(own, 'withdrawal_received_notice');
  expect(lettersTo(to)).toEqual([]);
});

test('a client confirms twenty a day; what it may have read does not count', async () => {
  const { handle } = await createShop();
  const body = { handle, name: 'Ada', bought: 'the course', email: 'ada@example.com' };
  const post = (path: string) =>
    send(url, 'POST', path, { body, headers: { 'x-forwarded-for': '203.0.113.9', origin: 'https://own.example' } });
  for (let count = 0; count < 25; count += 1)
    expect((await post('/api/withdrawals')).json.statement).toContain('the course');
  const statuses: number[] = [];
  for (let count = 0; count < 21; count += 1) statuses.push((await post('/api/withdrawals/confirm')).status);
  expect([...new Set(statuses.slice(0, 20)), statuses[20]]).toEqual([200, 429]);
});

test('what is wrong is said at its field, and an unknown shop is none', async () => {
  const { handle } = await createShop();
  const answer = await send(url, 'POST', '/api/withdrawals/confirm', {
    body: { handle, name: '', bought: ' ', email: 'ada' },
  });
  expect(answer.json.errors.map(({ field }: { field: string }) => field)).toEqual(['name', 'bought', 'email']);
  const unknown = { handle: 'no-such-shop', name: 'Ada', bought: 'x', email: 'ada@example.com' };
  expect((await send(url, 'POST', '/api/withdrawals', { body: unknown })).json.errors[0].field).toBe('handle');
});
