import { newIdSuffix } from '@app/contracts/ids';
import type { RefundedPart } from '@app/contracts/payments';
import { isDeath } from '@app/testing/dying-process';
import { expect, test } from 'vitest';
import { settleHold } from '../src/advancing/settle-hold.ts';
import { listOrderPayments } from '../src/charging/list-payments.ts';
import type { Payment } from '../src/charging/payment.types.ts';
import { startPayment } from '../src/charging/start-payment.ts';
import { listRefundable } from '../src/refunds/list-refundable.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { refundPayment } from '../src/refunds/refund-payment.ts';
import { reopenCharges } from '../src/refunds/reopen-charges.ts';
import { dyingAt } from './dying-process.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica } from './payment-replicas.ts';
import { startInput, upsell } from './payment-samples.ts';
import { openReplicas, replicas } from './set-up.ts';
import { readStory, readSubscription, subscribe } from './subscriptions-of-tests.ts';

openReplicas();

const caller = (accountId: string) => ({ accountId, requestId: 'r' });

/** An order of two charges: the captured hold and the upsell. */
async function paidOrder(by: Replica, paymentMethod = 'sim_ok') {
  const account = newAccount();
  const input = startInput({ hold: { upsell, decisionMinutes: 60 }, paymentMethod });
  const { orderId } = input;
  await startPayment(by.deps, caller(account), input);
  expect(await settleHold(by.deps, caller(account), orderId, 'accepted')).toMatchObject({ status: 'settled', upsell });
  const refund = (who: Replica) => refundCharges(who.deps, caller(account), orderId);
  return { account, orderId, refund };
}

