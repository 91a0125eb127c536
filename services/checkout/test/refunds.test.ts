import {
  createOrder,
  orderRefunded,
  orderReopened,
  paymentRefunded,
  paymentReopened,
  refundOrder,
} from '@app/contracts/orders';
import type { RefundedPart } from '@app/contracts/payments';
import { eventsSentBack } from '@app/messaging/points';
import { openDatabase } from '@app/service-kit/database';
import { listen } from '@app/testing/points';
import { untilBlocked } from '@app/testing/poll-system';
import { expect, test } from 'vitest';
import { databaseOptions } from '../src/db/migrate.ts';
import { recordRefund } from '../src/refunds/record-refund.ts';
import { orderColumns, type RefundedOrder, refundColumns } from '../src/refunds/refunded-order.ts';
import { losesReply } from './billing-stand-in.ts';
import { plainCourse, withUpsell } from './checkout-harness.ts';
import { account, context, course, orderBody } from './harness.ts';
import { harness, startService } from './set-up.ts';

startService();

async function paidOrder(): Promise<string> {
  const opened = await harness.open({ email: 'ada@example.com' });
  return (await harness.pay(opened)).orderId as string;
}

const refundEvents = async () => (await harness.events()).filter(({ subject }) => !subject.includes('order.paid'));
/** Those of the order, without its payments'. */
const orderEvents = async () => (await refundEvents()).filter(({ subject }) => subject.includes('.order.'));
const statusOf = async (orderId: string) => (await harness.list()).find(({ id }) => id === orderId)?.status;

test('a refund gives every charge back, is reported once, and requested again answers the same', async () => {
  const opened = await harness.open({ email: 'ada@example.com' });
  const orderId = (await harness.pay(opened)).orderId as string;
  const result = {
    ok: true,
    orderId,
    status: 'refunded',
    refundedCents: 9_900,
    detail: 'The buyer gets $99.00 back.',
    payments: [{ paymentId: expect.any(String), renewal: false, amountCents: 9_900 }],
  };
  expect(await harness.refund(orderId)).toEqual(result);
  expect(await harness.refund(orderId)).toEqual(result);
  expect(harness.billing.refundRequests.map((request) => request.orderId)).toEqual([orderId]);
  const [event, ...more] = await orderEvents();
  expect(more).toEqual([]);
  expect(orderRefunded.data.parse(event?.data)).toMatchObject({
    ...{ orderId, productName: 'Course', totalCents: 9_900, refundedCents: 9_900, refundNo: 1 },
  });
  expect(await statusOf(orderId)).toBe('refunded');
  expect(await harness.get(opened)).toMatchObject({ status: 'refunded', accessUrl: null });
});

test('an order of the seller’s own code is refunded without moving money, and the answer says so', async () => {
  harness.base.products.set('acc_1/course', course);
  const { orderId } = await harness.base.requester.request(createOrder, { body: orderBody(), account }, context());
  const result = await harness.refund(orderId);
  expect(result).toMatchObject({ status: 'refunded', refundedCents: 0 });
  expect(result.detail).toContain('recorded by your own code');
  expect(await harness.refund(orderId)).toEqual(result);
  expect(harness.billing.refundRequests).toEqual([{ orderId, attempt: 1, chargedElsewhere: true }]);
  expect(await orderEvents()).toMatchObject([{ data: { refundedCents: 0, totalCents: 9_900, refundNo: 1 } }]);
});

test('the refund of an order of the seller’s own code says that a renewal of its subscription is under way', async () => {
  harness.base.products.set('acc_1/course', course);
  harness.billing.renewalUnderWay = true;
  const { orderId } = await harness.base.requester.request(createOrder, { body: orderBody(), account }, context());
  const result = await harness.refund(orderId);
  expect(result).toMatchObject({ status: 'refunded', refundedCents: 0, renewalUnderWay: true });
  expect(result.detail).toContain('A renewal of its subscription is under way');
  expect(await statusOf(orderId)).toBe('refunded');
});

