import { listDailyRuns, startDailyRun } from '@app/contracts/daily-runs';
import type { RequestDefinition, RequestInput } from '@app/contracts/define';
import { newId } from '@app/contracts/ids';
import { orderPaid } from '@app/contracts/orders';
import { putPaymentProcessor } from '@app/contracts/payment-processors';
import * as contract from '@app/contracts/payments';
import { receiveProcessorEvent } from '@app/contracts/processor-events';
import { getSubscription, listSubscriptions } from '@app/contracts/subscriptions';
import { announced } from '@app/testing/points';
import { beforeEach, expect, test } from 'vitest';
import type { z } from 'zod';
import { processorEventHandled } from '../../src/points/points.ts';
import { startInput, upsell } from '../payment-samples.ts';
import { orderEvent } from '../samples.ts';
import { commandOf, harness, startServiceAtStripe, stripe } from '../set-up.ts';
import type { Dispute, PaymentIntent, StripeEvent } from '../stripe/objects.ts';
import { signedEvent } from '../stripe/sent-events.ts';

const dayMs = 86_400_000;
/** How far Stripe's clock is ahead of ours, in milliseconds. */
let skewMs = 0;
startServiceAtStripe({ PROCESSOR_DEADLINE_MS: 10_000, STRIPE_REQUESTS_PER_SECOND: 1_000 }, () => skewMs);

let account: string;
let secretKey: string;
let testKey: string;
let shops = 0;
const webhookSecret = 'whsec_shop';
beforeEach(async () => {
  skewMs = 0;
  account = newId('account', harness.clock.nowMs());
  shops += 1;
  secretKey = `sk_live_shop${shops}`;
  testKey = `sk_test_shop${shops}`;
  stripe.accept(secretKey, `acct_${shops}`);
  stripe.accept(testKey, `acct_${shops}`);
  const live = { secretKey, publishableKey: `pk_live_shop${shops}`, webhookSecret };
  const test = { secretKey: testKey, publishableKey: `pk_test_shop${shops}` };
  await request(putPaymentProcessor, { body: { processor: 'stripe', live, test } });
});

const context = () => commandOf(account);
const request = <Input extends z.ZodType, Output extends z.ZodType>(
  definition: RequestDefinition<Input, Output>,
  input: RequestInput<RequestDefinition<Input, Output>>,
) => harness.requester.request(definition, input, context());
const run = () => request(startDailyRun, { force: true, accountId: account });
const books = () => stripe.booksOf(secretKey);
const intents = () => books().all<PaymentIntent>('payment_intent');
const disputes = () => books().all<Dispute>('dispute');
const published = async () =>
  (await harness.publishedOf(account))
    .filter(({ data }) => 'disputeId' in data)
    .map(({ data: { disputeId, end, givenBack, paymentId } }) => ({
      disputeId,
      paymentId,
      outcome: (end as { outcome: string } | null)?.outcome ?? 'opened',
      back: (givenBack as { amountCents: number } | null)?.amountCents ?? 0,
    }));
const paymentsOf = (orderId: string) => request(contract.listOrderPayments, { orderId });

async function pay(fields: Parameters<typeof startInput>[0] = {}): Promise<string> {
  const orderId = newId('order', harness.clock.nowMs());
  await request(contract.startPayment, startInput({ orderId, paymentMethod: 'pm_card_visa', ...fields }));
  return orderId;
}
const refund = (paymentId: string, amountCents: number) =>
  request(contract.refundPayment, { paymentId, body: { amountCents } });