const refundedEvents = async (account: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.charges.refunded.v1')
    .map(({ data }) => data.refundedCents);
const failedEvents = async (account: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.refund.failed.v1')
    .map(({ data }) => data.amountCents);
const givenBack = async (account: string) =>
  (await replicas.books(account))
    .filter(({ kind, status }) => kind === 'refund' && status === 'succeeded')
    .map(({ amountCents }) => amountCents);
const whole = expect.objectContaining({ status: 'refunded', refundedCents: 6400, detail: null, orderRefunded: true });
const parts = async (account: string) =>
  (await replicas.events(account))
    .filter(({ subject }) => subject === 'evt.billing.charge.refunded.v1')
    .map(({ data }) => data.refund as RefundedPart);

/** Refunds of single payments: each call is a command of its own unless it is given one. */
const refundOne = async (
  by: Replica,
  account: string,
  paymentId: string,
  amountCents?: number,
  commandId = newIdSuffix(replicas.clock.nowMs()),
) =>
  await refundPayment(
    by.deps,
    { ...caller(account), commandId },
    paymentId,
    amountCents === undefined ? undefined : { amountCents },
  );
const chargeIds = async (account: string, orderId: string) =>
  (await replicas.money(account, orderId)).charges.map(({ id }) => id);

test('every charge is given back whole, however often it is requested and by however many at once', async () => {
  const [a, b] = [replicas.start(), replicas.start()];
  const { account, refund } = await paidOrder(a);
  const results = await Promise.all(Array.from({ length: 12 }, (_, n) => refund(n % 2 === 0 ? a : b)));
  expect(results.map(({ status }) => status)).toContain('refunded');
  expect(await refund(b)).toEqual(whole);
  expect(await givenBack(account)).toEqual([4900, 1500]);
  expect(await refundedEvents(account)).toEqual([6400]);
});

test.each([
  ['first', ['throws_after']],
  ['second', ['answered', 'answer_lost']],
] as const)('a refund whose %s answer is lost is not made again, and goes on by itself', async (_, faults) => {
  const replica = replicas.start();
  const { account, refund } = await paidOrder(replica);
  replica.fail(...faults);
  expect(await refund(replica)).toMatchObject({ status: 'processing' });
  expect(await refund(replica)).toMatchObject({ status: 'processing' });
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await givenBack(account)).toEqual([4900, 1500]);
  expect(await refundedEvents(account)).toEqual([6400]);
  expect(await refund(replica)).toEqual(whole);
});

test('a refused refund says why, is notified, moves nothing, and is tried again when it is requested again', async () => {
  const replica = replicas.start();
  const { account, refund } = await paidOrder(replica, 'sim_refund_declined');
  const refused = { status: 'failed', refundedCents: 0, detail: 'The bank does not take refunds for this card.' };
  expect(await refund(replica)).toMatchObject(refused);
  replicas.clock.advance(hourMs);
  await replica.round();
  const attempts = () => replica.processor.calls.filter(({ method }) => method === 'refund').length;
  expect(attempts()).toBe(2);
  expect(await refund(replica)).toMatchObject(refused);
  expect(attempts()).toBe(4);
  expect(await givenBack(account)).toEqual([]);
  expect(await refundedEvents(account)).toEqual([]);
});

test('a refund of which a part is refused says how much was given back, in its answer and in the notice', async () => {
  const no = { status: 'declined', kind: 'hard', reason: 'no', message: 'Too late.' } as const;
  const replica = replicas.start({
    processor: (inner) => ({
      ...inner,
      refund: async (request, call) => (request.amountCents === 1500 ? no : await inner.refund(request, call)),
    }),
  });
  const { account, orderId, refund } = await paidOrder(replica);
  expect(await refund(replica)).toMatchObject({ status: 'failed', refundedCents: 4900, detail: 'Too late.' });
  const notices = (await replicas.events(account)).filter(({ subject }) => subject.includes('payment.noticed'));
  expect(notices.map(({ data }) => data.summary)).toEqual([
    `The refund of $15.00 of order ${orderId} was refused. The processor said: Too late. $49.00 of $64.00 was given back. Refund the order again to try once more.`,
  ]);
});

test('a refund that failed afterwards opens its charges again, is reported once, and may be requested again', async () => {
  const replica = replicas.start();
  const { account, orderId, refund } = await paidOrder(replica, 'sim_refund_fails');
  expect(await refund(replica)).toEqual(whole);
  await replica.daily(account);
  expect(await failedEvents(account)).toEqual([]);
  replicas.clock.advance(dayMs);
  await Promise.all([replica.daily(account), replica.daily(account)]);
  await replica.daily(account);
  expect((await failedEvents(account)).toSorted()).toEqual([1500, 4900]);
  // The first one reopens the order, which is a notice of its own.
  const notices = (await replicas.events(account)).filter(({ subject }) => subject.includes('payment.noticed'));
  expect(notices.length).toBe(1);
  expect((await replicas.money(account, orderId)).charges.map((charge) => charge.refundedCents)).toEqual([0, 0]);
  expect(await refund(replica)).toEqual(whole);
  expect(await refundedEvents(account)).toEqual([6400, 6400]);
});

test('a refund that failed is found however late the next daily run comes', async () => {
  const replica = replicas.start();
  const { account, orderId, refund } = await paidOrder(replica, 'sim_refund_fails');
  await replica.daily(account);
  expect(await refund(replica)).toEqual(whole);
  replicas.clock.advance(40 * dayMs);
  await replica.daily(account);
  expect((await failedEvents(account)).toSorted()).toEqual([1500, 4900]);
  expect((await replicas.money(account, orderId)).charges.map((charge) => charge.refundedCents)).toEqual([0, 0]);
});

test('an order with more attempts than a page holds shows every charge and refund among them', async () => {
  const replica = replicas.start();
  const order = await paidOrder(replica);
  const { account, orderId } = order;
  replicas.clock.advance(minuteMs);
  await order.refund(replica);
  // A refund that is refused over and over, as the newest attempts of the order.
  await replicas.database.pool.query(
    `insert into payments (id, account_id, order_id, step, charge_id, attempt_no, call, request, amount_cents, currency, status,
       decline_kind, decline_reason, processor, customer_email, product_name, test, created_at, finished_at)
     select left(id, position('_' in id)) || '9' || lpad(n::text, 25, '0'), account_id, order_id, 'refund', 'another', n, 'refund', '{}', 100,
       currency, 'declined', 'soft', 'no', processor, customer_email, product_name, test, created_at + interval '1 day', created_at + interval '1 day'
     from payments, generate_series(1, 130) as n where account_id = $1 and order_id = $2 and step = 'main'`,
    [account, orderId],
  );
  const { data } = await listOrderPayments(replicas.database, account, orderId);
  expect(data).toHaveLength(100);
  expect(data.slice(0, 5).map(({ step, status }) => [step, status])).toEqual(
    ['main', 'capture', 'upsell', 'refund', 'refund'].map((step) => [step, 'succeeded']),
  );
  expect(data.at(-1)).toMatchObject({ try_no: 130 });
});

test('an order without charges is refunded at once, and a held one cannot be', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const nothing = { status: 'refunded', refundedCents: 0, detail: null, orderRefunded: true, refunds: [] };
  expect(await refundCharges(replica.deps, caller(account), startInput().orderId)).toEqual(nothing);
  const held = startInput({ hold: { upsell, decisionMinutes: 60 } });
  await startPayment(replica.deps, caller(account), held);
  await expect(refundCharges(replica.deps, caller(account), held.orderId)).rejects.toMatchObject({
    code: 'invalid_transition',
  });
});

