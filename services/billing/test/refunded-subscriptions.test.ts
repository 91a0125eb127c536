import { newId, newIdSuffix } from '@app/contracts/ids';
import { orderPaid, orderRefunded } from '@app/contracts/orders';
import { startPayment } from '@app/contracts/payments';
import { listSubscriptions, subscriptionCanceled } from '@app/contracts/subscriptions';
import { expect, test } from 'vitest';
import { startInput } from './payment-samples.ts';
import { nowMs, orderEvent } from './samples.ts';
import { harness, startService } from './set-up.ts';

startService();

const newAccount = (): string => newId('account', nowMs);

type Order = ReturnType<typeof orderEvent>;

function refundOf({ accountId, data }: Order) {
  const { orderId, productId, productName, customerEmail, currency, test: rehearsal, totalCents, paidAt } = data;
  const about = { orderId, productId, productName, customerEmail, currency, test: rehearsal, totalCents, paidAt };
  const refundedAt = '2026-02-10T12:00:00.000Z';
  return {
    id: newId('event', nowMs),
    accountId,
    data: { ...about, refundedCents: 0, refundNo: 1, counted: { orders: 1, cents: 0 }, refundedAt },
  };
}

const subscriptions = async (accountId: string) =>
  (await harness.requester.request(listSubscriptions, {}, { accountId, requestId: 'r' })).data;
const canceled = async (accountId: string) =>
  (await harness.publishedOf(accountId)).filter(({ data }) => 'canceledAt' in data);

test('a refunded order’s subscription ends, and that is reported once with what it was worth a month', async () => {
  const account = newAccount();
  const order = orderEvent(account, { billingInterval: 'year', priceCents: 9_906 });
  await harness.deliver(orderPaid, order);
  const refund = refundOf(order);
  await harness.deliver(orderRefunded, refund);
  await harness.deliver(orderRefunded, { ...refund, id: newId('event', nowMs) });
  expect(await subscriptions(account)).toMatchObject([{ status: 'canceled', canceled_at: refund.data.refundedAt }]);
  await harness.deliver(orderPaid, orderEvent(account));
  expect(await subscriptions(account)).toHaveLength(2);
  expect((await canceled(account)).map(({ data }) => subscriptionCanceled.data.strict().parse(data))).toMatchObject([
    {
      ...{ orderId: order.data.orderId, amountCents: 9_906, mrrCents: 826, canceledAt: refund.data.refundedAt },
      ...{ statusBefore: 'active', reason: 'refund', sendWebhook: true },
    },
  ]);
});

test('a refund that arrives before its order ends the subscription as soon as that begins', async () => {
  const account = newAccount();
  const order = orderEvent(account);
  await harness.deliver(orderRefunded, refundOf(order));
  const seen = orderEvent(account);
  await harness.deliver(orderPaid, order);
  await harness.deliver(orderPaid, seen);
  const all = await subscriptions(account);
  expect(all.map(({ order_id, status }) => [order_id, status]).toSorted()).toEqual(
    [
      [order.data.orderId, 'canceled'],
      [seen.data.orderId, 'active'],
    ].toSorted(),
  );
  expect(await canceled(account)).toHaveLength(1);
});

test('a subscription of the checkout renews with the card that the checkout was paid with', async () => {
  const account = newAccount();
  const order = orderEvent(account, { source: 'checkout', paymentMethod: null });
  const input = startInput({ orderId: order.data.orderId });
  const context = { accountId: account, requestId: 'r', commandId: newIdSuffix(harness.clock.nowMs()) };
  await harness.requester.request(startPayment, input, context);
  await harness.deliver(orderPaid, order);
  await harness.deliver(orderPaid, orderEvent(account, { source: 'checkout', paymentMethod: null }));
  const all = await subscriptions(account);
  expect(all.map(({ collection }) => collection).toSorted()).toEqual(['automatic', 'external']);
  expect(all.find(({ order_id }) => order_id === order.data.orderId)?.collection).toBe('automatic');
});
