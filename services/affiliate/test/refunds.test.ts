import { createPayout, listCommissions, listOrderCommissions } from '@app/contracts/affiliates';
import { newId } from '@app/contracts/ids';
import { orderPaid, orderRefunded, orderReopened, paymentRefunded } from '@app/contracts/orders';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import { divideHalfUp } from '@app/money/arithmetic';
import type { Client } from '@app/service-kit/database';
import { randomRuns } from '@app/testing/long';
import type { PaidOrder } from '@app/testing/paid-order';
import { untilBlocked } from '@app/testing/poll-system';
import { holdTransaction } from '@app/testing/sql';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { commissionOn } from '../src/commissions/commission.rules.ts';
import { recordCommissions } from '../src/commissions/record-commissions.ts';
import { recordPaymentRefunds, recordRefunds } from '../src/commissions/record-refunds.ts';
import { recordRenewals } from '../src/commissions/record-renewals.ts';
import { partOf, type Renewal, referredOrder, refundOf, renewalOf, reopeningOf } from './samples.ts';
import { accountId, addAffiliate, service, startService } from './set-up.ts';

startService();
beforeEach(async () => void (await addAffiliate()));

/** Statuses by order, of the account's commissions. */
async function statuses(): Promise<Map<string, string>> {
  const { data } = await service.request(listCommissions, { code: 'PAT' }, { accountId });
  return new Map(data.map((commission) => [commission.order_id, commission.status]));
}
const whenStatus = async (order: PaidOrder, status: string) => {
  await service.handled();
  expect((await statuses()).get(order.orderId)).toBe(status);
};

test('a refund voids the commission, one that failed afterwards brings it back, and the next one voids it again', async () => {
  const [order, other] = [referredOrder(), referredOrder()];
  await service.publish(orderPaid, accountId, order);
  await service.publish(orderPaid, accountId, other);
  await whenStatus(other, 'pending');
  await service.publish(orderRefunded, accountId, refundOf(order));
  await whenStatus(order, 'voided');
  await service.publish(orderReopened, accountId, reopeningOf(order));
  await whenStatus(order, 'pending');
  await service.publish(orderRefunded, accountId, refundOf(order, 2));
  await whenStatus(order, 'voided');
  expect((await statuses()).get(other.orderId)).toBe('pending');
});

test('the commission of an order whose refund came first is voided from the beginning, and only in its own account', async () => {
  const [order, elsewhere] = [referredOrder(), referredOrder()];
  await service.publish(orderRefunded, accountId, refundOf(order));
  await service.handled();
  await service.publish(orderRefunded, newId('account', Date.now()), refundOf(elsewhere));
  await service.publish(orderPaid, accountId, order);
  await service.publish(orderPaid, accountId, elsewhere);
  await whenStatus(elsewhere, 'pending');
  await whenStatus(order, 'voided');
});

test('the refund of a rehearsal voids nothing', async () => {
  const [order, other] = [referredOrder(), referredOrder()];
  await service.publish(orderPaid, accountId, order);
  await service.publish(orderPaid, accountId, other);
  await whenStatus(other, 'pending');
  await service.publish(orderRefunded, accountId, { ...refundOf(order), test: true });
  await service.publish(orderRefunded, accountId, refundOf(other));
  await whenStatus(other, 'voided');
  expect((await statuses()).get(order.orderId)).toBe('pending');
});

const received = <Data>(data: Data): ReceivedEvent<Data> => ({
  id: newId('event', Date.now()),
  accountId,
  occurredAt: '2026-01-15T12:00:00.000Z',
  requestId: null,
  traceparent: undefined,
  data,
});
type Work = (client: Client) => Promise<unknown>;
const pays =
  (...orders: PaidOrder[]): Work =>
  (client) =>
    recordCommissions(client, service.clock, orders.map(received));
const refunds =
  (order: PaidOrder, refundNo = 1): Work =>
  (client) =>
    recordRefunds(client, service.clock, [received(refundOf(order, refundNo))], 'refunded');
const reopens =
  (order: PaidOrder, refundNo = 1): Work =>
  (client) =>
    recordRefunds(client, service.clock, [received(reopeningOf(order, refundNo))], 'reopened');

