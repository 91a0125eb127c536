import { orderRefunded, orderReopened, upsellAccepted } from '@app/contracts/orders';
import { paymentNoticed } from '@app/contracts/payments';
import { subscriptionCanceled } from '@app/contracts/subscriptions';
import { listActivity } from '@app/contracts/webhook-deliveries';
import {
  orderRefundedPayload,
  subscriptionCanceledPayload,
  upsellAcceptedPayload,
} from '@app/contracts/webhook-payloads';
import type { ReceivedRequest } from '@app/testing/http-receiver';
import { expect, test } from 'vitest';
import { handled } from './harness.ts';
import { eventTime as at, connectedAccount, soldProduct, soldSubscription } from './orders.ts';
import { harness, startService } from './set-up.ts';

startService();

const counted = { orders: 1, cents: 14_800 };
const times = { paidAt: at, refundedAt: at };
const refund = { ...soldProduct, totalCents: 14_800, refundedCents: 14_800, refundNo: 1, counted, ...times };
const upsell = { ...soldProduct, headline: 'Coaching', amountCents: 9_900, acceptedAt: at };
const cancellation = {
  ...soldSubscription,
  ...({ statusBefore: 'active', reason: 'seller', sendWebhook: true } as const),
  canceledAt: at,
};
const reopening = {
  ...soldProduct,
  totalCents: 14_800,
  refundNo: 1,
  counted,
  detail: 'the card is closed',
  paidAt: at,
  reopenedAt: at,
};

/** Recent activity, which has these entries and no others. */
async function entries(account: string, count: number) {
  const { data } = await harness.request(listActivity, account, {});
  expect(data).toHaveLength(count);
  return listActivity.output.parse({ data }).data;
}

const byName = (requests: readonly ReceivedRequest[]) =>
  new Map(requests.map((request) => [request.headers['x-service-event'], request]));

test('a refund, an accepted upsell and a canceled subscription each arrive once, with the published payload, and are in Recent activity', async () => {
  const { account, receiver, tried } = await connectedAccount(harness);
  const ids = [
    await harness.publish(orderRefunded, account, refund),
    await harness.publish(upsellAccepted, account, upsell),
    await harness.publish(subscriptionCanceled, account, cancellation),
  ];
  await tried(3);
  const activity = await entries(account, 3);
  expect(receiver.requests).toHaveLength(3);
  const received = byName(receiver.requests);
  const bodyOf = (name: string) => JSON.parse(received.get(name)?.body ?? '{}');
  const sentAt = harness.clock.now().toISOString();
  expect(orderRefundedPayload.parse(bodyOf('order.refunded'))).toMatchObject({ totalCents: 14_800, sentAt });
  expect(upsellAcceptedPayload.parse(bodyOf('upsell.accepted'))).toMatchObject({ upsell: 'Coaching', sentAt });
  expect(subscriptionCanceledPayload.parse(bodyOf('subscription.canceled'))).toMatchObject({ mrrCents: 4_900, sentAt });
  for (const { headers } of receiver.requests) expect(headers).not.toHaveProperty('x-service-test');
  expect(activity.map(({ event, event_id }) => [event, event_id]).sort()).toEqual(
    [
      ['order.refunded', ids[0]],
      ['upsell.accepted', ids[1]],
      ['subscription.canceled', ids[2]],
    ].sort(),
  );
  for (const entry of activity) {
    expect(entry).toMatchObject({ status: 'delivered', attempt: 1, order_id: soldProduct.orderId, test: false });
  }
});

test('events of a rehearsal are marked as such', async () => {
  const { account, receiver, tried } = await connectedAccount(harness);
  await harness.publish(orderRefunded, account, { ...refund, test: true });
  await harness.publish(upsellAccepted, account, { ...upsell, test: true });
  await harness.publish(subscriptionCanceled, account, { ...cancellation, test: true });
  await tried(3);
  expect((await entries(account, 3)).map((entry) => entry.test)).toEqual([true, true, true]);
  expect(receiver.requests.map((request) => request.headers['x-service-test'])).toEqual(['1', '1', '1']);
});

test('what the seller has to know of a payment is a notice, and a refund that failed afterwards a webhook too', async () => {
  const { account, receiver, tried } = await connectedAccount(harness);
  const noticed = {
    orderId: soldProduct.orderId,
    summary: 'The hold was not captured.\nIt is tried again.',
    test: false,
  };
  await handled(await harness.publish(paymentNoticed, account, noticed));
  await harness.publish(orderReopened, account, { ...reopening, test: true });
  await tried(1);
  const notices = (await entries(account, 3)).filter(({ kind }) => kind === 'notice');
  const notice = notices.find(({ test: rehearsed }) => !rehearsed);
  const reopened = notices.find(({ test: rehearsed }) => rehearsed);
  expect(notice).toMatchObject({
    kind: 'notice',
    order_id: soldProduct.orderId,
    test: false,
    summary: 'The hold was not captured. It is tried again.',
  });
  expect(reopened).toMatchObject({ kind: 'notice', order_id: soldProduct.orderId, test: true });
  expect(reopened?.summary).toMatch(/^The refund failed .*"the card is closed".*Refund it once more/);
  await harness.publish(orderRefunded, account, refund);
  await tried(2);
  const names = receiver.requests.map((request) => request.headers['x-service-event']);
  expect(names.toSorted()).toEqual(['order.refunded', 'order.reopened']);
  const body = receiver.requests[names.indexOf('order.reopened')]?.body ?? '';
  expect(JSON.parse(body)).toMatchObject({ orderId: soldProduct.orderId, reason: 'the card is closed' });
});
