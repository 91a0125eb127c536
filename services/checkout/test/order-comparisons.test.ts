import { type ComparedOrder, followPayments, ordersToCompare } from '@app/contracts/order-comparisons';
import { createOrder } from '@app/contracts/orders';
import { expect, test } from 'vitest';
import { plainCourse, withUpsell } from './checkout-harness.ts';
import { context, course, orderBody } from './harness.ts';
import { harness, startService } from './set-up.ts';

startService();

const email = 'ada@example.com';
const compared = async (which: Parameters<typeof ordersToCompare.input.parse>[0] & object, accountId = 'acc_1') =>
  (await harness.base.requester.request(ordersToCompare, ordersToCompare.input.parse(which), context(accountId)))
    .orders;
const all = { after: '', until: 'ord_z', open: false };
const statuses = (orders: readonly ComparedOrder[]) => orders.map(({ orderId, status }) => [orderId, status]);

/** What billing says of the last order once more. */
const say = async (said: Partial<Parameters<typeof followPayments.input.parse>[0] & object>) =>
  await harness.base.requester.request(
    followPayments,
    followPayments.input.parse({ completed: [], settled: [], ...said }),
    context(),
  );

/** Later than the clock by which orders get their ids. */
const at = '2036-03-15T12:00:00.000Z';
const settledOf = (orderId: string) => {
  const result = harness.billing.settle(orderId, 'accepted');
  return { orderId, ...result, currency: 'usd', test: false, lastFour: '4242', settledAt: at };
};
/** What billing was requested to hold. */
const requireLast = () => {
  const last = harness.billing.attempts.at(-1)?.input;
  if (last === undefined) throw new Error('billing was requested nothing');
  return last;
};
const lastOrder = () => harness.billing.attempts.at(-1)?.input.orderId ?? '';

test('an order whose hold was settled follows what billing says, once, as if the event had come', async () => {
  harness.shop.set('acc_1/course', withUpsell);
  await harness.pay(await harness.open({ email }));
  const orderId = lastOrder();
  expect(statuses(await compared({ ...all, open: true }))).toEqual([[orderId, 'authorized']]);
  const { paymentMethod: _, returnUrl: __, confirmsByScript: ___, ...attempt } = requireLast();
  expect((await compared({ orderIds: [orderId] }))[0]?.attempt).toMatchObject(attempt);
  const settled = [settledOf(orderId)];
  expect(await Promise.all([say({ settled }), say({ settled })])).toEqual([{ failed: [] }, { failed: [] }]);
  expect(await compared({ ...all, open: true })).toEqual([]);
  const [order] = await compared({ orderIds: [orderId] });
  expect(order).toMatchObject({ status: 'paid', source: 'checkout', totalCents: 14_800, refundedCents: 0 });
  expect([order?.subscription, order?.attempt]).toEqual([null, undefined]);
  await harness.billing.publishSettled(orderId);
  await harness.billing.handled();
  const subjects = (await harness.events()).map(({ subject }) => subject);
  expect(subjects).toEqual(['evt.checkout.upsell.accepted.v1', 'evt.checkout.order.paid.v1']);
});

test('an order that was never recorded follows its payment; what checkout has no sale for cannot', async () => {
  const subscription = { pricingType: 'subscription', billingInterval: 'month' } as const;
  harness.shop.set('acc_1/course', { ...plainCourse, ...subscription });
  await harness.pay(await harness.open({ email }), 'unknown');
  const orderId = lastOrder();
  expect(await compared(all)).toEqual([]);
  const { outcome } = harness.billing.finish(orderId, 'succeeded');
  const { paymentId, attemptNo, amountCents, lastFour, decideBy } = outcome;
  const card = { lastFour, decideBy };
  const ended = { orderId, paymentId, attemptNo, amountCents, ...card, currency: 'usd', test: false, completedAt: at };
  const completed = { ...ended, status: 'succeeded', reason: null } as const;
  const unknown = { ...completed, orderId: orderId.replace(/.$/, (last) => (last === '0' ? '1' : '0')) };
  expect(await say({ completed: [unknown, completed] })).toEqual({ failed: [unknown.orderId] });
  const { priceCents, productId, name: productName } = plainCourse;
  expect(await compared(all)).toEqual([
    {
      ...{ orderId, status: 'paid', source: 'checkout', totalCents: priceCents, currency: 'usd' },
      ...{ refundedCents: 0, changedAt: at },
      subscription: {
        ...{ productId, productName, customerEmail: email, priceCents, billingInterval: 'month' },
        ...{ affiliateNamed: false, paidAt: at },
      },
    },
  ]);
});

test('orders of another account are not compared, nor those of rehearsals', async () => {
  const { requester, products } = harness.base;
  products.set('acc_1/course', course);
  const account = { testMode: false, supportEmail: 'help@example.com' };
  const { orderId } = await requester.request(createOrder, { body: orderBody(), account }, context());
  await requester.request(createOrder, { body: orderBody({ test: true }), account }, context());
  expect(await compared(all)).toMatchObject([{ orderId, source: 'api', subscription: null }]);
  expect(await compared(all, 'acc_2')).toEqual([]);
  expect(await compared({ orderIds: [orderId] }, 'acc_2')).toEqual([]);
});
