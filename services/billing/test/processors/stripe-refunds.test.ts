import { startDailyRun } from '@app/contracts/daily-runs';
import { newId } from '@app/contracts/ids';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import { refundCharges, refundPayment, settleHold, startPayment } from '@app/contracts/payments';
import { receiveProcessorEvent } from '@app/contracts/processor-events';
import { announced, listen } from '@app/testing/points';
import { query } from '@app/testing/sql';
import { expect, test } from 'vitest';
import { answersRecorded, processorEventHandled } from '../../src/points/points.ts';
import { startInput, upsell } from '../payment-samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import { refund as newRefund, type PaymentIntent, type Refund, type StripeEvent } from '../stripe/objects.ts';
import { signedEvent } from '../stripe/sent-events.ts';

startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 });

let shops = 0;
/** An order of $49.00, paid through a Stripe account of its own. */
async function paidOrder(paymentMethod = 'pm_card_visa', fields: Parameters<typeof startInput>[0] = {}) {
  shops += 1;
  const account = newId('account', harness.clock.nowMs());
  const key = `sk_live_r${shops}`;
  stripe.accept(key, `acct_r${shops}`);
  const live = { secretKey: key, publishableKey: `pk_live_r${shops}`, webhookSecret: `whsec_r${shops}` };
  await harness.requester.request(putPaymentProcessor, { body: { processor: 'stripe', live } }, commandOf(account));
  const input = startInput({ orderId: newId('order', harness.clock.nowMs()), paymentMethod, ...fields });
  const { paymentId } = await harness.requester.request(startPayment, input, commandOf(account));
  const books = stripe.booksOf(key);
  const [intent] = books.all<PaymentIntent>('payment_intent');
  /** As the seller does in Stripe's Dashboard: nothing of ours is in its metadata. */
  const giveBack = (amount: number, metadata: Record<string, string> = {}) =>
    books.refund({ payment_intent: intent?.id, amount, metadata });
  const receive = async (about: Refund, type: string) => {
    const event = books.all<StripeEvent>('event').find((one) => one.type === type && one.data.object.id === about.id);
    if (event === undefined) throw new Error(`Stripe has no event ${type}`);
    const { body, signature } = signedEvent(event, { secrets: [live.webhookSecret] });
    const sent = { processor: 'stripe', body: body.toString('base64'), signature } as const;
    expect(await harness.requester.request(receiveProcessorEvent, sent, commandOf(account))).toEqual({
      accepted: true,
    });
    await announced(processorEventHandled, (one) => one.eventId === event.id && one.result === 'done');
  };
  const run = () => harness.requester.request(startDailyRun, { accountId: account, force: false }, commandOf(account));
  return { account, key, orderId: input.orderId, paymentId, intent, giveBack, receive, run };
}

type Order = Awaited<ReturnType<typeof paidOrder>>;
const refunds = ({ account }: Order) =>
  query<{ id: string; amount: number; status: string; reference: string }>(
    harness.databaseUrl,
    `select id, amount_cents::int as amount, status, processor_reference as reference from payments
     where account_id = $1 and step = 'refund' order by attempt_no`,
    [account],
  );
const refundedCents = async ({ account }: Order) => {
  const text = 'select refunded_cents::int as cents from charges where account_id = $1';
  return (await query<{ cents: number }>(harness.databaseUrl, text, [account]))[0]?.cents;
};
/** Amounts of the events of single refunds, and of those of whole orders. */
const published = async ({ account }: Order) => {
  const data = (await harness.publishedOf(account)).map((event) => event.data);
  const single = data.flatMap(({ refund }) =>
    refund === undefined ? [] : [(refund as { amountCents: number }).amountCents],
  );
  const whole = data.flatMap(({ refundedCents: cents }) => (cents === undefined ? [] : [cents]));
  return { single, whole };
};
const sentRefunds = ({ key }: Order) =>
  stripe.requests.filter(
    ({ method, path, secretKey }) => method === 'POST' && path === '/v1/refunds' && secretKey === key,
  );

