import type { EventEnvelope } from '@app/contracts/define';
import { newId, newIdSuffix } from '@app/contracts/ids';
import { orderPaid, orderRefunded } from '@app/contracts/orders';
import { startPayment } from '@app/contracts/payments';
import { listSubscriptions, subscriptionCanceled } from '@app/contracts/subscriptions';
import { openDatabase } from '@app/service-kit/database';
import { eventually } from '@app/testing/eventually';
import { guardLeaks } from '@app/testing/leak-guard';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { type Harness, startHarness } from './harness.ts';
import { startInput } from './payment-samples.ts';
import { nowMs, orderEvent } from './samples.ts';

guardLeaks();

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

const newAccount = (): string => newId('account', nowMs);

type Order = ReturnType<typeof orderEvent>;

function refundOf({ accountId, data }: Order) {
  const { orderId, productId, productName, customerEmail, currency, test: rehearsal, totalCents, paidAt } = data;
  const about = { orderId, productId, productName, customerEmail, currency, test: rehearsal, totalCents, paidAt };
  const refundedAt = '2026-02-10T12:00:00.000Z';
  return { id: newId('event', nowMs), accountId, data: { ...about, refundedCents: 0, refundNo: 1, refundedAt } };
}

const subscriptions = async (accountId: string) =>
  (await harness.requester.request(listSubscriptions, {}, { accountId, requestId: 'r' })).data;
const canceled = (accountId: string) =>
  (harness.published as EventEnvelope<Record<string, unknown>>[]).filter(
    (event) => event.accountId === accountId && 'canceledAt' in event.data,
  );

test('a refunded order’s subscription ends, and that is told once with what it was worth a month', async () => {
  const account = newAccount();
  const order = orderEvent(account, { billingInterval: 'year', priceCents: 9_906 });
  await harness.publish(orderPaid, order);
  await eventually(async () => (await subscriptions(account)).length === 1);
  const refund = refundOf(order);
  await harness.publish(orderRefunded, refund);
  await harness.publish(orderRefunded, { ...refund, id: newId('event', nowMs) });
  await eventually(async () => {
    expect(await subscriptions(account)).toMatchObject([{ status: 'canceled', canceled_at: refund.data.refundedAt }]);
    return true;
  });
  const other = orderEvent(account);
  await harness.publish(orderPaid, other);
  await eventually(async () => (await subscriptions(account)).length === 2);
  await eventually(() => canceled(account).length > 0);
  expect(canceled(account).map(({ data }) => subscriptionCanceled.data.strict().parse(data))).toMatchObject([
    {
      ...{ orderId: order.data.orderId, amountCents: 9_906, mrrCents: 826, canceledAt: refund.data.refundedAt },
      ...{ statusBefore: 'active', reason: 'refund', sendWebhook: true },
    },
  ]);
});

test('a refund that is heard of before its order ends the subscription as soon as that begins', async () => {
  const account = newAccount();
  const order = orderEvent(account);
  await harness.publish(orderRefunded, refundOf(order));
  const database = await openDatabase(databaseOptions(harness.databaseUrl));
  await eventually(async () => {
    const known = await database.pool.query('select from refunded_orders where order_id = $1', [order.data.orderId]);
    return known.rowCount === 1;
  });
  await database.close();
  const seen = orderEvent(account);
  await harness.publish(orderPaid, order);
  await harness.publish(orderPaid, seen);
  await eventually(async () => {
    const all = await subscriptions(account);
    expect(all.map(({ order_id, status }) => [order_id, status]).toSorted()).toEqual(
      [
        [order.data.orderId, 'canceled'],
        [seen.data.orderId, 'active'],
      ].toSorted(),
    );
    return true;
  });
  await eventually(() => canceled(account).length === 1);
});

test('a subscription of the checkout renews with the card that the checkout was paid with', async () => {
  const account = newAccount();
  const order = orderEvent(account, { source: 'checkout', paymentMethod: null });
  const input = startInput({ orderId: order.data.orderId });
  const context = { accountId: account, requestId: 'r', commandId: newIdSuffix(harness.clock.nowMs()) };
  await harness.requester.request(startPayment, input, context);
  await harness.publish(orderPaid, order);
  await harness.publish(orderPaid, orderEvent(account, { source: 'checkout', paymentMethod: null }));
  const all = await eventually(async () => {
    const listed = await subscriptions(account);
    return listed.length === 2 && listed;
  });
  expect(all.map(({ collection }) => collection).toSorted()).toEqual(['automatic', 'external']);
  expect(all.find(({ order_id }) => order_id === order.data.orderId)?.collection).toBe('automatic');
});
