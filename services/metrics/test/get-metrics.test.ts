import { checkoutVisited } from '@app/contracts/checkouts';
import { newId } from '@app/contracts/ids';
import { getMetrics, type MetricsResource, metricsResource } from '@app/contracts/metrics';
import { orderPaid, orderRefunded, orderReopened, paymentRefunded } from '@app/contracts/orders';
import { productCreated, productRenamed } from '@app/contracts/products';
import {
  subscriptionCanceled,
  subscriptionPaused,
  subscriptionPaymentFailed,
  subscriptionRebilled,
  subscriptionResumed,
  subscriptionStarted,
} from '@app/contracts/subscriptions';
import { openDatabase } from '@app/service-kit/database';
import { announced, sofar } from '@app/testing/points';
import { beforeAll, expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { productAwaited } from '../src/points/points.ts';
import { getProduct } from '../src/products/get-product.ts';
import {
  cancellationEvent,
  creationEvent,
  failedPaymentEvent,
  orderEvent,
  pauseEvent,
  paymentRefundEvent,
  refundEvent,
  renewalEvent,
  reopeningEvent,
  resumptionEvent,
  subscriptionEvent,
  visitEvent,
} from './samples.ts';
import { harness, startService } from './set-up.ts';

startService();

const account = newId('account', 0);
const other = newId('account', 0);
const creations = {
  course: creationEvent(account),
  unsold: creationEvent(account),
  monthly: creationEvent(account, { name: 'Club', pricingType: 'subscription' }),
  foreign: creationEvent(other, { name: 'Foreign' }),
};
const idOf = (name: keyof typeof creations) => ({ id: creations[name].data.productId });
const [course, unsold, monthly, foreign] = [idOf('course'), idOf('unsold'), idOf('monthly'), idOf('foreign')];

beforeAll(async () => {
  for (const creation of Object.values(creations)) await harness.publish(productCreated, creation);
  await harness.handled();
});

async function request(productId: string, accountId = account): Promise<MetricsResource> {
  const output = await harness.requester.request(getMetrics, { productId }, { accountId, requestId: 'r' });
  return metricsResource.strict().parse(output);
}

test('an order, its bump and its buyer are counted once, a test order and a redelivery not at all', async () => {
  const bumped = orderEvent(account, course.id, {
    totalCents: 5801,
    customerEmail: 'Ann@Example.com',
    items: [
      { kind: 'main', label: 'Course', amountCents: 4900 },
      { kind: 'bump', label: 'Workbook', amountCents: 901 },
    ],
    paidAt: '2025-12-31T23:59:59.999Z',
  });
  await harness.publish(orderPaid, bumped);
  await harness.publish(orderPaid, bumped);
  await harness.publish(orderPaid, orderEvent(account, course.id, { test: true }));
  await harness.publish(orderPaid, orderEvent(other, foreign.id, { productName: 'Foreign' }));
  await harness.publish(
    orderPaid,
    orderEvent(account, course.id, { customerEmail: 'ann@example.com', paidAt: '2026-02-01T00:00:00.000Z' }),
  );
  await harness.handled();
  const metrics = await request(course.id);
  expect(metrics).toEqual({
    product: { id: course.id, name: 'Course', pricingType: 'onetime', currency: 'usd' },
    summary: {
      revenueCents: 10_701,
      orders: 2,
      aovCents: 5351,
      bumpTakeRate: 0.5,
      upsellTakeRate: 0,
      activeSubscriptions: 0,
      mrrCents: 0,
      refunds: 0,
      refundedCents: 0,
      refundRate: 0,
      views: 0,
      conversionRate: 0,
      customers: 1,
    },
    revenueByMonth: [
      { month: '2025-12', value: 5801 },
      { month: '2026-01', value: 0 },
      { month: '2026-02', value: 4900 },
      { month: '2026-03', value: 0 },
    ],
    mrrByMonth: [],
    churnByMonth: [],
  });
});

test('a subscription raises recurring revenue from its month on', async () => {
  await harness.publish(
    subscriptionStarted,
    subscriptionEvent(account, monthly.id, { startedAt: '2026-01-31T23:00:00.000Z' }),
  );
  await harness.publish(
    subscriptionStarted,
    subscriptionEvent(account, monthly.id, {
      amountCents: 9990,
      billingInterval: 'year',
      startedAt: '2026-03-01T00:00:00.000Z',
    }),
  );
  await harness.publish(subscriptionStarted, subscriptionEvent(account, monthly.id, { test: true }));
  await harness.handled();
  const metrics = await request(monthly.id);
  expect(metrics.summary).toMatchObject({ activeSubscriptions: 2, mrrCents: 1900 + 833, orders: 0, revenueCents: 0 });
  expect(metrics.mrrByMonth).toEqual([
    { month: '2026-01', value: 1900 },
    { month: '2026-02', value: 1900 },
    { month: '2026-03', value: 2733 },
  ]);
  expect(metrics.churnByMonth.map(({ value }) => value)).toEqual([0, 0, 0]);
});

test('views, shown upsells, refunds, lost disputes and cancellations are in the published numbers, and those of rehearsals are not', async () => {
  const productId = newId('product', 0);
  const sell = async (fields: Parameters<typeof orderEvent>[2]) => {
    const event = orderEvent(account, productId, { productName: 'Club', pricingType: 'subscription', ...fields });
    await harness.publish(orderPaid, event);
    return event.data;
  };
  const upsell = { kind: 'upsell', label: 'Coaching', amountCents: 1000 } as const;
  const main = { kind: 'main', label: 'Club', amountCents: 1900 } as const;
  const fromCheckout = { source: 'checkout' as const, totalCents: 1900, items: [main] };
  const refund = async (order: { orderId: string; totalCents: number }, refundNo: number, test = false) => {
    const about = { orderId: order.orderId, totalCents: order.totalCents, refundNo, test };
    await harness.publish(orderRefunded, refundEvent(account, productId, about));
    return about;
  };
  // The first visit comes before any sale and names the product.
  await harness.publish(
    checkoutVisited,
    visitEvent(account, productId, { productName: 'Club', pricingType: 'subscription' }),
  );
  await harness.publish(checkoutVisited, visitEvent(account, productId, { test: true }));
  for (let n = 0; n < 3; n++) await harness.publish(checkoutVisited, visitEvent(account, productId));

  const rehearsal = await sell({ ...fromCheckout, test: true });
  const bought = await sell({ ...fromCheckout, totalCents: 2900, items: [main, upsell], upsellShown: true });
  await sell({ ...fromCheckout, upsellShown: true });
  const kept = await sell({ totalCents: 1900 });
  await refund(rehearsal, 1, true);
  await refund(bought, 1);
  const failed = await refund(kept, 1);
  await harness.publish(orderReopened, reopeningEvent(account, productId, failed));
  const lost = { refundId: 'du_1', disputeId: 'du_1', amountCents: 900 };
  await harness.publish(paymentRefunded, paymentRefundEvent(account, productId, { ...lost, orderId: kept.orderId }));
  const rehearsed = { ...lost, refundId: 'du_2', orderId: rehearsal.orderId, test: true };
  await harness.publish(paymentRefunded, paymentRefundEvent(account, productId, rehearsed));

  const [monthly, yearly] = [
    subscriptionEvent(account, productId, { startedAt: '2026-01-15T12:00:00.000Z' }),
    subscriptionEvent(account, productId, { amountCents: 9990, billingInterval: 'year' }),
  ];
  for (const event of [monthly, yearly]) await harness.publish(subscriptionStarted, event);
  const { subscriptionId, amountCents, billingInterval } = yearly.data;
  const canceled = { subscriptionId, amountCents, billingInterval, mrrCents: 833 };
  await harness.publish(subscriptionCanceled, cancellationEvent(account, productId, { test: true }));
  await harness.publish(subscriptionCanceled, cancellationEvent(account, productId, canceled));

  const summary = {
    revenueCents: 6700,
    orders: 3,
    aovCents: 2233,
    bumpTakeRate: 0,
    upsellTakeRate: 0.5,
    activeSubscriptions: 1,
    mrrCents: 1900,
    refunds: 2,
    refundedCents: 2900 + 900,
    refundRate: 0.6667,
    views: 4,
    conversionRate: 0.5,
    customers: 1,
  };
  await harness.handled();
  const metrics = await request(productId);
  expect(metrics.summary).toEqual(summary);
  expect(metrics).toMatchObject({
    product: { id: productId, name: 'Club', pricingType: 'subscription', currency: 'usd' },
    mrrByMonth: [
      { month: '2026-01', value: 2733 },
      { month: '2026-02', value: 1900 },
      { month: '2026-03', value: 1900 },
    ],
    churnByMonth: [
      { month: '2026-01', value: 0 },
      { month: '2026-02', value: 0.5 },
      { month: '2026-03', value: 0 },
    ],
  });
});

test('renewals are revenue, and only active subscriptions are recurring revenue', async () => {
  const productId = newId('product', 0);
  const about = (test = false) => ({
    subscriptionId: subscriptionEvent(account, productId).data.subscriptionId,
    test,
  });
  const [renewed, late, recovered, paused, resumed, given] = [about(), about(), about(), about(), about(), about()];
  const unpaid = about();
  const test = about(true);
  await harness.publish(
    orderPaid,
    orderEvent(account, productId, { productName: 'Club', pricingType: 'subscription' }),
  );
  for (const subscription of [renewed, late, recovered, paused, resumed, given, unpaid, test]) {
    await harness.publish(subscriptionStarted, subscriptionEvent(account, productId, subscription));
  }
  for (const subscription of [renewed, test])
    await harness.publish(subscriptionRebilled, renewalEvent(account, productId, subscription));
  for (const subscription of [late, recovered, given, unpaid, test])
    await harness.publish(subscriptionPaymentFailed, failedPaymentEvent(account, productId, subscription));
  const retried = { ...recovered, statusBefore: 'past_due', chargedAt: '2026-03-01T00:00:00.000Z' } as const;
  await harness.publish(subscriptionRebilled, renewalEvent(account, productId, retried));
  for (const subscription of [paused, resumed, test])
    await harness.publish(subscriptionPaused, pauseEvent(account, productId, subscription));
  await harness.publish(subscriptionResumed, resumptionEvent(account, productId, resumed));
  // Past due when it was paused, it is past due again.
  await harness.publish(subscriptionPaused, pauseEvent(account, productId, { ...unpaid, statusBefore: 'past_due' }));
  await harness.publish(
    subscriptionResumed,
    resumptionEvent(account, productId, { ...unpaid, statusAfter: 'past_due' }),
  );
  const ended = { ...given, statusBefore: 'past_due', reason: 'payment_failed', sendWebhook: false } as const;
  await harness.publish(subscriptionCanceled, cancellationEvent(account, productId, ended));
  const summary = { activeSubscriptions: 3, mrrCents: 5700, revenueCents: 4900 + 2 * 1900, orders: 1, aovCents: 4900 };
  await harness.handled();
  const metrics = await request(productId);
  expect(metrics).toMatchObject({
    summary,
    revenueByMonth: [{ value: 4900 }, { month: '2026-02', value: 1900 }, { month: '2026-03', value: 1900 }],
    mrrByMonth: [{ value: 7 * 1900 }, { value: 2 * 1900 }, { value: 3 * 1900 }],
  });
  expect(metrics.churnByMonth[1]?.value).toBe(0.1429);
});

test('a product nothing was sold of has zeros', async () => {
  const metrics = await request(unsold.id);
  expect(new Set(Object.values(metrics.summary))).toEqual(new Set([0]));
  expect(metrics.revenueByMonth).toEqual([]);
  expect(metrics.product.currency).toBeNull();
});

test('a draft that becomes a subscription has its monthly numbers', async () => {
  const productId = newId('product', 0);
  await harness.publish(productCreated, creationEvent(account, { productId, name: 'Draft', pricingType: 'onetime' }));
  await harness.publish(productRenamed, {
    ...creationEvent(account, { productId, name: 'Draft', pricingType: 'subscription' }),
    id: newId('event', Date.now() + 1),
  });
  await harness.handled();
  expect((await request(productId)).product).toMatchObject({ name: 'Draft', pricingType: 'subscription' });
});

test('a product that an order or a visit names before its creation arrives is there', async () => {
  const sold = newId('product', 0);
  await harness.publish(orderPaid, orderEvent(account, sold, { productName: 'Sold' }));
  await harness.handled();
  const metrics = await request(sold);
  expect(metrics.product).toEqual({ id: sold, name: 'Sold', pricingType: 'onetime', currency: 'usd' });
});

test('a product made a moment ago is waited for, and one that never was is refused within a second or so', async () => {
  const database = await openDatabase(databaseOptions(harness.databaseUrl));
  const find = (accountId: string, productId: string, waitMs: number) =>
    getProduct({ database, clock: harness.clock }, accountId, productId, waitMs);
  const productId = newId('product', harness.clock.nowMs());
  const found = find(account, productId, 60_000);
  await announced(productAwaited, (awaited) => awaited.productId === productId);
  await harness.publish(productCreated, creationEvent(account, { productId, name: 'New' }));
  expect(await found).toMatchObject({ id: productId, name: 'New' });
  expect(await request(productId)).toMatchObject({ product: { id: productId, name: 'New' }, revenueByMonth: [] });

  const never = newId('product', harness.clock.nowMs());
  await expect(request(never)).rejects.toMatchObject({ code: 'product_not_found' });
  expect(sofar(productAwaited).map((awaited) => awaited.productId)).toContain(never);
  // Another account's new product is no more there than one that never was.
  await expect(find(other, productId, 100)).rejects.toMatchObject({ code: 'product_not_found' });
  await database.close();
});

test('the latest name of a product is shown, in whatever order events come, and orders do not bring back an old one', async () => {
  const productId = newId('product', 0);
  const renamed = (name: string) => ({
    id: newId('event', Date.now()),
    accountId: account,
    data: { productId, name, pricingType: 'subscription' },
  });
  const creation = creationEvent(account, { productId, name: 'First', pricingType: 'subscription' });
  const [second, third] = [renamed('Second'), renamed('Third')];
  await harness.publish(
    orderPaid,
    orderEvent(account, productId, { productName: 'First', pricingType: 'subscription' }),
  );
  await harness.publish(productRenamed, third);
  await harness.handled();
  expect((await request(productId)).product.name).toBe('Third');
  await harness.publish(productRenamed, second);
  await harness.publish(productCreated, creation);
  await harness.publish(productRenamed, {
    ...renamed('Last'),
    data: { ...third.data, productId: course.id, name: 'Last' },
  });
  await harness.publish(
    orderPaid,
    orderEvent(account, productId, { productName: 'First', pricingType: 'subscription' }),
  );
  await harness.handled();
  expect((await request(course.id)).product.name).toBe('Last');
  expect((await request(productId)).summary.orders).toBe(2);
  const shown = { id: productId, name: 'Third', pricingType: 'subscription', currency: 'usd' };
  expect((await request(productId)).product).toEqual(shown);
});

test('an unknown product and another account’s are refused alike', async () => {
  for (const productId of [newId('product', 0), foreign.id, 'nonsense']) {
    await expect(request(productId)).rejects.toMatchObject({ code: 'product_not_found' });
  }
  expect((await request(foreign.id, other)).product.name).toBe('Foreign');
});