test('a refund in the Dashboard is recorded by its event like one of ours: a part, then the rest, and the order is given back', async () => {
  const order = await paidOrder();
  const part = order.giveBack(1_000);
  await order.receive(part, 'refund.created');
  expect(await refunds(order)).toEqual([
    { id: expect.stringMatching(/^pmt_/), amount: 1_000, status: 'succeeded', reference: part.id },
  ]);
  expect(await published(order)).toEqual({ single: [1_000], whole: [] });
  const tooMuch = refundPayment;
  const request = (amountCents: number) =>
    harness.requester.request(tooMuch, { paymentId: order.paymentId, body: { amountCents } }, commandOf(order.account));
  await expect(request(4_000)).rejects.toMatchObject({ code: 'validation_failed' });
  expect(await request(900)).toMatchObject({ status: 'refunded', refundedCents: 1_900 });
  const rest = order.giveBack(3_000);
  await order.receive(rest, 'refund.created');
  expect(await refundedCents(order)).toBe(4_900);
  expect(await published(order)).toEqual({ single: [1_000, 900, 3_000], whole: [4_900] });
  const again = await harness.requester.request(refundCharges, { orderId: order.orderId }, commandOf(order.account));
  expect(again).toMatchObject({ status: 'refunded', refundedCents: 4_900, orderRefunded: true });
  expect(sentRefunds(order)).toHaveLength(1);
  expect(await order.run()).toMatchObject({ ok: true, problems: [] });
});

test('without webhooks the comparison of the books records it, and leaves no orphan', async () => {
  const order = await paidOrder();
  const made = order.giveBack(4_900);
  expect(await order.run()).toMatchObject({ ok: true, problems: [] });
  expect(await refunds(order)).toMatchObject([{ amount: 4_900, status: 'succeeded', reference: made.id }]);
  expect(await published(order)).toEqual({ single: [4_900], whole: [4_900] });
  expect(await order.run()).toMatchObject({ ok: true, problems: [] });
  expect(await refunds(order)).toHaveLength(1);
});

test.each([
  ['a sale', {}],
  ['a hold that was captured', { hold: { upsell, decisionMinutes: 60 } }],
] as const)(
  'one that carries the metadata of its charge, as some integrations copy it, is the seller’s own: of %s',
  async (_, fields) => {
    for (const seen of ['event', 'list', 'both'] as const) {
      const order = await paidOrder('pm_card_visa', fields);
      if ('hold' in fields)
        await harness.requester.request(
          settleHold,
          { orderId: order.orderId, decision: 'declined' },
          commandOf(order.account),
        );
      const { metadata } = order.intent as PaymentIntent;
      const made = order.giveBack(1_000, metadata);
      if (seen !== 'list') await order.receive(made, 'refund.created');
      if (seen !== 'event') expect(await order.run()).toMatchObject({ ok: true, problems: [] });
      expect(await refunds(order)).toMatchObject([{ amount: 1_000, status: 'succeeded', reference: made.id }]);
      expect(await refundedCents(order)).toBe(1_000);
      expect(await published(order)).toEqual({ single: [1_000], whole: [] });
      stripe.booksOf(order.key).failRefund(made.id);
      if (seen !== 'list') await order.receive(made, 'refund.failed');
      if (seen !== 'event') expect(await order.run()).toMatchObject({ ok: true, problems: [] });
      expect(await refundedCents(order)).toBe(0);
    }
  },
);

test('a shop that has charged nothing for two months learns of a refund in the Dashboard by the run of all accounts', async () => {
  const order = await paidOrder();
  harness.clock.advance(60 * 86_400_000);
  const made = order.giveBack(4_900);
  await harness.requester.request(startDailyRun, { accountId: null, force: false }, commandOf(''));
  expect(await refunds(order)).toMatchObject([{ amount: 4_900, status: 'succeeded', reference: made.id }]);
});

test('from both sides at once, and again later, it is recorded once', async () => {
  const order = await paidOrder();
  const made = order.giveBack(1_000);
  await Promise.all([order.run(), order.receive(made, 'refund.created')]);
  await order.run();
  expect(await refunds(order)).toHaveLength(1);
  expect(await refundedCents(order)).toBe(1_000);
  expect(await published(order)).toEqual({ single: [1_000], whole: [] });
});

test('one that fails afterwards opens its charge again, by its event', async () => {
  const order = await paidOrder('pm_card_refundFail');
  const made = order.giveBack(4_900);
  await order.receive(made, 'refund.created');
  expect(await refundedCents(order)).toBe(4_900);
  stripe.booksOf(order.key).failRefund(made.id);
  await order.receive(made, 'refund.failed');
  expect(await refundedCents(order)).toBe(0);
  expect(await refunds(order)).toMatchObject([{ status: 'declined' }]);
  const told = `select kind, reference from processor_facts where account_id = $1 and seen_by = 'webhook' order by position`;
  expect(await query(harness.databaseUrl, told, [order.account])).toEqual([
    { kind: 'refund', reference: made.id },
    { kind: 'refund_failed', reference: made.id },
  ]);
  await order.run();
  expect(await refundedCents(order)).toBe(0);
});