test('without webhooks, disputes of a charge, a capture, an upsell and a renewal are found, followed, and no orphans', async () => {
  const charged = await pay();
  const held = await pay({ hold: { upsell, decisionMinutes: 60 } });
  await request(contract.settleHold, { orderId: held, decision: 'accepted' });
  const subscribed = await pay({ savesCard: true });
  const paidAt = harness.clock.now().toISOString();
  await harness.deliver(orderPaid, orderEvent(account, { orderId: subscribed, paidAt, paymentMethod: null }));
  harness.clock.advance(32 * dayMs);
  expect(await run()).toMatchObject({ ok: true, rebills: { charged: 1 } });
  const renewed = intents().find(
    ({ metadata }) => metadata.funnelry_call === 'chargeSaved' && metadata.funnelry_order === subscribed,
  );
  const disputed = intents().filter(({ metadata }) => [charged, held].includes(String(metadata.funnelry_order)));
  // The hold and its upsell.
  expect(disputed).toHaveLength(3);
  for (const intent of [...disputed, renewed]) books().dispute(intent?.id ?? '');
  harness.clock.advance(dayMs);
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  const opened = await published();
  expect(opened.map(({ outcome }) => outcome)).toEqual(['opened', 'opened', 'opened', 'opened']);
  const own = (await paymentsOf(held)).data;
  const taking = own.filter(({ step }) => step === 'capture' || step === 'upsell').map(({ id }) => id);
  const { disputes: atOrder } = await paymentsOf(held);
  expect(atOrder?.map(({ payment_id }) => payment_id).toSorted()).toEqual(taking.toSorted());
  expect(atOrder?.[0]).toMatchObject({ status: 'needs_response', reason: 'fraudulent', outcome: null });
  for (const { id } of disputes()) books().disputeBecomes(id, 'under_review');
  harness.clock.advance(dayMs);
  await run();
  expect((await paymentsOf(charged)).disputes).toMatchObject([{ status: 'under_review', outcome: null }]);
  expect(await published()).toHaveLength(4);
  for (const { id } of disputes()) books().disputeBecomes(id, 'lost');
  harness.clock.advance(dayMs);
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  const ends = (await published()).slice(4);
  expect(ends.map(({ outcome, back }) => `${outcome} ${back}`).toSorted()).toEqual(
    ['lost 1500', 'lost 1900', 'lost 4900', 'lost 4900'].toSorted(),
  );
  // A lost renewal ends the subscription too.
  const [subscription] = (await request(listSubscriptions, {})).data;
  expect(subscription).toMatchObject({ order_id: subscribed, status: 'canceled' });
  const runs = (await request(listDailyRuns, {})).data;
  expect(runs.every(({ books: compared }) => (compared?.orphan_count ?? 0) === 0)).toBe(true);
  expect(Math.max(...runs.map(({ books: compared }) => compared?.disputes ?? 0))).toBe(4);
});

test('the lost first payment of a subscription ends it; a won one does not', async () => {
  const orders = [await pay({ savesCard: true }), await pay({ savesCard: true })];
  const paidAt = harness.clock.now().toISOString();
  for (const orderId of orders)
    await harness.deliver(orderPaid, orderEvent(account, { orderId, paidAt, paymentMethod: null }));
  const made = intents().map(({ id }) => books().dispute(id));
  harness.clock.advance(dayMs);
  await run();
  for (const [index, { id }] of made.entries()) books().disputeBecomes(id, index === 0 ? 'lost' : 'won');
  harness.clock.advance(dayMs);
  await run();
  const { data } = await request(listSubscriptions, {});
  const statuses = new Map(data.map(({ order_id, status }) => [order_id, status]));
  expect(orders.map((orderId) => statuses.get(orderId))).toEqual(['canceled', 'active']);
  const [lost] = data.filter(({ order_id }) => order_id === orders[0]);
  expect(await request(getSubscription, { subscriptionId: lost?.id ?? '' })).toMatchObject({ status: 'canceled' });
  expect((await published()).map(({ outcome, back }) => `${outcome} ${back}`)).toEqual([
    'opened 0',
    'opened 0',
    'lost 4900',
    'won 0',
  ]);
});

