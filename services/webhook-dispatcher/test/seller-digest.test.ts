import { updateAutomation } from '@app/contracts/automations';
import { disputeClosed } from '@app/contracts/disputes';
import { newId } from '@app/contracts/ids';
import { paymentNoticed } from '@app/contracts/payments';
import { subscriptionPaymentFailed } from '@app/contracts/subscriptions';
import { createWebhookEndpoint } from '@app/contracts/webhooks';
import { startReceiver } from '@app/testing/http-receiver';
import { beforeEach, expect, test } from 'vitest';
import { builtInId } from '../src/automations/automation-row.ts';
import { judged } from './harness.ts';
import { headerOf } from './mail-seller.ts';
import { harness, seller, server, startMailService } from './mail-set-up.ts';
import { eventTime as at, soldProduct, soldSubscription } from './orders.ts';

startMailService();

// The buyer's email has a link that the gateway makes.
beforeEach(async () => {
  const automationId = builtInId(seller.account, 'payment_failed_notice');
  await harness.request(updateAutomation, seller.account, { automationId, body: { active: false } });
});

const anHourMs = 60 * 60_000 + 1;
const subjects = () =>
  server.received
    .filter(({ to }) => to === 'help@maya.example')
    .map(({ text }) => headerOf(text.replaceAll(/\r\n[ \t]/g, ' '), 'Subject'));

const dispute = {
  ...{ ...soldProduct, disputeId: 'du_1', paymentId: 'pmt_1', subscriptionId: null, amountCents: 4_900 },
  ...{ reason: 'fraudulent', evidenceDueBy: null, openedAt: at, outcome: 'won' as const, closedAt: at },
};

/** A renewal of a subscription of its own fails. */
const fails = (customerEmail: string) =>
  harness.publish(subscriptionPaymentFailed, seller.account, {
    ...soldSubscription,
    ...{ subscriptionId: newId('subscription', harness.clock.nowMs()), customerEmail },
    ...{ paymentId: newId('payment', harness.clock.nowMs()), period: 2, attempt: 1, nextTryDays: 3 },
    ...{ statusBefore: 'active', statusAfter: 'past_due', reason: 'insufficient_funds', failedAt: at },
  });

test('a seller is notified of failed renewals by one email an hour, which has all that came meanwhile', async () => {
  await fails('ada@example.com');
  await seller.tried(1);
  expect(subjects()).toEqual([expect.stringMatching(/A_renewal_of_Course_failed/)]);
  for (const buyer of ['bob@example.com', 'grace@example.com']) await fails(buyer);
  await seller.tried(3);
  expect(subjects()).toHaveLength(1);

  harness.clock.advance(anHourMs);
  harness.wake();
  await seller.tried(5);
  expect(subjects()).toEqual([expect.anything(), '2 notices about Maya & Co']);
  const text = server.received.at(-1)?.text ?? '';
  for (const buyer of ['bob@example.com', 'grace@example.com']) expect(text).toContain(buyer);
  expect(text).toContain('did not have enough money');

  // What the email had beside its own notice ends once it is due, and goes out no more.
  harness.clock.advance(anHourMs);
  harness.wake();
  if ((await seller.runs()).some(({ status }) => status !== 'delivered')) await seller.tried(6);
  expect((await seller.runs()).map(({ status }) => status)).toEqual(Array(3).fill('delivered'));
  expect(subjects()).toHaveLength(2);
});

test('a URL that is switched off, a refused API key and the end of a dispute go out in the same email an hour', async () => {
  await fails('ada@example.com');
  await seller.tried(1);
  const { url } = await startReceiver({ respond: () => ({ status: 410 }) });
  const { id } = await harness.request(createWebhookEndpoint, seller.account, { body: { url } });
  await fails('bob@example.com');
  await judged(id);
  const [orderId, summary] = [newId('order', harness.clock.nowMs()), 'The payment processor does not accept your key.'];
  const refused = { orderId, summary, test: false, code: 'key_refused' } as const;
  await harness.publish(paymentNoticed, seller.account, refused);
  await harness.publish(disputeClosed, seller.account, dispute);
  harness.wake();
  // The POST, and the four notices.
  await seller.tried(6);
  expect(subjects()).toEqual([expect.stringMatching(/A_renewal_of_Course_failed/)]);

  harness.clock.advance(anHourMs);
  harness.wake();
  await seller.tried(10);
  expect(subjects()).toEqual([expect.anything(), '4 notices about Maya & Co']);
  const text = (server.received.at(-1)?.text ?? '').replaceAll('=\r\n', '');
  for (const part of ['bob@example.com', new URL(url).host, 'the API key is refused', summary, 'The dispute of'])
    expect(text).toContain(part);
});

test('an email of notices that the mail server does not take keeps none of them back', async () => {
  server.behaviour.DATA = '451 later';
  await fails('ada@example.com');
  await seller.tried(1);
  delete server.behaviour.DATA;
  harness.clock.advance(6_001);
  harness.wake();
  await seller.tried(2);
  expect(subjects()).toHaveLength(1);
});

test('each notice of such an email has its link to the order', async () => {
  const automationId = builtInId(seller.account, 'dispute_end_notice');
  const action = { type: 'email', to: 'seller', subject: 'Won', body: 'The order: {{orderUrl}}' } as const;
  await harness.request(updateAutomation, seller.account, { automationId, body: { action } });
  await fails('ada@example.com');
  await seller.tried(1);
  await harness.publish(disputeClosed, seller.account, dispute);
  await fails('bob@example.com');
  await seller.tried(3);
  harness.clock.advance(anHourMs);
  harness.wake();
  await seller.tried(5);
  expect(server.received.at(-1)?.text.replaceAll('=\r\n', '')).toContain(`/app/orders/${soldProduct.orderId}`);
});
