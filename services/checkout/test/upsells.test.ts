import { getOrder, orderExpired, orderPaid, upsellAccepted } from '@app/contracts/orders';
import { beforeEach, expect, test } from 'vitest';
import { losesReply } from './billing-stand-in.ts';
import { type Opened, withUpsell } from './checkout-harness.ts';
import { context } from './harness.ts';
import { harness, startService } from './set-up.ts';

startService();

beforeEach(() => void harness.shop.set('acc_1/course', withUpsell));

async function held(paymentMethod = 'ok'): Promise<{ opened: Opened; orderId: string }> {
  const opened = await harness.open({ email: `${crypto.randomUUID()}@example.com` });
  const outcome = await harness.pay(opened, paymentMethod);
  expect(outcome.status).toBe('authorized');
  return { opened, orderId: outcome.orderId as string };
}

const offered = { id: 'ups_1', headline: 'Coaching', description: null, amountCents: 4_900, expiresAt: null };
const main = { kind: 'main', label: 'Course', amount_cents: 9_900 };
const subjects = async () => (await harness.events()).map(({ subject }) => subject);

test('with an upsell the card is held: the order is authorized, in the list, and no event reports it yet', async () => {
  const { opened, orderId } = await held();
  const hold = { upsell: { upsellId: 'ups_1', headline: 'Coaching', amountCents: 4_900 }, decisionMinutes: 60 };
  expect(harness.billing.started).toMatchObject([{ hold, amountCents: 9_900, savesCard: true }]);
  expect(await harness.list()).toMatchObject([{ id: orderId, status: 'authorized', total_cents: 9_900 }]);
  expect(await subjects()).toEqual([]);
  const expiresAt = harness.billing.attempts[0]?.outcome.decideBy as string;
  const upsell = { ...offered, status: 'offered', expiresAt };
  const shown = { status: 'authorized', orderId, upsell, accessUrl: null, paidAt: null, lastFour: '4242' };
  expect(await harness.get(opened)).toMatchObject(shown);
  expect(await harness.pay(opened)).toMatchObject({ upsell });
});

test('an accepted upsell is an item of the paid order, published before the order is', async () => {
  const { opened, orderId } = await held();
  const upsell = { ...offered, status: 'accepted' };
  const outcome = { status: 'paid', orderId, totalCents: 14_800, upsell };
  expect(await harness.decide(opened, true)).toEqual(outcome);
  expect(await harness.list()).toMatchObject([
    { id: orderId, status: 'paid', total_cents: 14_800, items: [main, { kind: 'upsell', amount_cents: 4_900 }] },
  ]);
  const [accepted, paid, ...more] = await harness.events();
  expect(more).toEqual([]);
  expect(accepted?.subject).toBe(upsellAccepted.subject);
  expect(upsellAccepted.data.parse(accepted?.data)).toMatchObject({
    orderId,
    headline: 'Coaching',
    amountCents: 4_900,
  });
  expect(paid?.subject).toBe(orderPaid.subject);
  expect(orderPaid.data.parse(paid?.data)).toMatchObject({
    ...{ orderId, totalCents: 14_800, upsellShown: true, processor: 'stripe' },
    upsell: { headline: 'Coaching', amountCents: 4_900 },
  });
  // A repeat gets the same answer and does nothing.
  expect(await harness.decide(opened, false)).toEqual(outcome);
  expect(harness.billing.settlesRequested).toEqual([orderId]);
  const lines = [{ kind: 'main' }, { kind: 'upsell', amountCents: 4_900 }];
  const shown = { status: 'paid', totalCents: 14_800, lines, upsell, paidAt: paid?.data.paidAt, lastFour: '4242' };
  expect(await harness.get(opened)).toMatchObject(shown);
});

test('an accepted upsell of 0 is an item of the order and is reported, at the total as before', async () => {
  harness.shop.set('acc_1/course', { ...withUpsell, upsell: { id: 'ups_1', headline: 'A gift', priceCents: 0 } });
  const { opened, orderId } = await held();
  const upsell = { ...offered, headline: 'A gift', amountCents: 0, status: 'accepted' };
  expect(await harness.decide(opened, true)).toEqual({ status: 'paid', orderId, totalCents: 9_900, upsell });
  const gift = { kind: 'upsell', label: 'A gift', amount_cents: 0 };
  expect(await harness.list()).toMatchObject([{ total_cents: 9_900, items: [main, gift] }]);
  const [accepted, paid] = await harness.events();
  expect(upsellAccepted.data.parse(accepted?.data)).toMatchObject({ orderId, headline: 'A gift', amountCents: 0 });
  expect(paid?.data).toMatchObject({ totalCents: 9_900, upsell: { headline: 'A gift', amountCents: 0 } });
});

test('an upsell that is declined, or that the card refuses, leaves a paid order without it', async () => {
  for (const [card, accept, status] of [
    ['ok', false, 'declined'],
    ['no-upsell', true, 'card_declined'],
  ] as const) {
    const { opened, orderId } = await held(card);
    const upsell = { ...offered, status };
    expect(await harness.decide(opened, accept)).toEqual({ status: 'paid', orderId, totalCents: 9_900, upsell });
  }
  expect(await harness.list()).toMatchObject([
    { status: 'paid', items: [main] },
    { status: 'paid', items: [main] },
  ]);
  expect(await subjects()).toEqual([orderPaid.subject, orderPaid.subject]);
  const shown = (await harness.events()).map(({ data }) => [data.upsellShown, data.upsell]);
  expect(shown).toEqual([
    [true, null],
    [true, null],
  ]);
});