test('an order whose card is only held, another account’s and an unknown one are not refunded', async () => {
  harness.shop.set('acc_1/course', withUpsell);
  const orderId = await paidOrder();
  await expect(harness.refund(orderId)).rejects.toMatchObject({ code: 'invalid_transition' });
  await expect(harness.refund(orderId, 'acc_2')).rejects.toMatchObject({ code: 'order_not_found' });
  await expect(harness.refund('ord_1')).rejects.toMatchObject({ code: 'order_not_found' });
  expect(await harness.query('select 1 from refunds')).toEqual([]);
});

test('a refund that the processor has not answered is finished by its event, also when that comes twice', async () => {
  harness.billing.refundStatus = 'processing';
  const orderId = await paidOrder();
  expect(await harness.refund(orderId)).not.toHaveProperty('renewalUnderWay');
  harness.billing.renewalUnderWay = true;
  expect(await harness.refund(orderId)).toMatchObject({
    status: 'processing',
    refundedCents: 0,
    renewalUnderWay: true,
  });
  expect(await statusOf(orderId)).toBe('paid');
  await harness.billing.publishRefunded(orderId);
  await harness.billing.publishRefunded(orderId);
  await harness.billing.handled();
  expect(await statusOf(orderId)).toBe('refunded');
  expect(await orderEvents()).toHaveLength(1);
  expect(await harness.refund(orderId)).toMatchObject({ status: 'refunded', refundedCents: 9_900 });
});

test('a refused refund leaves the order paid and says why; a later one tries again under the same number', async () => {
  harness.billing.refundStatus = 'failed';
  const orderId = await paidOrder();
  const message =
    'The processor refused the refund of $99.00, and nothing was given back. It said: The account has no balance. ' +
    'Refund the order again to try once more.';
  await expect(harness.refund(orderId)).rejects.toMatchObject({ code: 'refund_failed', message });
  expect(await statusOf(orderId)).toBe('paid');
  expect(await harness.query('select refunded_cents from refunds')).toEqual([{ refunded_cents: '0' }]);
  harness.billing.refundStatus = 'refunded';
  expect(await harness.refund(orderId)).toMatchObject({ status: 'refunded' });
  expect(await orderEvents()).toMatchObject([{ data: { refundNo: 1 } }]);
});

test('a refund of which a part was refused says how much was given back, of how much, and what to do', async () => {
  harness.billing.refundStatus = 'failed';
  harness.billing.refundedBefore = 4_900;
  const orderId = await paidOrder();
  const message =
    '$49.00 of $99.00 was given back; the processor refused the other $50.00. It said: The account has no balance. ' +
    'The order counts as paid. Refund it again to try the rest once more: nothing is given back twice.';
  const refused = '$50.00 of this payment did not go back. It said: The account has no balance.';
  await expect(harness.refund(orderId)).rejects.toMatchObject({
    ...{ code: 'refund_failed', message },
    errors: [{ field: expect.stringMatching(/^payments\.pmt_/), code: 'refund_failed', message: refused }],
  });
  expect(await statusOf(orderId)).toBe('paid');
  expect(await harness.query('select status, refunded_cents, detail from refunds')).toEqual([
    { status: 'failed', refunded_cents: '4900', detail: message },
  ]);
});

test('an order whose payment billing does not know is not called refunded', async () => {
  harness.billing.refundsNothing = true;
  const orderId = await paidOrder();
  await expect(harness.refund(orderId)).rejects.toMatchObject({
    code: 'refund_failed',
    message: expect.stringContaining('No payment of this order is recorded'),
  });
  expect(await statusOf(orderId)).toBe('paid');
  expect(await orderEvents()).toEqual([]);
});