test('a refused refund is sent once for each request of the seller, however often the request comes again', async () => {
  const replica = replicas.start();
  const { account, orderId } = await paidOrder(replica, 'sim_refund_declined');
  const requested = (attempt: number) => refundCharges(replica.deps, caller(account), orderId, { attempt });
  const sent = () => replica.processor.calls.filter(({ method }) => method === 'refund').length;
  const refused = { status: 'failed', refundedCents: 0, detail: 'The bank does not take refunds for this card.' };
  expect(await requested(1)).toMatchObject(refused);
  expect(await requested(1)).toMatchObject(refused);
  expect(sent()).toBe(2);
  expect(await requested(2)).toMatchObject(refused);
  expect(await requested(2)).toMatchObject(refused);
  expect(sent()).toBe(4);
});

test('a payment goes back in parts, never more than it was, and the last part makes the order refunded', async () => {
  const [a, b] = [replicas.start(), replicas.start()];
  const { account, orderId } = await paidOrder(a);
  const [main = '', extra = ''] = await chargeIds(account, orderId);
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, (_, n) => refundOne(n % 2 ? a : b, account, main, 1000)),
  );
  const given = results.filter(({ status }) => status === 'fulfilled').length;
  expect(given).toBeGreaterThan(0);
  expect(given).toBeLessThan(5);
  expect(await givenBack(account)).toEqual(Array.from({ length: given }, () => 1000));
  const rest = 4900 - given * 1000;
  await expect(refundOne(a, account, main, rest + 1)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await refundOne(a, account, main)).toMatchObject({
    status: 'refunded',
    amountCents: rest,
    refundedCents: 4900,
  });
  expect(await refundOne(a, account, main)).toMatchObject({ status: 'refunded', amountCents: 0, refundedCents: 4900 });
  await expect(refundOne(a, account, main, 1)).rejects.toMatchObject({
    code: 'already_refunded',
    message: 'All of the payment, $49.00, has gone back already: nothing is left to refund.',
  });
  expect(await refundedEvents(account)).toEqual([]);
  expect(await refundOne(b, account, extra, 1500)).toMatchObject({ amountCents: 1500 });
  expect(await refundedEvents(account)).toEqual([6400]);
  expect((await parts(account)).reduce((sum, { amountCents }) => sum + amountCents, 0)).toBe(6400);
});

