import type { EventData } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import { orderNoticed } from '@app/contracts/orders';
import { subscriptionCanceled, subscriptionStarted } from '@app/contracts/subscriptions';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { losesReply } from './billing-stand-in.ts';
import { type CheckoutHarness, createCheckoutHarness, plainCourse } from './checkout-harness.ts';

/** Guarantee: a buyer who pays in two tabs is charged once, and no other seller learns who bought. */
guardLeaks();

let harness: CheckoutHarness;

beforeAll(async () => {
  harness = await createCheckoutHarness();
  await Promise.all([harness.base.start(), harness.base.start()]);
});
afterEach(() => harness.reset());
afterAll(() => harness.close());

const email = 'ada@example.com';
const home = ['browser', 'address', 'card'];
const elsewhere = ['another browser', 'another address', 'another card'];
const minuteMs = 60_000;
const refused = { code: 'already_bought', errors: [] };

const open = (body: object = {}, options: object = {}) => harness.open({ email, ...body }, options);
const buy = async (from: string[] = home, options: object = {}) =>
  harness.pay(await open(), 'ok', { from, ...options });
const notices = async (): Promise<EventData<typeof orderNoticed>[]> =>
  (await harness.events()).flatMap(({ subject, data }) =>
    subject === orderNoticed.subject ? [orderNoticed.data.parse(data)] : [],
  );

test.each(home)(
  'what was paid within the hour is not charged again where the %s is the same; confirmed, it is',
  async (same) => {
    await buy();
    const again = await open({ email: 'ADA@example.com' });
    const from = [same, 'others'];
    await expect(harness.pay(again, 'ok', { from })).rejects.toMatchObject(refused);
    expect(harness.billing.attempts).toHaveLength(1);
    expect(await harness.get(again)).toMatchObject({ status: 'open', orderId: null });
    expect(await harness.pay(again, 'ok', { from, body: { confirmRepeat: true } })).toMatchObject({ status: 'paid' });
    expect(await notices()).toEqual([]);
  },
);

test('from elsewhere the payment goes on, and the seller is notified of a likely duplicate', async () => {
  const first = await buy();
  const second = await buy(elsewhere);
  expect(second).toMatchObject({ status: 'paid' });
  expect(Object.keys(second)).toEqual(Object.keys(first));
  expect(await notices()).toEqual([
    { orderId: second.orderId, summary: expect.stringContaining(first.orderId as string), test: false },
  ]);
});

test.each([
  ['after an hour', async () => harness.base.clock.advance(61 * minuteMs)],
  ['after a refund', async (orderId: string) => void (await harness.refund(orderId))],
])('%s the same buyer buys it again, and no notification is sent', async (_, meanwhile) => {
  const { orderId } = await buy();
  await meanwhile(orderId as string);
  expect(await buy()).toMatchObject({ status: 'paid' });
  expect(await notices()).toEqual([]);
});

test('another product, another email, another account and a rehearsal are no repetition', async () => {
  harness.shop.set('acc_1/other', { ...plainCourse, slug: 'other', productId: newId('product', Date.now()) });
  harness.shop.set('acc_2/course', plainCourse);
  const rehearsal = await open({}, { testMode: true });
  await harness.pay(rehearsal, 'ok', { from: home });
  await buy();
  const others = [
    await open({ slug: 'other' }),
    await open({ email: 'bob@example.com' }),
    await open({}, { accountId: 'acc_2' }),
    await open({}, { testMode: true }),
  ];
  for (const opened of others)
    expect(await harness.pay(opened, 'ok', { from: home })).toMatchObject({ status: 'paid' });
  expect(await notices()).toEqual([]);
});

test('tabs that pay in the same moment, at two replicas, make exactly one charge', async () => {
  const tabs = await Promise.all(Array.from({ length: 8 }, () => open()));
  const outcomes = await Promise.allSettled(tabs.map((tab) => harness.pay(tab, 'ok', { from: home })));
  const reported = outcomes.map((one) => (one.status === 'fulfilled' ? one.value.status : one.reason.code));
  expect(reported.toSorted()).toEqual([...Array(7).fill('already_bought'), 'paid']);
  expect(harness.billing.attempts).toHaveLength(1);
  expect(await harness.list()).toHaveLength(1);
});