test('Stripe refuses to refund what is disputed, and so does billing once it knows', async () => {
  const orderId = await pay({ paymentMethod: 'pm_card_createDispute' });
  const [{ id = '' } = {}] = (await paymentsOf(orderId)).data;
  const disputedThere = { code: 'payment_disputed', message: expect.stringContaining('payment processor says') };
  await expect(refund(id, 100)).rejects.toMatchObject(disputedThere);
  const requested = () =>
    stripe.requests.filter(({ method, path }) => method === 'POST' && path === '/v1/refunds').length;
  const before = requested();
  harness.clock.advance(dayMs);
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  await expect(refund(id, 100)).rejects.toMatchObject({
    code: 'payment_disputed',
    message: expect.stringContaining('disputes this payment (fraudulent)'),
  });
  expect(requested()).toBe(before);
  const [dispute] = disputes();
  books().disputeBecomes(dispute?.id ?? '', 'won');
  harness.clock.advance(dayMs);
  await run();
  expect(await refund(id, 100)).toMatchObject({ status: 'refunded', amountCents: 100 });
});

test('a lost dispute of a charge that was refunded in part gives back its own amount alone', async () => {
  const orderId = await pay();
  const [{ id = '' } = {}] = (await paymentsOf(orderId)).data;
  await refund(id, 900);
  const [intent] = intents();
  const dispute = books().dispute(intent?.id ?? '');
  expect(dispute.amount).toBe(4_000);
  books().disputeBecomes(dispute.id, 'lost');
  harness.clock.advance(dayMs);
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  // It was closed when it was first read: both are published, each once.
  expect((await published()).map(({ outcome, back }) => `${outcome} ${back}`)).toEqual(['opened 0', 'lost 4000']);
});

test.each([
  ['prevented', 0, 'prevented 0'],
  ['prevented', 4_900, 'lost 4900'],
  ['warning_closed', 0, 'warning_closed 0'],
  ['warning_closed', 4_900, 'lost 4900'],
])(
  'one that ends as %s is judged by its balance transactions: of $49.00 the bank keeps %i',
  async (status, kept, end) => {
    await pay();
    const begins = status === 'prevented' ? {} : { status: 'warning_needs_response', is_charge_refundable: true };
    const { id } = books().dispute(intents().at(-1)?.id ?? '', begins);
    books().disputeBecomes(id, status, kept);
    harness.clock.advance(dayMs);
    expect(await run()).toMatchObject({ ok: true, problems: [] });
    expect((await published()).map(({ outcome, back }) => `${outcome} ${back}`)).toEqual(['opened 0', end]);
  },
);

test('a dispute of a rehearsal is found without webhooks too; a refused key for rehearsals ends nothing of a run', async () => {
  const orderId = await pay({ test: true });
  const rehearsed = stripe.booksOf(testKey);
  const [intent] = rehearsed.all<PaymentIntent>('payment_intent');
  const { id } = rehearsed.dispute(intent?.id ?? '');
  harness.clock.advance(dayMs);
  await run();
  expect((await paymentsOf(orderId)).disputes).toMatchObject([{ id, outcome: null }]);
  rehearsed.disputeBecomes(id, 'lost');
  stripe.revoke(testKey);
  await pay();
  harness.clock.advance(dayMs);
  expect((await run()).problems).toEqual([{ code: 'books_not_compared', detail: expect.stringContaining('disputes') }]);
  stripe.accept(testKey, `acct_${shops}`);
  await run();
  expect((await published()).map(({ outcome, back }) => `${outcome} ${back}`)).toEqual(['opened 0', 'lost 4900']);
});