test('the refund of a rehearsal says that no money moves', async () => {
  const opened = await harness.open({ email: 'ada@example.com' }, { testMode: true });
  const orderId = (await harness.pay(opened)).orderId as string;
  const result = await harness.refund(orderId);
  expect(result).toMatchObject({ status: 'refunded', refundedCents: 9_900 });
  expect(result.detail).toBe('The order was a rehearsal: no money was taken, so none is given back.');
  expect(await harness.refund(orderId)).toEqual(result);
});

test('money that was given back refunds the order although a slower reply had called the refund refused', async () => {
  harness.billing.refundStatus = 'failed';
  const orderId = await paidOrder();
  await expect(harness.refund(orderId)).rejects.toMatchObject({ code: 'refund_failed' });
  // Another request of the seller succeeded at billing; its own reply is lost, or came before the refusal.
  await harness.billing.publishRefunded(orderId);
  await harness.billing.publishRefunded(orderId);
  await harness.billing.handled();
  expect(await statusOf(orderId)).toBe('refunded');
  expect(await orderEvents()).toMatchObject([{ data: { refundNo: 1, refundedCents: 9_900 } }]);
});

test('a refund that fails afterwards makes the order paid again, once; the next one has the next number', async () => {
  const opened = await harness.open({ email: 'ada@example.com' });
  const orderId = (await harness.pay(opened)).orderId as string;
  await harness.refund(orderId);
  await harness.billing.publishRefundFailed(orderId);
  await harness.billing.publishRefundFailed(orderId);
  await harness.billing.handled();
  expect(await statusOf(orderId)).toBe('paid');
  expect(await harness.get(opened)).toMatchObject({ status: 'paid' });
  const [, reopened, ...more] = await orderEvents();
  expect(more).toEqual([]);
  expect(orderReopened.data.parse(reopened?.data)).toMatchObject({ orderId, refundNo: 1 });
  expect(await harness.refund(orderId)).toMatchObject({ status: 'refunded' });
  expect((await orderEvents()).map(({ subject, data }) => [subject, data.refundNo])).toEqual([
    [orderRefunded.subject, 1],
    [orderReopened.subject, 1],
    [orderRefunded.subject, 2],
  ]);
});

test('a failure of an earlier refund that arrives after a newer refund was done does not reopen the order', async () => {
  const orderId = await paidOrder();
  await harness.refund(orderId);
  const failedAt = new Date(harness.base.clock.nowMs());
  await harness.billing.publishRefundFailed(orderId, failedAt);
  await harness.billing.handled();
  harness.base.clock.advance(3_600_000);
  expect(await harness.refund(orderId)).toMatchObject({ status: 'refunded' });
  await harness.billing.publishRefundFailed(orderId, failedAt, harness.billing.refundIdOf(orderId, 1));
  await harness.billing.handled();
  expect(await statusOf(orderId)).toBe('refunded');
  expect(await orderEvents()).toHaveLength(3);
  // One of the newer refund does.
  await harness.billing.publishRefundFailed(orderId, new Date(harness.base.clock.nowMs() + 1_000));
  await harness.billing.handled();
  expect(await statusOf(orderId)).toBe('paid');
});

test('what billing said of a refund before it failed is void, although it comes after it', async () => {
  harness.billing.refundStatus = 'processing';
  const orderId = await paidOrder();
  await harness.refund(orderId);
  const refundedAt = new Date('2026-03-01T12:00:00.000Z');
  await harness.billing.publishRefundFailed(orderId, new Date('2026-03-01T13:00:00.000Z'));
  await harness.billing.handled();
  await harness.billing.publishRefunded(orderId, refundedAt);
  await harness.billing.handled();
  expect(await statusOf(orderId)).toBe('paid');
  expect(await orderEvents()).toEqual([]);
});

test('twenty refunds at once are one refund, and each is answered the same', async () => {
  const orderId = await paidOrder();
  const results = await Promise.all(Array.from({ length: 20 }, () => harness.refund(orderId)));
  expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
  expect(await harness.query('select 1 from refunds')).toHaveLength(1);
  expect(await orderEvents()).toHaveLength(1);
});

