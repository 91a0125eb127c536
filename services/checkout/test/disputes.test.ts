import { disputeClosed, disputeOpened } from '@app/contracts/disputes';
import { paymentRefunded, paymentReopened, refundOrder } from '@app/contracts/orders';
import { expect, test } from 'vitest';
import { context } from './harness.ts';
import { harness, startService } from './set-up.ts';

startService();

const closedAt = '2026-04-20T08:00:00.000Z';
const lost = (amountCents: number, period: number | null = null) => ({
  end: { outcome: 'lost' as const, closedAt },
  givenBack: {
    ...{ refundId: 'du_1', paymentId: 'pmt_1', amountCents, chargedCents: period === null ? 9_900 : 1_900 },
    ...{ subscriptionId: period === null ? null : 'sub_1', period, refundedAt: closedAt },
  },
});

async function paidOrder(): Promise<string> {
  const opened = await harness.open({ email: 'ada@example.com' });
  return (await harness.pay(opened)).orderId as string;
}
const orderOf = async (orderId: string) => (await harness.list()).find(({ id }) => id === orderId);
const events = async () =>
  (await harness.events()).filter(({ subject }) => subject.includes('dispute') || subject.includes('refunded'));
const about = { productName: 'Course', customerEmail: 'ada@example.com', disputeId: 'du_1', reason: 'fraudulent' };

test('opening and end of a dispute are events with the order’s facts, and a won one changes nothing of the order', async () => {
  const orderId = await paidOrder();
  await harness.billing.publishDispute(orderId);
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', dispute: 'open' });
  await harness.billing.publishDispute(orderId, { end: { outcome: 'won', closedAt } });
  await harness.billing.handled();
  const [opened, closed, ...more] = await events();
  expect(more).toEqual([]);
  expect(opened?.subject).toBe(disputeOpened.subject);
  expect(disputeOpened.data.strict().parse(opened?.data)).toMatchObject({ ...about, orderId, amountCents: 9_900 });
  expect(closed?.subject).toBe(disputeClosed.subject);
  expect(disputeClosed.data.strict().parse(closed?.data)).toMatchObject({ ...about, outcome: 'won', closedAt });
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 0, dispute: null });
});

test('a lost one counts as money given back, once, in whatever order its events come, and the order stays paid', async () => {
  const orderId = await paidOrder();
  await harness.billing.publishDispute(orderId, lost(9_900));
  await harness.billing.publishDispute(orderId);
  await harness.billing.publishDispute(orderId, lost(9_900));
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 9_900, dispute: 'lost' });
  const back = (await events()).filter(({ subject }) => subject === paymentRefunded.subject);
  expect(back.map(({ data }) => paymentRefunded.data.strict().parse(data))).toMatchObject([
    {
      ...{ refundId: 'du_1', disputeId: 'du_1', amountCents: 9_900, isFirst: true, changeNo: 1 },
      part: { refundedCents: 9_900, ofCents: 9_900 },
    },
  ]);
});

test('of an order that was refunded in part the lost amount alone is added, and of a renewal nothing of the order', async () => {
  const orderId = await paidOrder();
  const part = { refundId: 'r1', paymentId: 'pmt_1', amountCents: 900, chargedCents: 9_900, subscriptionId: null };
  await harness.billing.publishPart(orderId, { ...part, period: null, refundedAt: closedAt });
  // Each kind of event has a consumer of its own: what comes of the next may else be first.
  await harness.billing.handled();
  await harness.billing.publishDispute(orderId, lost(4_000));
  await harness.billing.publishDispute(orderId, {
    ...{ disputeId: 'du_2', paymentId: 'pmt_2', subscriptionId: 'sub_1', amountCents: 1_900, ...lost(1_900, 2) },
    givenBack: { ...lost(1_900, 2).givenBack, refundId: 'du_2', paymentId: 'pmt_2' },
  });
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 4_900 });
  const back = (await events()).filter(({ subject }) => subject === paymentRefunded.subject);
  expect(back.map(({ data }) => [data.disputeId, data.amountCents, data.part])).toEqual([
    [undefined, 900, { refundedCents: 900, ofCents: 9_900 }],
    ['du_1', 4_000, { refundedCents: 4_900, ofCents: 9_900 }],
    ['du_2', 1_900, { refundedCents: 1_900, ofCents: 1_900 }],
  ]);
});