test.each([-10, 10])(
  'with Stripe’s clock %i minutes ahead books are equal, and nothing made around a run is missed',
  async (minutes) => {
    skewMs = minutes * 60_000;
    const held = await pay({ hold: { upsell, decisionMinutes: 60 } });
    await request(contract.settleHold, { orderId: held, decision: 'accepted' });
    expect(await run()).toMatchObject({ ok: true, problems: [] });
    const orderId = await pay();
    const [{ id = '' } = {}] = (await paymentsOf(orderId)).data;
    await refund(id, 900);
    books().dispute(intents().at(-1)?.id ?? '');
    expect(await run()).toMatchObject({ ok: true, problems: [] });
    harness.clock.advance(dayMs);
    expect(await run()).toMatchObject({ ok: true, problems: [] });
    expect((await published()).map(({ outcome }) => outcome)).toEqual(['opened']);
    const [last] = (await request(listDailyRuns, {})).data;
    expect(last?.books).toMatchObject({ charges: 3, refunds: 1, disputes: 1, orphan_count: 0 });
  },
);

test('disputes of other money of the same Stripe account are ignored', async () => {
  const orderId = await pay();
  const other = books().pay(
    { amount: 4_900, currency: 'usd', payment_method: 'pm_card_visa', metadata: { shop: 'mine' } },
    () => 'https://bank.example',
  );
  books().dispute(other.id);
  harness.clock.advance(dayMs);
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  expect(await published()).toEqual([]);
  expect((await paymentsOf(orderId)).disputes).toEqual([]);
});

test('a dispute that the processor cannot show makes the run not ok, and the next one reads it', async () => {
  await pay({ paymentMethod: 'pm_card_createDispute' });
  harness.clock.advance(dayMs);
  await run();
  const [dispute] = disputes();
  books().disputeBecomes(dispute?.id ?? '', 'lost');
  stripe.restrict(secretKey, ['/v1/disputes/{dispute}']);
  harness.clock.advance(dayMs);
  expect(await run()).toMatchObject({ ok: false, problems: [{ code: 'books_not_compared' }] });
  stripe.restrict(secretKey, []);
  harness.clock.advance(dayMs);
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  expect((await published()).map(({ outcome }) => outcome)).toEqual(['opened', 'lost']);
});

/** Stripe's events about disputes, oldest first. */
const sentEvents = () =>
  books()
    .all<StripeEvent>('event')
    .filter(({ type }) => type.startsWith('charge.dispute.'));
async function receive(event: StripeEvent, id = event.id): Promise<void> {
  const one = { ...event, id };
  const { body, signature } = signedEvent(one, { secrets: [webhookSecret] });
  const input = { processor: 'stripe' as const, body: body.toString('base64'), signature };
  expect(await request(receiveProcessorEvent, input)).toEqual({ accepted: true });
  await announced(processorEventHandled, (handled) => handled.eventId === id && handled.result === 'done');
}

test('an event about a dispute says what to read: the end before the beginning, doubled or late, each is published once', async () => {
  const orderId = await pay();
  const [intent] = intents();
  const { id } = books().dispute(intent?.id ?? '');
  const [opened] = sentEvents();
  await receive(opened as StripeEvent);
  expect((await published()).map(({ outcome }) => outcome)).toEqual(['opened']);
  expect((await paymentsOf(orderId)).disputes).toMatchObject([{ id, status: 'needs_response' }]);
  books().disputeBecomes(id, 'lost');
  const closed = sentEvents().at(-1) as StripeEvent;
  await receive(closed);
  await receive(closed, `${closed.id}again`);
  await receive(opened as StripeEvent, `${opened?.id}late`);
  expect((await published()).map(({ outcome, back }) => `${outcome} ${back}`)).toEqual(['opened 0', 'lost 4900']);
  // One that was never seen open: its end says both.
  await pay();
  const other = books().dispute(intents().at(-1)?.id ?? '').id;
  books().disputeBecomes(other, 'won');
  await receive(sentEvents().at(-1) as StripeEvent);
  await receive(sentEvents().at(-2) as StripeEvent);
  const ofOther = (await published()).filter(({ disputeId }) => disputeId === other);
  expect(ofOther.map(({ outcome }) => outcome)).toEqual(['opened', 'won']);
  harness.clock.advance(dayMs);
  expect(await run()).toMatchObject({ ok: true, problems: [] });
  expect(await published()).toHaveLength(4);
});