test('of a sale and its refund that are recorded at the same time, the second waits and sees the first', async () => {
  const { transaction, pool } = service.database;
  for (const works of [
    (order: PaidOrder) => [pays(order), refunds(order)] as const,
    (order: PaidOrder) => [refunds(order), pays(order)] as const,
  ]) {
    const order = referredOrder();
    const [first, second] = works(order);
    let later: Promise<unknown> = Promise.resolve();
    await holdTransaction(service.database, async (client) => {
      await first(client);
      later = transaction(second);
      await untilBlocked(pool);
    });
    await later;
    expect((await statuses()).get(order.orderId)).toBe('voided');
  }
});

test('however the events of an order come, doubled and in any order, the last refund that stands decides', async () => {
  const events = fc.record({
    refunds: fc.nat(3),
    lastFailed: fc.boolean(),
    seed: fc.array(fc.nat(), { minLength: 16, maxLength: 16 }),
  });
  const property = fc.asyncProperty(events, async ({ refunds: count, lastFailed, seed }) => {
    const order = referredOrder();
    const numbers = Array.from({ length: count }, (_, index) => index + 1);
    const failed = lastFailed ? numbers : numbers.slice(0, -1);
    const history = [
      pays(order),
      ...numbers.map((no) => refunds(order, no)),
      ...failed.map((no) => reopens(order, no)),
    ];
    // Each comes twice.
    const arrivals = [...history, ...history].map((work, index) => ({ work, when: seed[index] ?? 0 }));
    for (const { work } of arrivals.sort((a, b) => a.when - b.when)) await service.database.transaction(work);
    expect((await statuses()).get(order.orderId)).toBe(count > failed.length ? 'voided' : 'pending');
  });
  await fc.assert(property, randomRuns(20, 1_000));
});

test('batches that name the same orders in opposite orders do not deadlock, and each order is voided once', async () => {
  const orders = Array.from({ length: 40 }, () => referredOrder());
  const { transaction } = service.database;
  await Promise.all([
    transaction(pays(...orders)),
    transaction(pays(...orders.toReversed())),
    transaction((client) =>
      recordRefunds(
        client,
        service.clock,
        orders.map((order) => received(refundOf(order))),
        'refunded',
      ),
    ),
    transaction((client) =>
      recordRefunds(
        client,
        service.clock,
        orders.toReversed().map((order) => received(refundOf(order))),
        'refunded',
      ),
    ),
  ]);
  expect(await statuses()).toEqual(new Map(orders.toReversed().map((order) => [order.orderId, 'voided'])));
});

const terms = { commissionBasisPoints: 3000, commissionCents: null };
const returns =
  (order: PaidOrder, changeNo: number, refundedCents: number, renewal?: Renewal): Work =>
  (client) =>
    recordPaymentRefunds(client, service.clock, [received(partOf(order, changeNo, refundedCents, renewal))]);
const renews =
  (renewal: Renewal): Work =>
  (client) =>
    recordRenewals(client, service.clock, [received(renewal)]);
/** What stands of the order's commissions, those of its renewals included: unpaid, and paid. */
async function balance(order: PaidOrder) {
  const { data } = await service.request(listCommissions, { code: 'PAT' }, { accountId });
  const sum = (...wanted: string[]) =>
    data
      .filter(({ order_id, status }) => order_id === order.orderId && wanted.includes(status))
      .reduce((cents, { amount_cents }) => cents + amount_cents, 0);
  return { unpaid: sum('pending', 'due'), paid: sum('paid') };
}

test('a part that goes back takes the commission back in proportion, and what was paid of it in the next payout', async () => {
  const { transaction } = service.database;
  const order = referredOrder({ totalCents: 10_000 });
  await transaction(pays(order));
  await transaction(returns(order, 1, 2_500));
  expect(await balance(order)).toEqual({ unpaid: 2_250, paid: 0 });
  await transaction(returns(order, 2, 5_000));
  await transaction(returns(order, 1, 2_500));
  expect(await balance(order)).toEqual({ unpaid: 1_500, paid: 0 });
  await service.request(createPayout, { code: 'PAT', includePending: true, body: {} }, { accountId });
  expect(await balance(order)).toEqual({ unpaid: 0, paid: 1_500 });
  await transaction(returns(order, 3, 10_000));
  await transaction(refunds(order));
  expect(await balance(order)).toEqual({ unpaid: -1_500, paid: 1_500 });
  // Half of it failed afterwards.
  await transaction(returns(order, 4, 5_000));
  await transaction(reopens(order));
  expect(await balance(order)).toEqual({ unpaid: 0, paid: 1_500 });
});