test('a captured payment is not given back while its order’s accepted upsell is still to be charged', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const input = startInput({ hold: { upsell, decisionMinutes: 60 } });
  const { orderId } = input;
  await startPayment(replica.deps, caller(account), input);
  // Killed once the capture is recorded, before the upsell is begun.
  const dying = replicas.start(dyingAt(20));
  await expect(settleHold(dying.deps, caller(account), orderId, 'accepted')).rejects.toSatisfy(isDeath);
  const [captured = ''] = await chargeIds(account, orderId);
  await expect(refundOne(replica, account, captured)).rejects.toMatchObject({ code: 'invalid_transition' });
  await replicas.clock.advance(2 * minuteMs);
  await replica.round();
  expect(await chargeIds(account, orderId)).toHaveLength(2);
  expect(await refundOne(replica, account, captured)).toMatchObject({ status: 'refunded', amountCents: 4900 });
  expect(await refundedEvents(account)).toEqual([]);
});

test('beside a refund of its order, a payment goes back once, and a part that went back before is not in it', async () => {
  const [a, b] = [replicas.start(), replicas.start()];
  const { account, orderId, refund } = await paidOrder(a);
  const [main = ''] = await chargeIds(account, orderId);
  await refundOne(a, account, main, 900);
  await Promise.allSettled([refund(a), refundOne(b, account, main), refundOne(a, account, main, 100), refund(b)]);
  expect(await refund(a)).toEqual(whole);
  expect((await givenBack(account)).reduce((sum, cents) => sum + cents, 0)).toBe(6400);
  expect(await refundedEvents(account)).toEqual([6400]);
});

test.each(['throws_before', 'throws_after', 'answer_lost', 'request_lost'] as const)(
  'a partial refund with the fault %s moves money once, also when its command comes again',
  async (fault) => {
    const replica = replicas.start();
    const { account, orderId } = await paidOrder(replica);
    const [main = ''] = await chargeIds(account, orderId);
    const commandId = newIdSuffix(replicas.clock.nowMs());
    replica.fail(fault);
    expect(await refundOne(replica, account, main, 700, commandId)).toMatchObject({ status: 'processing' });
    // Nothing else of the order is given back before its outcome is known.
    await expect(refundOne(replica, account, main, 700)).rejects.toMatchObject({ code: 'invalid_transition' });
    replicas.clock.advance(minuteMs);
    await replica.round();
    replicas.clock.advance(hourMs);
    await replica.round();
    const done = { status: 'refunded', amountCents: 700, refundedCents: 700 };
    expect(await refundOne(replica, account, main, 700, commandId)).toMatchObject(done);
    expect(await givenBack(account)).toEqual([700]);
    expect(await parts(account)).toMatchObject([{ paymentId: main, amountCents: 700, subscriptionId: null }]);
    expect(await refundedEvents(account)).toEqual([]);
  },
);

test('a renewal goes back alone while its subscription goes on, and all renewals only where that is requested', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const input = startInput();
  await startPayment(replica.deps, caller(account), input);
  const { id } = await subscribe(replicas, account, { orderId: input.orderId, paymentMethod: null });
  for (const _ of [1, 2]) {
    replicas.clock.advance(31 * dayMs);
    expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  }
  const { renewals } = await replicas.money(account, input.orderId);
  const [first = '', second = ''] = renewals.map((renewal) => renewal.id);
  expect(await refundOne(replica, account, first, 900)).toMatchObject({
    ...{ orderId: input.orderId, refundedCents: 900 },
    detail: expect.stringContaining('The subscription goes on'),
  });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'active' });
  replicas.clock.advance(31 * dayMs);
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  expect(await refundCharges(replica.deps, caller(account), input.orderId)).toMatchObject({ refundedCents: 4900 });
  expect(await givenBack(account)).toEqual([900, 4900]);
  expect(await refundedEvents(account)).toEqual([4900]);
  const all = await refundCharges(replica.deps, caller(account), input.orderId, { renewals: true });
  expect(all).toMatchObject({ status: 'refunded', refundedCents: 4900 + 3 * 1900 });
  expect(await givenBack(account)).toEqual([900, 4900, 1000, 1900, 1900]);
  expect(await refundedEvents(account)).toEqual([4900]);
  expect(await parts(account)).toMatchObject([
    { paymentId: first, amountCents: 900, subscriptionId: id, period: 2 },
    { amountCents: 4900, subscriptionId: null, period: null },
    { paymentId: first, amountCents: 1000, period: 2 },
    { paymentId: second, amountCents: 1900, chargedCents: 1900, period: 3 },
    { amountCents: 1900, period: 4 },
  ]);
});