test('a refund locks its order first, as the consumer does, so that the two never wait in a circle', async () => {
  harness.billing.refundStatus = 'processing';
  const orderId = await paidOrder();
  await harness.refund(orderId);
  const database = await openDatabase(databaseOptions(harness.base.database.url));
  const client = await database.pool.connect();
  try {
    const { rows } = await client.query<RefundedOrder>(
      `select ${orderColumns}, ${refundColumns} from orders as o join refunds as r on r.order_id = o.id`,
    );
    await client.query('begin');
    await client.query('select id from orders where id = $1 for update', [orderId]);
    const source = { requestId: 'r', nowMs: Date.now() };
    const recorded = recordRefund(database.pool, rows[0] as RefundedOrder, 9_900, source);
    await untilBlocked(database.pool);
    expect(await harness.query('select status from refunds for update nowait')).toEqual([{ status: 'requested' }]);
    await client.query('commit');
    expect(await recorded).toBe(true);
  } finally {
    client.release();
    await database.close();
  }
});

const part = (refundId: string, amountCents: number, renewal?: number): RefundedPart => ({
  ...{ refundId, amountCents, paymentId: `pmt_${renewal ?? 'main'}`, chargedCents: 9_900 },
  ...{ subscriptionId: renewal === undefined ? null : 'sub_1', period: renewal ?? null },
  refundedAt: new Date(harness.base.clock.nowMs()).toISOString(),
});
const orderOf = async (orderId: string) => (await harness.list()).find(({ id }) => id === orderId);

test('a part that went back leaves the order paid and shows, and the last part refunds it, each with an event', async () => {
  const orderId = await paidOrder();
  await harness.billing.publishPart(orderId, part('r1', 4_000));
  await harness.billing.publishPart(orderId, part('r1', 4_000));
  await harness.billing.publishPart(orderId, part('r2', 900, 2));
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 4_000 });
  harness.billing.refundParts = [part('r1', 4_000), part('r3', 5_900), part('r2', 900, 2)];
  await harness.billing.publishRefunded(orderId);
  await harness.billing.publishPart(orderId, part('r3', 5_900));
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'refunded', refunded_cents: 9_900 });
  const events = await refundEvents();
  expect(events.map(({ subject }) => subject)).toEqual([
    ...[paymentRefunded, paymentRefunded, paymentRefunded, orderRefunded].map(({ subject }) => subject),
  ]);
  expect(events.slice(0, 3).map(({ data }) => paymentRefunded.data.parse(data))).toMatchObject([
    { refundId: 'r1', amountCents: 4_000, isFirst: true, part: { refundedCents: 4_000, ofCents: 9_900 } },
    { refundId: 'r2', subscriptionId: 'sub_1', period: 2, isFirst: false, part: { refundedCents: 900 } },
    { refundId: 'r3', paymentId: 'pmt_main', productName: 'Course', isFirst: false, part: { refundedCents: 9_900 } },
  ]);
  expect(events[3]?.data).toMatchObject({ refundNo: 1, refundedCents: 9_900, counted: { orders: 0, cents: 0 } });
  expect(await harness.refund(orderId)).toMatchObject({
    ...{ status: 'refunded', refundedCents: 9_900 },
    payments: [
      { paymentId: 'pmt_main', renewal: false, amountCents: 9_900 },
      { paymentId: 'pmt_2', renewal: true, amountCents: 900 },
    ],
  });
});

