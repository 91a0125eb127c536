import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { settleHold } from '../src/holds/settle-hold.ts';
import { listOrderPayments } from '../src/payments/list-payments.ts';
import { startPayment } from '../src/payments/start-payment.ts';
import { refundCharges } from '../src/refunds/refund-charges.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica, type Replicas, startReplicas } from './payment-replicas.ts';
import { startInput } from './payment-samples.ts';

guardLeaks();

let replicas: Replicas;
beforeAll(async () => {
  replicas = await startReplicas();
});
afterAll(() => replicas.close());
beforeEach(() => replicas.clear());

const upsell = { upsellId: 'ups_1', headline: 'More', amountCents: 1500 };
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
const whole = { status: 'refunded', refundedCents: 6400, detail: null };

test('every charge is given back whole, however often it is asked for and by however many at once', async () => {
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

test('a refused refund says why, is told, moves nothing, and is tried again when it is asked for again', async () => {
  const replica = replicas.start();
  const { account, refund } = await paidOrder(replica, 'sim_refund_declined');
  const refused = { status: 'failed', refundedCents: 0, detail: 'The bank does not take refunds for this card.' };
  expect(await refund(replica)).toEqual(refused);
  replicas.clock.advance(hourMs);
  await replica.round();
  const tries = () => replica.processor.calls.filter(({ method }) => method === 'refund').length;
  expect(tries()).toBe(1);
  expect(await refund(replica)).toEqual(refused);
  expect(tries()).toBe(2);
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
  expect(await refund(replica)).toEqual({ status: 'failed', refundedCents: 4900, detail: 'Too late.' });
  const notices = (await replicas.events(account)).filter(({ subject }) => subject.includes('payment.noticed'));
  expect(notices.map(({ data }) => data.summary)).toEqual([
    `The refund of $15.00 of order ${orderId} was refused. The processor said: Too late. $49.00 of $64.00 was given back. Refund the order again to try once more.`,
  ]);
});

test('a refund that failed afterwards opens its charges again, is told once, and may be asked for again', async () => {
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
  expect((await replicas.money(account, orderId)).charges.map((charge) => charge.refunded_cents)).toEqual([0, 0]);
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
  expect((await replicas.money(account, orderId)).charges.map((charge) => charge.refunded_cents)).toEqual([0, 0]);
});

test('an order with more tries than a page holds shows every charge and refund among them', async () => {
  const replica = replicas.start();
  const order = await paidOrder(replica);
  const { account, orderId } = order;
  await order.refund(replica);
  // A refund that is refused over and over, as the newest tries of the order.
  await replicas.database.pool.query(
    `insert into payments (id, account_id, order_id, step, subject, try_no, call, request, amount_cents, currency, status,
       decline_kind, decline_reason, processor, customer_email, product_name, test, created_at, finished_at)
     select left(id, position('_' in id)) || '9' || lpad(n::text, 25, '0'), account_id, order_id, 'refund', 'another', n, 'refund', '{}', 100,
       currency, 'declined', 'soft', 'no', processor, customer_email, product_name, test, created_at, created_at
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
  const nothing = { status: 'refunded', refundedCents: 0, detail: null };
  expect(await refundCharges(replica.deps, caller(account), startInput().orderId)).toEqual(nothing);
  const held = startInput({ hold: { upsell, decisionMinutes: 60 } });
  await startPayment(replica.deps, caller(account), held);
  await expect(refundCharges(replica.deps, caller(account), held.orderId)).rejects.toMatchObject({
    code: 'invalid_transition',
  });
});

test('another account’s charges are as unknown as none', async () => {
  const replica = replicas.start();
  const { account, orderId } = await paidOrder(replica);
  const foreign = await refundCharges(replica.deps, caller(newAccount()), orderId);
  expect(foreign).toMatchObject({ refundedCents: 0 });
  expect(await givenBack(account)).toEqual([]);
});