test.each([
  ['accepts', true, 10_900, ['main', 'upsell', 'discount']],
  ['declines', false, 6_000, ['main', 'discount']],
] as const)(
  'a buyer who %s: of a hold that was captured in part the order costs what was taken',
  async (_, accept, total, kinds) => {
    const { opened, orderId } = await held();
    harness.billing.capturedThere = 6_000;
    expect(await harness.decide(opened, accept)).toMatchObject({ status: 'paid', totalCents: total });
    const [order] = await harness.list();
    expect(order).toMatchObject({ id: orderId, status: 'paid', total_cents: total });
    expect(order?.items.map(({ kind }) => kind)).toEqual(kinds);
    expect(order?.items.at(-1)).toMatchObject({ kind: 'discount', label: 'Not charged', amount_cents: -3_900 });
    const paid = (await harness.events()).find(({ subject }) => subject === orderPaid.subject);
    expect(orderPaid.data.parse(paid?.data)).toMatchObject({ orderId, totalCents: total });
    expect(await harness.get(opened)).toMatchObject({ status: 'paid', totalCents: total });
  },
);

test('a hold without a decision is paid when billing says that it was settled', async () => {
  const { opened, orderId } = await held();
  harness.billing.settle(orderId, 'not_decided');
  await harness.billing.publishSettled(orderId);
  await harness.billing.handled();
  const upsell = { ...offered, status: 'not_decided' };
  expect(await harness.decide(opened, true)).toEqual({ status: 'paid', orderId, totalCents: 9_900, upsell });
  expect(await subjects()).toEqual([orderPaid.subject]);
});

test('an order whose hold was lost leaves the lists, and no buyer is notified that it was paid', async () => {
  const { opened, orderId } = await held('lost');
  expect(await harness.decide(opened, false)).toMatchObject({ status: 'expired' });
  expect(await harness.list()).toEqual([]);
  const found = await harness.base.requester.request(getOrder, { orderId }, context());
  expect(found).toMatchObject({ id: orderId, status: 'expired' });
  expect(await subjects()).toEqual([orderExpired.subject]);
  expect((await harness.events()).map(({ data }) => data.reason)).toEqual(['expired']);
  await expect(harness.refund(orderId)).rejects.toMatchObject({ code: 'invalid_transition' });
  expect(await harness.pay(opened)).toMatchObject({ status: 'expired' });
});

test('the events of a hold and of its end may come in any order and twice: one order, each event once', async () => {
  // The process that held the card died before it recorded anything.
  harness.billing.beforeAnswer = losesReply;
  const opened = await harness.open({ email: 'ada@example.com' });
  expect(await harness.pay(opened)).toMatchObject({ status: 'processing' });
  const [made] = harness.billing.attempts;
  const orderId = made?.input.orderId as string;
  harness.billing.settle(orderId, 'accepted');
  for (let time = 0; time < 2; time++) {
    await harness.billing.publishSettled(orderId);
    if (made !== undefined) await harness.billing.publishCompleted(made);
  }
  await harness.billing.handled();
  expect(await subjects()).toEqual([upsellAccepted.subject, orderPaid.subject]);
  expect(await harness.list()).toMatchObject([{ id: orderId, status: 'paid', total_cents: 14_800 }]);
  expect(await harness.get(opened)).toMatchObject({ status: 'paid', lastFour: '4242', upsell: { status: 'accepted' } });
});

test('a buyer and the timer at once: the first decision counts, the order is paid once', async () => {
  const { opened, orderId } = await held();
  const decisions = await Promise.all([
    harness.decide(opened, true),
    harness.decide(opened, false),
    harness.decide(opened, true),
    (async () => {
      harness.billing.settle(orderId, 'not_decided');
      await harness.billing.publishSettled(orderId);
    })(),
  ]);
  const outcomes = decisions.filter((outcome) => outcome !== undefined);
  expect(new Set(outcomes.map((outcome) => outcome.upsell?.status)).size).toBe(1);
  await harness.billing.handled();
  expect((await subjects()).filter((subject) => subject === orderPaid.subject)).toHaveLength(1);
});

test('a buyer who comes back while the decision is being settled is not offered the upsell again', async () => {
  const { opened, orderId } = await held();
  harness.billing.settling = true;
  const outcome = { status: 'processing', orderId, totalCents: 9_900 };
  expect(await harness.decide(opened, true)).toEqual(outcome);
  expect(await harness.get(opened)).toMatchObject({ status: 'processing', orderId, upsell: null });
  for (const request of [harness.pay(opened), harness.resume(opened), harness.decide(opened, false)])
    expect(await request).toEqual(outcome);
  await harness.billing.publishSettled(orderId);
  await harness.billing.handled();
  // The first decision counts.
  const upsell = { ...offered, status: 'accepted' };
  expect(await harness.get(opened)).toMatchObject({ status: 'paid', totalCents: 14_800, upsell });
});

test('where no upsell was offered there is nothing to decide on', async () => {
  const opened = await harness.open({ email: 'ada@example.com' });
  await expect(harness.decide(opened, true)).rejects.toMatchObject({ code: 'invalid_transition' });
});