const reversed = (amountCents: number) => ({
  ...{ end: { outcome: 'won' as const, closedAt }, givenBack: null, takenBack: { amountCents } },
});

test.each(['first', 'last'] as const)(
  'a lost one that the bank reverses is won, and its money the seller’s again: its event comes %s',
  async (when) => {
    const orderId = await paidOrder();
    const both = [lost(9_900), reversed(9_900)];
    for (const end of when === 'first' ? both.toReversed() : both) await harness.billing.publishDispute(orderId, end);
    await harness.billing.handled();
    expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 0, dispute: null });
    const money = (await harness.events()).filter(({ data }) => data.refundId !== undefined);
    const [refunded, reopened, ...more] = money.map(({ subject, data }) => [subject, data.amountCents, data.wasLast]);
    expect(more).toEqual([]);
    const expected = [
      [paymentRefunded.subject, 9_900, undefined],
      [paymentReopened.subject, 9_900, true],
    ];
    expect([refunded, reopened]).toEqual(when === 'first' ? [undefined, undefined] : expected);
    expect((await events()).filter(({ subject }) => subject === disputeClosed.subject)).toHaveLength(2);
  },
);

test('an order that a lost dispute and refunds gave back is paid again once the bank reverses the dispute', async () => {
  const orderId = await paidOrder();
  await harness.billing.publishDispute(orderId, lost(4_000));
  await harness.billing.handled();
  const refund = { refundId: 'r1', paymentId: 'pmt_1', amountCents: 5_900, chargedCents: 9_900, subscriptionId: null };
  harness.billing.refundParts = [{ ...refund, period: null, refundedAt: closedAt }];
  await harness.refund(orderId);
  expect(await orderOf(orderId)).toMatchObject({ status: 'refunded', refunded_cents: 9_900 });
  await harness.billing.publishDispute(orderId, reversed(4_000));
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 5_900, dispute: null });
});

test('a refund that hid a loss and fails reopens the order, and what the dispute took counts instead, once', async () => {
  const orderId = await paidOrder();
  const refund = { refundId: 'r1', paymentId: 'pmt_1', amountCents: 9_900, chargedCents: 9_900, subscriptionId: null };
  harness.billing.refundParts = [{ ...refund, period: null, refundedAt: closedAt }];
  await harness.refund(orderId);
  // Nothing was left of the payment: the end of the dispute gives nothing back.
  await harness.billing.publishDispute(orderId, { ...lost(9_900), givenBack: null });
  const givenBack = { ...lost(9_900).givenBack, refundId: 'du_1/r1' };
  for (const _ of [1, 2]) {
    await harness.billing.publishRefundFailed(orderId, new Date(), 'r1', { disputeId: 'du_1', givenBack });
  }
  await harness.billing.handled();
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 9_900 });
  const money = (await harness.events()).filter(({ data }) => data.refundId !== undefined);
  expect(
    money.map(({ subject, data }) => [subject, data.refundId, data.disputeId, data.isFirst ?? data.wasLast]),
  ).toEqual([
    [paymentRefunded.subject, 'r1', undefined, true],
    // The order's own event takes it off the count.
    [paymentReopened.subject, 'r1', undefined, false],
    [paymentRefunded.subject, 'du_1/r1', 'du_1', true],
  ]);
});

test('a refund of disputed money is refused with that reason, and the order stays paid', async () => {
  const orderId = await paidOrder();
  const detail = 'The buyer’s bank disputes this payment (fraudulent), so it cannot be refunded.';
  harness.billing.refundStatus = 'failed';
  harness.billing.refundDisputed = detail;
  const refund = harness.base.requester.request(refundOrder, { orderId }, context());
  await expect(refund).rejects.toMatchObject({
    ...{ code: 'payment_disputed', message: detail },
    errors: [{ field: expect.stringMatching(/^payments\.pmt_/), code: 'payment_disputed' }],
  });
  expect(await orderOf(orderId)).toMatchObject({ status: 'paid', refunded_cents: 0 });
});