test('a renewal that goes back takes its own commission back, whichever is known first, and leaves the others', async () => {
  const { transaction } = service.database;
  await addAffiliate({ code: 'RENE', commissionPercent: 30, renewalMonths: 3 });
  const order = referredOrder({ totalCents: 10_000, affiliateCode: 'RENE' });
  const [first, second] = [renewalOf(order, 1), renewalOf(order, 2)];
  await transaction(renews(first));
  await transaction(returns(order, 2, 10_000, second));
  await transaction(returns(order, 1, 4_000, first));
  await transaction(pays(order));
  await transaction(renews(second));
  const { data } = await service.request(listCommissions, { code: 'RENE' }, { accountId });
  expect(data.map(({ kind, status, amount_cents }) => [kind, status, amount_cents]).toSorted()).toEqual([
    ['clawback', 'pending', -1_200],
    ['renewal', 'pending', 3_000],
    ['renewal', 'voided', 3_000],
    ['sale', 'pending', 3_000],
  ]);
});

test('whatever goes back and fails again in whatever order, what stands of a commission is its part of what is left', async () => {
  const history = fc.record({
    totalCents: fc.integer({ min: 1, max: 9_999 }),
    states: fc.array(fc.nat(100), { minLength: 1, maxLength: 5 }),
    seed: fc.array(fc.nat(), { minLength: 16, maxLength: 16 }),
    payoutAt: fc.nat(10),
  });
  const property = fc.asyncProperty(history, async ({ totalCents, states, seed, payoutAt }) => {
    const order = referredOrder({ totalCents });
    const backs = states.map((percent) => Math.floor((totalCents * percent) / 100));
    const works = [pays(order), ...backs.map((cents, index) => returns(order, index + 1, cents))];
    const twice = [...works, ...works].map((work, index) => ({ work, key: seed[index] ?? 0 }));
    for (const [index, { work }] of twice.toSorted((a, b) => a.key - b.key).entries()) {
      if (index === payoutAt)
        await service
          .request(createPayout, { code: 'PAT', includePending: true, body: {} }, { accountId })
          .catch((err: unknown) => expect(err).toMatchObject({ code: 'nothing_due' }));
      await service.database.transaction(work);
    }
    // Of this order alone: the affiliate's list is of pages, and soon has more than one.
    const { data } = await service.request(listOrderCommissions, { orderId: order.orderId }, { accountId });
    const stands = data.reduce((sum, { amountCents }) => sum + amountCents, 0);
    const [base, back] = [commissionOn({ totalCents }, terms), backs.at(-1) ?? 0];
    const left = back >= totalCents ? 0 : base - divideHalfUp(base * back, totalCents);
    expect(stands).toBe(left);
  });
  await fc.assert(property, randomRuns(10, 300));
});

test('what goes back of a payment, by a lost dispute too, corrects its commission, of a rehearsal none', async () => {
  const [order, other] = [referredOrder({ totalCents: 10_000 }), referredOrder()];
  await service.publish(orderPaid, accountId, order);
  await service.publish(orderPaid, accountId, other);
  await whenStatus(other, 'pending');
  await service.publish(paymentRefunded, accountId, partOf(order, 1, 5_000));
  await service.publish(paymentRefunded, accountId, { ...partOf(other, 1, 4_905), test: true });
  await service.handled();
  expect(await balance(order)).toEqual({ unpaid: 1_500, paid: 0 });
  expect((await statuses()).get(other.orderId)).toBe('pending');
  await service.publish(paymentRefunded, accountId, { ...partOf(order, 2, 10_000), disputeId: 'du_1' });
  await whenStatus(order, 'voided');
  expect(await balance(order)).toEqual({ unpaid: 0, paid: 0 });
});