test('a renewal of an order that was only recorded is refunded, and what took no money is not', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const { orderId } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  expect(await replica.renew(account)).toMatchObject({ charged: 1 });
  const [renewal] = (await replicas.money(account, orderId)).renewals;
  expect(await refundOne(replica, account, renewal?.id ?? '')).toMatchObject({ amountCents: 1900 });
  const [refund] = await parts(account);
  const refused = { code: 'invalid_transition' };
  await expect(refundOne(replica, account, refund?.refundId ?? '')).rejects.toMatchObject(refused);
  const missing = { code: 'payment_not_found' };
  await expect(refundOne(replica, newAccount(), renewal?.id ?? '')).rejects.toMatchObject(missing);
  expect(await refundedEvents(account)).toEqual([]);
});

test('an order of which a charge is opened again while another one goes back is not refunded', async () => {
  let reopen = async (): Promise<void> => undefined;
  const replica = replicas.start({
    processor: (inner) => ({
      ...inner,
      refund: async (request, call) => {
        const outcome = await inner.refund(request, call);
        if (request.amountCents === 1500) await reopen();
        return outcome;
      },
    }),
  });
  const { account, orderId } = await paidOrder(replica);
  const [main = '', extra = ''] = await chargeIds(account, orderId);
  await refundOne(replica, account, main);
  const failed = (await replicas.money(account, orderId)).payments.find(({ step }) => step === 'refund') as Payment;
  reopen = () => reopenCharges(replica.deps, { ...failed, message: 'The account is closed.' });
  expect(await refundOne(replica, account, extra)).toMatchObject({ amountCents: 1500 });
  expect(await failedEvents(account)).toEqual([4900]);
  expect(await refundedEvents(account)).toEqual([]);
});

test('a charge whose refund is refused keeps no other one back, and the answer names it with the reason', async () => {
  const no = { status: 'declined', kind: 'hard', reason: 'no', message: 'Too late.' } as const;
  let refuses = true;
  const replica = replicas.start({
    processor: (inner) => ({
      ...inner,
      refund: async (request, call) =>
        refuses && request.amountCents === 4900 ? no : await inner.refund(request, call),
    }),
  });
  const { account, orderId, refund } = await paidOrder(replica);
  const [main] = await chargeIds(account, orderId);
  const refused = { status: 'failed', refundedCents: 1500, detail: 'Too late.', orderRefunded: false };
  expect(await refund(replica)).toMatchObject({
    ...refused,
    refused: [{ paymentId: main, amountCents: 4900, detail: 'Too late.' }],
  });
  expect(await givenBack(account)).toEqual([1500]);
  replicas.clock.advance(hourMs);
  await replica.round();
  expect(await refundedEvents(account)).toEqual([]);
  refuses = false;
  expect(await refund(replica)).toEqual(whole);
  expect(await givenBack(account)).toEqual([1500, 4900]);
  expect(await refundedEvents(account)).toEqual([6400]);
});

test('the refund of an order that the seller’s own code took the money of stops its renewals before its event comes', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const { id, orderId } = await subscribe(replicas, account);
  const refund = () => refundCharges(replica.deps, caller(account), orderId, { chargedElsewhere: true });
  expect(await refund()).toEqual({
    status: 'refunded',
    refundedCents: 0,
    detail: null,
    orderRefunded: true,
    refunds: [],
  });
  replicas.clock.advance(31 * dayMs);
  expect(await replica.renew(account)).toMatchObject({ charged: 0 });
  expect(await replicas.books(account)).toEqual([]);
  expect(await refund()).toMatchObject({ status: 'refunded' });
  expect(await readStory(replicas, account, id)).toMatchObject([{ event: 'canceled', reason: 'refund' }]);
});

