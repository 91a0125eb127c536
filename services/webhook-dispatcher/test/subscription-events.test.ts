import { affiliatePaid } from '@app/contracts/affiliates';
import { paymentsLimited } from '@app/contracts/checkouts';
import { dailyRunNoticed } from '@app/contracts/daily-runs';
import { orderNoticed } from '@app/contracts/orders';
import { reminderNoticed } from '@app/contracts/reminders';
import * as events from '@app/contracts/subscriptions';
import { listActivity } from '@app/contracts/webhook-deliveries';
import * as payloads from '@app/contracts/webhook-payloads';
import { expect, test } from 'vitest';
import { handled } from './harness.ts';
import { eventTime as at, connectedAccount, soldSubscription } from './orders.ts';
import { harness, startService } from './set-up.ts';

startService();

const renewal = {
  ...soldSubscription,
  paymentId: 'pmt_01kex0000000000000000000aa',
  period: 2,
  attempt: 1,
  statusBefore: 'active' as const,
};
const rebilled = {
  ...renewal,
  ...{ periodStart: at, periodEnd: '2026-02-15T11:00:00.000Z', statusAfter: 'active' as const, chargedAt: at },
  affiliateNamed: true,
};
const failed = {
  ...renewal,
  ...{ nextTryDays: 3, statusAfter: 'past_due' as const, reason: 'card_declined', failedAt: at },
};
const ended = {
  ...soldSubscription,
  statusBefore: 'past_due' as const,
  reason: 'payment_failed' as const,
  canceledAt: at,
};
const payout = {
  ...{ payoutId: 'pay_01kex0000000000000000000aa', affiliateCode: 'PAL', affiliateName: 'Sophie' },
  ...{ affiliateEmail: 'sophie@example.com', amountCents: 4_200, currency: 'eur', commissionCount: 3, paidAt: at },
};

/** Recent activity, which has these entries and no others. */
async function entries(account: string, count: number) {
  const { data } = await harness.request(listActivity, account, {});
  expect(data).toHaveLength(count);
  return listActivity.output.parse({ data }).data;
}

test('each event of a subscription, and a payout, arrives once under its published name with the published payload', async () => {
  const { account, receiver, tried } = await connectedAccount(harness);
  await harness.publish(events.subscriptionRebilled, account, rebilled);
  await harness.publish(events.subscriptionPaymentFailed, account, failed);
  await harness.publish(events.subscriptionPaused, account, {
    ...soldSubscription,
    statusBefore: 'active',
    pausedAt: at,
  });
  await harness.publish(events.subscriptionResumed, account, {
    ...soldSubscription,
    statusAfter: 'active' as const,
    nextChargeAt: at,
    resumedAt: at,
  });
  await harness.publish(affiliatePaid, account, payout);
  await tried(5);
  const activity = await entries(account, 5);
  const sentAt = harness.clock.now().toISOString();
  const shapes = {
    'subscription.rebilled': payloads.subscriptionRebilledPayload,
    'subscription.payment_failed': payloads.subscriptionPaymentFailedPayload,
    'subscription.paused': payloads.subscriptionPausedPayload,
    'subscription.resumed': payloads.subscriptionResumedPayload,
    'affiliate.paid': payloads.affiliatePaidPayload,
  };
  expect(receiver.requests.map(({ headers }) => headers['x-service-event']).toSorted()).toEqual(
    Object.keys(shapes).toSorted(),
  );
  for (const { headers, body } of receiver.requests) {
    const name = headers['x-service-event'] as keyof typeof shapes;
    expect(shapes[name].parse(JSON.parse(body))).toMatchObject({ event: name, sentAt });
    expect(headers).toMatchObject({
      'webhook-id': expect.stringMatching(/^evt_/),
      'webhook-timestamp': expect.stringMatching(/^\d+$/),
      'webhook-signature': expect.stringMatching(/^v1,/),
    });
    expect(headers).not.toHaveProperty('x-service-test');
  }
  for (const { event, order_id } of activity)
    expect([event, order_id]).toEqual([event, event === 'affiliate.paid' ? null : soldSubscription.orderId]);
});

test('a cancellation after the last attempt is sent where the account wants it, and a seller’s own always', async () => {
  const { account, receiver, tried } = await connectedAccount(harness);
  await handled(await harness.publish(events.subscriptionCanceled, account, { ...ended, sendWebhook: false }));
  const wanted = await harness.publish(events.subscriptionCanceled, account, { ...ended, sendWebhook: true });
  const sellers = await harness.publish(events.subscriptionCanceled, account, {
    ...ended,
    reason: 'seller',
    sendWebhook: true,
  });
  await tried(2);
  expect((await entries(account, 2)).map(({ event_id }) => event_id).toSorted()).toEqual([wanted, sellers].toSorted());
  expect(receiver.requests).toHaveLength(2);
});

test('events of a rehearsal’s subscription are marked as such, and have its time in what is sent alone', async () => {
  const { account, receiver, tried } = await connectedAccount(harness);
  await harness.publish(events.subscriptionRebilled, account, { ...rebilled, test: true });
  await harness.publish(events.subscriptionPaymentFailed, account, { ...failed, test: true });
  await tried(2);
  const now = harness.clock.now().toISOString();
  expect((await entries(account, 2)).map(({ created_at }) => created_at)).toEqual([now, now]);
  expect(receiver.requests.map((request) => request.headers['x-service-test'])).toEqual(['1', '1']);
  expect(receiver.requests.map(({ body }) => JSON.parse(body).sentAt)).toEqual([at, at]);
});

test('what the seller has to know of the daily run, of a reminder, of an order and of declined payments are notices and no webhooks', async () => {
  const { account, receiver } = await connectedAccount(harness);
  const stopped = 'The daily run stopped before charging.\nRun it again with force.';
  const run = { code: 'charge_limit', summary: stopped, orderId: null, test: false } as const;
  await handled(await harness.publish(dailyRunNoticed, account, run));
  const failure = { checkoutId: 'cko_01kex0000000000000000000aa', summary: 'The mail server refused it.', test: true };
  await handled(await harness.publish(reminderNoticed, account, failure));
  const duplicate = { orderId: soldSubscription.orderId, summary: 'It may be a duplicate.', test: false };
  await handled(await harness.publish(orderNoticed, account, duplicate));
  const limited = { summary: 'Many payments were declined.', test: false };
  await handled(await harness.publish(paymentsLimited, account, limited));
  const [ofPayments, ofOrder, reminder, ofRun] = await entries(account, 4);
  expect(ofPayments).toMatchObject({ kind: 'notice', order_id: null, test: false, summary: limited.summary });
  expect(ofOrder).toMatchObject({
    kind: 'notice',
    order_id: duplicate.orderId,
    test: false,
    summary: duplicate.summary,
  });
  expect(ofRun).toMatchObject({ kind: 'notice', order_id: null, test: false, summary: stopped.replace('\n', ' ') });
  expect(reminder).toMatchObject({
    kind: 'notice',
    order_id: null,
    test: true,
    summary: 'The mail server refused it.',
  });
  expect(receiver.requests).toEqual([]);
});