test.each([
  ['is not known', 'unknown'],
  ['waits for the bank', 'action'],
])('while a payment %s another tab is not charged; once it is declined, it is', async (_, card) => {
  const first = await open();
  await harness.pay(first, card, { from: home });
  const second = await open();
  await expect(harness.pay(second, 'ok', { from: home })).rejects.toMatchObject(refused);
  // The tab itself goes on, with another card too.
  if (card === 'action')
    expect(await harness.pay(first, 'declined', { from: home })).toMatchObject({ status: 'declined' });
  else {
    const orderId = harness.billing.attempts[0]?.input.orderId as string;
    await harness.billing.publishCompleted(harness.billing.finish(orderId, 'declined'));
    await harness.billing.handled();
  }
  expect(await harness.pay(second, 'ok', { from: home })).toMatchObject({ status: 'paid' });
});

test('a tab whose sale was fixed when its process died keeps another tab out', async () => {
  harness.billing.beforeStart = losesReply;
  expect(await buy()).toMatchObject({ status: 'processing' });
  harness.billing.beforeStart = async () => undefined;
  await expect(buy()).rejects.toMatchObject(refused);
  expect(harness.billing.attempts).toEqual([]);
});

test('another card in place of a confirmation is refused once another tab has paid', async () => {
  const first = await open();
  await harness.pay(first, 'action', { from: home });
  await buy(home, { body: { confirmRepeat: true } });
  await expect(harness.pay(first, 'ok', { from: home })).rejects.toMatchObject(refused);
});

test('a likely duplicate of a payment that was declined in the end is none', async () => {
  const first = await open();
  await harness.pay(first, 'unknown', { from: home });
  const second = await open();
  await harness.pay(second, 'unknown', { from: elsewhere });
  const [one, other] = harness.billing.attempts.map(({ input }) => input.orderId) as [string, string];
  await harness.billing.publishCompleted(harness.billing.finish(one, 'declined'));
  await harness.billing.handled();
  await harness.billing.publishCompleted(harness.billing.finish(other, 'succeeded'));
  await harness.billing.handled();
  expect(await harness.list()).toHaveLength(1);
  expect(await notices()).toEqual([]);
});

const subscription = (orderId: string) => ({
  ...{ subscriptionId: newId('subscription', Date.now()), orderId, productId: plainCourse.productId },
  ...{ productName: 'Course', customerEmail: email, amountCents: 9_900, currency: 'usd', mrrCents: 9_900, test: false },
  billingInterval: 'month' as const,
});

test('beside a living subscription, however old, the same buyer must confirm; once it has ended, it is sold again', async () => {
  harness.shop.set('acc_1/course', { ...plainCourse, pricingType: 'subscription', billingInterval: 'month' });
  const { orderId } = await buy();
  const sold = subscription(orderId as string);
  const publish = async (definition: typeof subscriptionStarted | typeof subscriptionCanceled, data: object) => {
    const occurredAt = new Date().toISOString();
    const event = { id: newId('event', Date.now()), accountId: 'acc_1', occurredAt, data: data as never };
    await harness.billing.producers.publish(definition, event);
    await harness.billing.handled();
  };
  await publish(subscriptionStarted, { ...sold, startedAt: new Date().toISOString() });
  harness.base.clock.advance(40 * 24 * 60 * minuteMs);
  await expect(buy()).rejects.toMatchObject(refused);
  expect(await buy(elsewhere)).toMatchObject({ status: 'paid' });
  expect(await notices()).toHaveLength(1);
  harness.base.clock.advance(61 * minuteMs);
  const end = { statusBefore: 'active', reason: 'seller', sendWebhook: true, canceledAt: new Date().toISOString() };
  await publish(subscriptionCanceled, { ...sold, ...end });
  // Kinds of events come in no order: a late copy of its start does not revive it.
  await publish(subscriptionStarted, { ...sold, startedAt: new Date().toISOString() });
  expect(await buy()).toMatchObject({ status: 'paid' });
  expect(await notices()).toHaveLength(1);
});

test('of browser, address and card digests alone are kept, other ones in each account', async () => {
  harness.shop.set('acc_2/course', plainCourse);
  await buy();
  await harness.pay(await open({}, { accountId: 'acc_2' }), 'ok', { from: home });
  const rows = await harness.query<{ digests: string[] }>('select buyer_digests as digests from checkout_attempts');
  const kept = rows.flatMap(({ digests }) => digests);
  expect(kept).toHaveLength(6);
  expect(new Set([...kept, ...home]).size).toBe(9);
});
