import { listCommissions } from '@app/contracts/affiliates';
import { newId } from '@app/contracts/ids';
import { orderPaid, orderRefunded, orderReopened } from '@app/contracts/orders';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import type { Client } from '@app/service-kit/database';
import { randomRuns } from '@app/testing/long';
import type { PaidOrder } from '@app/testing/paid-order';
import { untilBlocked } from '@app/testing/poll-system';
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { recordCommissions } from '../src/commissions/record-commissions.ts';
import { recordRefunds } from '../src/commissions/record-refunds.ts';
import { referredOrder, refundOf, reopeningOf } from './samples.ts';
import { accountId, addAffiliate, service, startService } from './set-up.ts';

startService();
beforeEach(async () => void (await addAffiliate()));

/** Statuses by order, of the account's commissions. */
async function statuses(): Promise<Map<string, string>> {
  const { data } = await service.ask(listCommissions, { code: 'PAT' }, { accountId });
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
    await transaction(async (client) => {
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