const ends = [
  ['failed', 'pm_card_visa', (order: Order, id: string) => stripe.booksOf(order.key).failRefund(id)],
  ['canceled', 'pm_card_pendingRefund', (order: Order, id: string) => stripe.booksOf(order.key).cancelRefund(id)],
] as const;
test.each(ends)('without webhooks one that %s days afterwards opens its charge again', async (_, card, end) => {
  const order = await paidOrder(card);
  const made = order.giveBack(4_900);
  await order.run();
  expect(await refundedCents(order)).toBe(4_900);
  harness.clock.advance(3 * 86_400_000);
  end(order, made.id);
  await order.run();
  expect(await refundedCents(order)).toBe(0);
  expect(await refunds(order)).toMatchObject([{ status: 'declined' }]);
});

test.each(ends)('without webhooks one that had %s before it was found is none', async (_, card, end) => {
  const order = await paidOrder(card);
  end(order, order.giveBack(4_900).id);
  await order.run();
  expect(await refunds(order)).toEqual([]);
  expect(await published(order)).toEqual({ single: [], whole: [] });
});

test('without webhooks a refund in place of one that failed counts after the failure, though it was made before that was known', async () => {
  const order = await paidOrder();
  const first = order.giveBack(4_900);
  await order.run();
  harness.clock.advance(86_400_000);
  stripe.booksOf(order.key).failRefund(first.id);
  harness.clock.advance(3_600_000);
  order.giveBack(4_900);
  harness.clock.advance(3_600_000);
  await order.run();
  harness.clock.advance(86_400_000);
  expect(await order.run()).toMatchObject({ ok: true });
  expect(await refundedCents(order)).toBe(4_900);
  const data = (await harness.publishedOf(order.account)).map((event) => event.data);
  const failedAt = data.findLast((one) => one.failedAt !== undefined)?.failedAt;
  const refundedAt = data.findLast((one) => one.refundedCents !== undefined)?.refundedAt;
  expect(String(refundedAt) > String(failedAt)).toBe(true);
});

test('that a hold ended at Stripe is no refund, though Stripe may have an object for it', async () => {
  const order = await paidOrder('pm_card_visa', { hold: { upsell, decisionMinutes: 60 } });
  const { intent, key } = order;
  const books = stripe.booksOf(key);
  if (intent === undefined) throw new Error('Stripe has no hold');
  books.cancel(intent, 'requested_by_customer');
  const of = { payment_intent: intent.id, charge: intent.latest_charge, amount: intent.amount, currency: 'usd' };
  const given = { id: books.newId('re'), created: Math.floor(harness.clock.nowMs() / 1_000), status: 'succeeded' };
  const made = books.keep(newRefund({ ...of, ...given, metadata: {} }));
  books.report('refund.created', made);
  await order.receive(made, 'refund.created');
  await order.run();
  expect(await refunds(order)).toEqual([]);
  expect(await published(order)).toEqual({ single: [], whole: [] });
});

test('one that waits for the seller’s balance counts as taken', async () => {
  const order = await paidOrder('pm_card_pendingRefund');
  const made = order.giveBack(500);
  expect(made.status).toBe('pending');
  await order.receive(made, 'refund.created');
  expect(await refundedCents(order)).toBe(500);
});

test('a process that dies between its row and its end sends nothing: the look-up finds it by its reference', async () => {
  const order = await paidOrder();
  const made = order.giveBack(1_000);
  await order.receive(made, 'refund.created');
  const [row] = await refunds(order);
  // What such a process leaves: the row as it was written, and a charge of which nothing went back.
  const undo = `update payments set status = 'sent', processor_reference = null, finished_at = null, next_check_at = $2
    where id = $1`;
  await query(harness.databaseUrl, 'update charges set refunded_cents = 0 where account_id = $1', [order.account]);
  const from = listen();
  await query(harness.databaseUrl, undo, [row?.id, harness.clock.now()]);
  await from.announced(answersRecorded, ({ paymentIds }) => paymentIds.includes(row?.id ?? ''));
  expect(await refunds(order)).toEqual([row]);
  expect(await refundedCents(order)).toBe(1_000);
  expect(sentRefunds(order)).toEqual([]);
});