test('of a recorded order nothing goes back: with another amount that was shown it is left as it is', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const { id, orderId } = await subscribe(replicas, account);
  const refund = (expectedCents: number) =>
    refundCharges(replica.deps, caller(account), orderId, { chargedElsewhere: true, expectedCents });
  await expect(refund(4_900)).rejects.toMatchObject({ code: 'amount_changed' });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'active' });
  expect(await refund(0)).toMatchObject({ status: 'refunded', refundedCents: 0 });
});

test('the refund of a recorded order says that a renewal is under way, and waits for it only to give it back too', async () => {
  const replica = replicas.start();
  const account = newAccount();
  const { id, orderId } = await subscribe(replicas, account);
  replicas.clock.advance(31 * dayMs);
  replica.fail('throws_after');
  await replica.renew(account);
  const refund = (renewals: boolean) =>
    refundCharges(replica.deps, caller(account), orderId, { chargedElsewhere: true, renewals });
  const waits = async (renewals?: boolean) => {
    const input = { orderId, ...(renewals !== undefined && { renewals }) };
    return (await listRefundable(replica.deps.database, account, input)).waits;
  };
  expect([await waits(false), await waits(true), await waits()]).toEqual([false, true, true]);
  const underWay = { refundedCents: 0, renewalUnderWay: true };
  expect(await refund(false)).toMatchObject({ ...underWay, status: 'refunded', orderRefunded: true });
  expect(await refund(true)).toMatchObject({ ...underWay, status: 'processing', orderRefunded: false });
  expect(await readSubscription(replicas, id)).toMatchObject({ status: 'canceled' });
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await refund(true)).toMatchObject({ status: 'refunded', refundedCents: 1900, orderRefunded: true });
  expect(await givenBack(account)).toEqual([1900]);
});

test('another account’s charges are as unknown as none', async () => {
  const replica = replicas.start();
  const { account, orderId } = await paidOrder(replica);
  const foreign = await refundCharges(replica.deps, caller(newAccount()), orderId);
  expect(foreign).toMatchObject({ refundedCents: 0 });
  expect(await givenBack(account)).toEqual([]);
});

test('another amount than the caller was shown is not given back; a request that comes again is no other amount', async () => {
  const replica = replicas.start();
  const { account, orderId } = await paidOrder(replica);
  const refund = (expectedCents: number, attempt: number) =>
    refundCharges(replica.deps, caller(account), orderId, { expectedCents, attempt });
  await expect(refund(4_900, 1)).rejects.toMatchObject({ code: 'amount_changed' });
  const [held] = await chargeIds(account, orderId);
  await refundOne(replica, account, held as string, 900);
  await expect(refund(6_400, 2)).rejects.toMatchObject({ code: 'amount_changed' });
  expect(await givenBack(account)).toEqual([900]);
  replica.fail('throws_after');
  expect(await refund(5_500, 3)).toMatchObject({ status: 'processing' });
  expect(await refund(5_500, 3)).toMatchObject({ status: 'processing' });
  replicas.clock.advance(minuteMs);
  await replica.round();
  expect(await givenBack(account)).toEqual([900, 4_000, 1_500]);
  expect(await refund(5_500, 3)).toEqual(whole);
});

test('after a refused refund the amount is compared where the charges are locked', async () => {
  const replica = replicas.start();
  const { account, orderId, refund } = await paidOrder(replica, 'sim_refund_declined');
  expect(await refund(replica)).toMatchObject({ status: 'failed' });
  const again = (expectedCents: number) =>
    refundCharges(replica.deps, caller(account), orderId, { expectedCents, attempt: 2 });
  await expect(again(4_900)).rejects.toMatchObject({ code: 'amount_changed' });
  expect(await again(6_400)).toMatchObject({ status: 'failed' });
});
