import { guardLeaks } from '@app/testing/leak-guard';
import { expect, test } from 'vitest';
import { releaseHold } from '../../src/advancing/release-hold.ts';
import { settleHold } from '../../src/advancing/settle-hold.ts';
import { startPayment } from '../../src/charging/start-payment.ts';
import { recordFoundRefund } from '../../src/reconciliation/unmatched-payments/record-found-refund.ts';
import { dayMs, hourMs, minuteMs, newAccount, type Replica } from '../payment-replicas.ts';
import { startInput, upsell } from '../payment-samples.ts';
import { openReplicasOf, replicas } from '../set-up.ts';
import type { StripeBooks } from '../stripe/books.ts';
import type { PaymentIntent, Refund } from '../stripe/objects.ts';
import { untilSettled } from '../until-settled.ts';

guardLeaks();
openReplicasOf('stripe');

/** A busy machine may answer a request only after its deadline. */
async function lookUpUnanswered(by: Replica): Promise<void> {
  for (const waitMs of [minuteMs, 5 * minuteMs]) {
    replicas.clock.advance(waitMs);
    await by.round();
  }
}

async function heldOrder(by: Replica, card = 'sim_ok') {
  const caller = { accountId: newAccount(), requestId: 'r' };
  const paymentMethod = replicas.outside.card(card);
  const input = startInput({ hold: { upsell, decisionMinutes: 60 }, paymentMethod });
  await startPayment(by.deps, caller, input);
  await lookUpUnanswered(by);
  const { orderId } = input;
  const money = () => replicas.money(caller.accountId, orderId);
  expect((await money()).hold).toMatchObject({ status: 'held' });
  const books = replicas.outside.standIn?.booksOf(replicas.outside.secretKey ?? '') as StripeBooks;
  const intent = books.find<PaymentIntent>('payment_intent', (await money()).hold?.reference ?? '', 'id');
  return { caller, orderId, money, books, intent };
}

/** What the money of the order's PaymentIntents is at Stripe, in their order. */
const received = ({ books }: { readonly books: StripeBooks }, orderId: string) =>
  books
    .all<PaymentIntent>('payment_intent')
    .filter(({ metadata }) => metadata.funnelry_order === orderId)
    .map(({ amount_received }) => amount_received);

test.each(['requested_by_customer', 'abandoned', 'duplicate', 'fraudulent', null])(
  'a hold that the seller cancels in Stripe’s Dashboard (%s) is never charged, neither by a buyer nor by the timer',
  async (reason) => {
    const replica = replicas.start();
    const [clicked, left] = [await heldOrder(replica), await heldOrder(replica)];
    for (const { books, intent } of [clicked, left]) books.cancel(intent, reason);
    await settleHold(replica.deps, clicked.caller, clicked.orderId, 'accepted');
    replicas.clock.advance(hourMs);
    await replica.round();
    replicas.clock.advance(8 * dayMs);
    await replica.round();
    for (const order of [clicked, left]) {
      await replica.daily(order.caller.accountId);
      expect((await order.money()).hold).toMatchObject({ status: 'lost', lostBecause: 'released' });
      expect(received(order, order.orderId)).toEqual([0]);
    }
  },
);

test.each(['automatic', 'expired'])(
  'a hold that Stripe ends itself (%s) is charged once on the saved card',
  async (reason) => {
    const replica = replicas.start();
    const order = await heldOrder(replica);
    order.books.cancel(order.intent, reason);
    expect(await settleHold(replica.deps, order.caller, order.orderId, 'declined')).toMatchObject({
      status: 'settled',
    });
    expect(received(order, order.orderId)).toEqual([0, 4900]);
  },
);

test('of a hold that the seller captures in part in Stripe’s Dashboard that part is taken, and the rest is not', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  order.books.capture(order.intent, 3000);
  replicas.clock.advance(hourMs);
  await replica.round();
  expect((await order.money()).hold).toMatchObject({ status: 'settled', capturedCents: 3000 });
  replicas.clock.advance(8 * dayMs);
  await replica.round();
  expect(received(order, order.orderId)).toEqual([3000]);
});

test('a hold that the seller releases here is canceled at Stripe, and one that was captured there is not', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  await releaseHold(replica.deps, order.caller, order.orderId);
  await lookUpUnanswered(replica);
  expect((await order.money()).hold).toMatchObject({ status: 'lost', lostBecause: 'released' });
  expect(order.intent.status).toBe('canceled');
  const captured = await heldOrder(replica);
  captured.books.capture(captured.intent, 3000);
  await releaseHold(replica.deps, captured.caller, captured.orderId);
  replicas.clock.advance(hourMs);
  await replica.round();
  expect((await captured.money()).hold).toMatchObject({ status: 'settled', capturedCents: 3000 });
});

test.each([
  { upsell: 'succeeds', card: 'sim_ok', wholes: 0, charges: [4900, 0] },
  { upsell: 'is declined', card: 'sim_renewal_declined', wholes: 1, charges: [4900] },
])(
  'a capture that goes back in Stripe’s Dashboard while the upsell has no outcome: the order follows once that $upsell',
  async ({ card, wholes, charges }) => {
    const replica = replicas.start();
    const order = await heldOrder(replica, card);
    const { caller, orderId, money, books } = order;
    replica.fail('answered', 'throws_after');
    await settleHold(replica.deps, caller, orderId, 'accepted');
    const [capture] = (await money()).charges;
    expect((await money()).hold).toMatchObject({ status: 'settling' });
    expect(replicas.outside.refundThere(capture?.reference ?? '')).toBe(true);
    const [made] = books.all<Refund>('refund');
    const amount = { amountCents: 4900, currency: 'usd', recordedAt: replicas.clock.now() };
    const found = { ...amount, reference: made?.id ?? '', about: capture?.reference ?? '', paymentId: null, orderId };
    const at = { accountId: caller.accountId, processor: 'stripe' };
    const shown = { ...found, kind: 'refund', status: 'succeeded', message: null } as const;
    expect(await recordFoundRefund(replica.deps, at, shown)).toBe('later');
    await untilSettled(replicas, replica, caller.accountId, orderId);
    const events = (await replicas.events(caller.accountId)).map(({ subject }) =>
      subject.replace(/^evt.billing.|.v1$/g, ''),
    );
    const of = (name: string) => events.filter((subject) => subject === name).length;
    expect([of('charge.refunded'), of('charges.refunded')]).toEqual([1, wholes]);
    expect(events.indexOf('charge.refunded')).toBeGreaterThan(events.indexOf('hold.settled'));
    expect((await money()).charges.map(({ refundedCents }) => refundedCents)).toEqual(charges);
  },
);

test('a hold that the seller captured in Stripe’s Dashboard is not charged on the saved card as well, where our late capture got lost', async () => {
  const replica = replicas.start();
  const order = await heldOrder(replica);
  order.books.capture(order.intent, 3000);
  // Nothing ran until the hold would have expired, and then not within the time in which a capture is sent again.
  replicas.clock.advance(8 * dayMs);
  replica.fail('request_lost');
  await settleHold(replica.deps, order.caller, order.orderId, 'declined');
  replicas.clock.advance(2 * dayMs);
  await untilSettled(replicas, replica, order.caller.accountId, order.orderId);
  expect(received(order, order.orderId)).toEqual([3000]);
  expect((await order.money()).hold).toMatchObject({ status: 'settled', capturedCents: 3000 });
});