test('a payment that goes back says whether all of its order was to, and a renewal never', async () => {
  const orderId = await paidOrder();
  await harness.billing.publishPart(orderId, part('r1', 1_000));
  await harness.billing.handled();
  harness.billing.refundStatus = 'processing';
  await harness.refund(orderId);
  await harness.billing.publishPart(orderId, part('r2', 4_000));
  await harness.billing.publishPart(orderId, part('r3', 900, 2));
  await harness.billing.handled();
  const refunds = (await refundEvents()).map(({ data }) => paymentRefunded.data.parse(data));
  expect(refunds.map(({ refundId, ofWholeOrder }) => [refundId, ofWholeOrder])).toEqual([
    ['r1', undefined],
    ['r2', true],
    ['r3', undefined],
  ]);
});

test('what went back of a captured hold is recorded although it comes before the end of the hold', async () => {
  harness.shop.set('acc_1/course', withUpsell);
  const orderId = await paidOrder();
  harness.billing.settle(orderId, 'declined');
  const from = listen();
  harness.billing.refundParts = [part('r1', 9_900)];
  await harness.billing.publishPart(orderId, part('r1', 9_900));
  await harness.billing.publishRefunded(orderId);
  await from.announced(eventsSentBack);
  await harness.billing.publishSettled(orderId);
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'refunded', refunded_cents: 9_900 });
});

test('a refunded free order is no refund in numbers', async () => {
  harness.shop.set('acc_1/course', { ...plainCourse, priceCents: 0 });
  const orderId = await paidOrder();
  await harness.refund(orderId);
  expect(await statusOf(orderId)).toBe('refunded');
  expect((await orderEvents()).map(({ data }) => data.counted)).toEqual([{ orders: 0, cents: 0 }]);
});

test('a part whose refund fails afterwards, also before it is known, is no more shown and is taken back once', async () => {
  const orderId = await paidOrder();
  await harness.billing.publishRefundFailed(orderId, new Date(), 'r1');
  await harness.billing.handled();
  await harness.billing.publishPart(orderId, part('r1', 4_000));
  await harness.billing.publishPart(orderId, part('r2', 3_000));
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 3_000 });
  await harness.billing.publishRefundFailed(orderId, new Date(), 'r2');
  await harness.billing.publishRefundFailed(orderId, new Date(), 'r2');
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 0 });
  expect(
    (await refundEvents()).map(({ subject, data }) => [subject, data.refundId, data.isFirst ?? data.wasLast]),
  ).toEqual([
    [paymentRefunded.subject, 'r2', true],
    [paymentReopened.subject, 'r2', true],
  ]);
});

test('an order refunded by its payments that is reopened counts no more, and may be refunded under the next number', async () => {
  const orderId = await paidOrder();
  harness.billing.refundParts = [part('r1', 9_900)];
  await harness.refund(orderId);
  harness.base.clock.advance(1_000);
  await harness.billing.publishRefundFailed(orderId, new Date(harness.base.clock.nowMs()), 'r1');
  await harness.billing.handled();
  harness.base.clock.advance(1_000);
  // The seller refunds the payment, not the order.
  harness.billing.refundParts = [part('r2', 9_900)];
  await harness.billing.publishRefunded(orderId, new Date(harness.base.clock.nowMs()));
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'refunded' });
  expect((await refundEvents()).map(({ subject, data }) => [subject, data.refundNo, data.counted])).toEqual([
    [paymentRefunded.subject, undefined, undefined],
    [orderRefunded.subject, 1, { orders: 0, cents: 0 }],
    [paymentReopened.subject, undefined, undefined],
    [orderReopened.subject, 1, { orders: 1, cents: 0 }],
    [paymentRefunded.subject, undefined, undefined],
    [orderRefunded.subject, 2, { orders: 0, cents: 0 }],
  ]);
});

test('renewals are refunded only where that is requested, also of an order that was refunded before', async () => {
  const orderId = await paidOrder();
  harness.billing.refundParts = [part('r1', 9_900)];
  await harness.refund(orderId);
  harness.billing.refundParts = [part('r1', 9_900), part('r2', 1_900, 2)];
  const requested = { orderId, body: { renewals: true } };
  expect(await harness.base.requester.request(refundOrder, requested, context())).toMatchObject({
    payments: [{ amountCents: 9_900 }, { renewal: true, amountCents: 1_900 }],
  });
  expect(harness.billing.refundRequests).toEqual([
    { orderId, attempt: 1 },
    { orderId, renewals: true },
  ]);
  expect((await refundEvents()).map(({ subject }) => subject)).toEqual(
    [paymentRefunded, orderRefunded, paymentRefunded].map(({ subject }) => subject),
  );
});

test('renewals that are requested while the refund without them is under way are refunded too', async () => {
  harness.billing.refundStatus = 'processing';
  const orderId = await paidOrder();
  expect(await harness.refund(orderId)).toMatchObject({ status: 'processing' });
  harness.billing.refundStatus = 'refunded';
  const requested = { orderId, body: { renewals: true } };
  await harness.base.requester.request(refundOrder, requested, context());
  expect(harness.billing.refundRequests).toEqual([
    { orderId, attempt: 1 },
    { orderId, attempt: 2, renewals: true },
  ]);
});

test('the sweep repeats a request under its number, so that what the processor refused is not sent again', async () => {
  harness.billing.refundStatus = 'failed';
  const orderId = await paidOrder();
  await expect(harness.refund(orderId)).rejects.toMatchObject({ code: 'refund_failed' });
  harness.billing.beforeRefund = losesReply;
  expect(await harness.refund(orderId)).toMatchObject({ status: 'processing' });
  await harness.base.stopServices();
  harness.billing.beforeRefund = async () => undefined;
  harness.base.clock.advance(61_000);
  await harness.base.startAndSweep();
  expect(harness.billing.refundRequests.map(({ attempt }) => attempt)).toEqual([1, 2, 2]);
  expect(await statusOf(orderId)).toBe('paid');
});

test('a refund whose process died before billing answered goes on in the next process', async () => {
  harness.billing.beforeRefund = losesReply;
  const orderId = await paidOrder();
  expect(await harness.refund(orderId)).toMatchObject({ status: 'processing' });
  await harness.base.stopServices();
  harness.billing.beforeRefund = async () => undefined;
  harness.base.clock.advance(61_000);
  await harness.base.startAndSweep();
  expect(await statusOf(orderId)).toBe('refunded');
  expect(await orderEvents()).toHaveLength(1);
});

const refundOf = (orderId: string, expectedCents: number) =>
  harness.base.requester.request(refundOrder, { orderId, body: { expectedCents } }, context());

test('a refund of another amount than the caller was shown ends, and one of the amount that there is goes on', async () => {
  const orderId = await paidOrder();
  await expect(refundOf(orderId, 5_000)).rejects.toMatchObject({ code: 'amount_changed' });
  expect(await statusOf(orderId)).toBe('paid');
  expect(await refundOf(orderId, 9_900)).toMatchObject({ status: 'refunded' });
  expect(harness.billing.refundRequests).toEqual([
    { orderId, attempt: 1, expectedCents: 5_000 },
    { orderId, attempt: 2, expectedCents: 9_900 },
  ]);
});

test('a refund whose process died before billing compared the amount goes on with the amount that was shown', async () => {
  harness.billing.beforeRefund = losesReply;
  const orderId = await paidOrder();
  expect(await refundOf(orderId, 5_000)).toMatchObject({ status: 'processing' });
  await harness.base.stopServices();
  harness.billing.beforeRefund = async () => undefined;
  harness.base.clock.advance(61_000);
  await harness.base.startAndSweep();
  expect(harness.billing.refundRequests.at(-1)).toEqual({ orderId, attempt: 1, expectedCents: 5_000 });
  expect(await statusOf(orderId)).toBe('paid');
  expect(await harness.query('select status, detail from refunds')).toEqual([
    { status: 'failed', detail: '9900 would go back now.' },
  ]);
});
