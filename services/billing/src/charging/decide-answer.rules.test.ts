import { expect, test } from 'vitest';
import { type Answered, decideAnswer } from './decide-answer.rules.ts';
import type { Charge, OrderMoney, Payment } from './payment.types.ts';

const nowMs = Date.parse('2026-03-15T12:00:00.000Z');
const at = (ms: number) => new Date(nowMs + ms);
const minuteMs = 60_000;

type Row = Omit<Payment, 'call' | 'request'>;
const row: Row = {
  ...{ id: 'pmt_1', accountId: 'acc_1', orderId: 'ord_1', step: 'main', attemptNo: 1, holdTerms: null },
  ...{ chargeId: null, releasedPaymentId: null, period: null },
  ...{ amountCents: 4900, currency: 'usd', status: 'sent', declineKind: null, declineReason: null },
  ...{
    declineMessage: null,
    processor: 'simulated',
    processorReference: null,
    actionUrl: null,
    lastFour: null,
    wallet: null,
  },
  ...{
    customerEmail: 'a@example.com',
    emailKey: 'a@example.com',
    productName: 'Course',
    test: false,
    createdAt: at(0),
    sentAt: at(0),
  },
  ...{ finishedAt: null, nextCheckAt: at(24_000), checks: 0, releasing: false },
};
const payment = (step: Payment['step'], call: Payment['call'], fields: Partial<Row> = {}): Payment =>
  ({ ...row, ...fields, step, call, request: {} }) as unknown as Payment;

const terms = { upsell: { upsellId: 'ups_1', headline: 'More', amountCents: 1500 }, decisionMinutes: 60 };
const hold = payment('main', 'authorize', { holdTerms: terms });
const charge = payment('main', 'charge');
const renewal = payment('renewal', 'chargeSaved', { period: 2 });
const confirmed = {
  ...renewal,
  request: { confirmation: { returnUrl: 'https://shop.example' } },
} as unknown as Payment;
const others = [
  payment('capture', 'capture'),
  payment('upsell', 'chargeSaved'),
  payment('recharge', 'chargeSaved'),
  payment('refund', 'refund', { chargeId: 'pmt_c' }),
  payment('release', 'release', { releasedPaymentId: 'pmt_w' }),
];
const all = [hold, charge, renewal, ...others];
const named = (payments: readonly Payment[]) => payments.map((each) => [`${each.step} by ${each.call}`, each] as const);

const taken: Charge = {
  ...{ id: 'pmt_c', amountCents: 4900, refundedCents: 0, currency: 'usd', processor: 'simulated', reference: 'ch_1' },
  ...{ lostCents: 0, test: false, refundDueAt: null, refundFromAttempt: null, step: 'main' },
};
const money: OrderMoney = {
  ...{ accountId: 'acc_1', orderId: 'ord_1', payments: [], charges: [taken], renewals: [] },
  ...{ subscriptionId: null, disputes: [], hold: null, savedMethod: null },
};
const succeeded: Answered = { status: 'succeeded', reference: 'ref_1', lastFour: '4242' };
const declined: Answered = { status: 'declined', kind: 'hard', reason: 'lost_card', message: 'Lost.' };
const notDone: Answered = { status: 'not_done', why: 'rate_limited', message: 'Too many requests.' };

const effectsOf = (of: Payment) => {
  const { effects } = decideAnswer(of, succeeded, nowMs, { money });
  return Object.fromEntries(Object.entries(effects).filter(([, effect]) => effect !== null));
};

test('a success takes money, holds it or gives it back, by what was called and what for', () => {
  const charged = { amount_cents: 4900, reference: 'ref_1' };
  expect(effectsOf(charge)).toEqual({ charge: { step: 'main', ...charged } });
  expect(effectsOf(renewal)).toEqual({ charge: { step: 'renewal', ...charged } });
  const [capture, upsell, recharge, refund, release] = others as [Payment, Payment, Payment, Payment, Payment];
  expect(effectsOf(capture)).toEqual({ charge: { step: 'capture', ...charged }, captured_cents: 4900 });
  expect(effectsOf(upsell)).toEqual({ charge: { step: 'upsell', ...charged } });
  expect(effectsOf(recharge)).toEqual({ charge: { step: 'recharge', ...charged }, captured_cents: 4900 });
  expect(effectsOf(refund)).toEqual({ refunded: { id: 'pmt_c', cents: 4900 } });
  expect(effectsOf(release)).toEqual({});
  expect(effectsOf(hold)).toMatchObject({ hold: { reference: 'ref_1', decide_by: at(60 * minuteMs) } });
});

test.each(named(all))('%s: a definite answer ends it from every status that is open', (_, of) => {
  for (const outcome of [succeeded, declined]) {
    const { update } = decideAnswer(of, outcome, nowMs, { money });
    expect(update).toMatchObject({ status: outcome.status, finishedAt: at(0), nextCheckAt: null });
    expect(update.from).toEqual(['created', 'sent', 'unknown', 'requires_action']);
  }
});

test.each(named(all))('%s: without an answer it is unknown, has a next look-up, and brings about nothing', (_, of) => {
  const decision = decideAnswer(of, { status: 'unknown' }, nowMs, { money });
  expect(decision.update).toMatchObject({ status: 'unknown', from: ['created', 'sent'], finishedAt: null });
  expect(decision.update.nextCheckAt).toEqual(
    of.step === 'main' || of.step === 'release' ? of.nextCheckAt : at(minuteMs),
  );
  expect([decision.events, decision.released]).toEqual([[], null]);
});

test.each(named([hold, charge, renewal]))('%s: a first sending of which nothing was done ends it, soft', (_, of) => {
  expect(decideAnswer(of, notDone, nowMs, { isFirst: true }).update).toMatchObject({
    ...{ status: 'declined', declineKind: 'soft', declineReason: 'nothing_done' },
    declineMessage: 'Nothing was done. Too many requests.',
  });
});

test.each(named(all))('%s: nothing done says nothing where an earlier sending may have arrived', (_, of) => {
  for (const context of [{}, { isFirst: false }]) {
    expect(decideAnswer(of, notDone, nowMs, { money, ...context }).update.status).toBe('unknown');
  }
});

test.each(named(others))('%s: goes on under its key when nothing was done', (_, of) => {
  expect(decideAnswer(of, notDone, nowMs, { money, isFirst: true }).update.status).toBe('unknown');
});

const requests: Answered = { status: 'requires_action', reference: 'ref_1', url: 'https://bank.example' };

test('only a buyer’s payment and a renewal can wait for the buyer; for any other one such an answer says nothing', () => {
  for (const of of all) {
    const { update } = decideAnswer(of, requests, nowMs, { money });
    expect(update.status).toBe(of.step === 'main' || of.step === 'renewal' ? 'requires_action' : 'unknown');
  }
  expect(decideAnswer(confirmed, requests, nowMs).update).toMatchObject({
    ...{ status: 'requires_action', processorReference: 'ref_1', actionUrl: 'https://bank.example' },
    nextCheckAt: at(minuteMs),
  });
});

test('a renewal that waits is looked up no later than an hour after it was sent', () => {
  const late = { ...confirmed, status: 'requires_action', nextCheckAt: at(66 * minuteMs) } as Payment;
  expect(decideAnswer(late, requests, nowMs + 6 * minuteMs).update.nextCheckAt).toEqual(at(60 * minuteMs));
  const soon = { ...late, nextCheckAt: at(11 * minuteMs) };
  expect(decideAnswer(soon, requests, nowMs + 6 * minuteMs).update.nextCheckAt).toEqual(at(11 * minuteMs));
  expect(decideAnswer(late, requests, nowMs + 61 * minuteMs).update.nextCheckAt).toEqual(at(66 * minuteMs));
});

test('a renewal that its buyer may confirm, and a release, keep the time of their next look-up', () => {
  for (const each of [confirmed, others[4] as Payment]) {
    const often = { ...each, checks: 9, nextCheckAt: at(5 * minuteMs) };
    expect(decideAnswer(often, { status: 'unknown' }, nowMs).update.nextCheckAt).toEqual(at(5 * minuteMs));
  }
});

test('what waits for its buyer does not end because a look-up did not find it', () => {
  for (const each of [charge, confirmed]) {
    expect(decideAnswer(each, { status: 'not_received' }, nowMs).update.from).not.toContain('requires_action');
  }
});

test.each([
  [{ status: 'not_received' }, 'not_received'],
  [{ status: 'not_sent', why: 'key_unreadable' }, 'processor_key_unreadable'],
  [{ status: 'not_sent', why: 'no_processor' }, 'no_payment_processor'],
] as const)('what was not sent or received ends as a soft decline: %o', (outcome, reason) => {
  const { update, events } = decideAnswer(charge, outcome, nowMs, { isFirst: true });
  expect(update).toMatchObject({ status: 'declined', declineKind: 'soft', declineReason: reason });
  expect(events).toMatchObject([{ of: 'pmt_1', data: { status: 'declined', reason: 'try_again_later' } }]);
});

test('what could not be sent is unknown where an earlier sending of its key may have arrived', () => {
  for (const why of ['key_unreadable', 'no_processor'] as const) {
    const decision = decideAnswer(charge, { status: 'not_sent', why }, nowMs, { isFirst: false });
    expect([decision.update.status, decision.events]).toEqual(['unknown', []]);
  }
});

const eventsOf = (of: Payment, outcome: Answered, context: Parameters<typeof decideAnswer>[3] = { money }) =>
  decideAnswer(of, outcome, nowMs, context).events.map(({ of: id, if_whole, definition }) => [
    definition.name,
    id,
    if_whole === true,
  ]);

test('events follow the end of a buyer’s payment, a refused capture or refund, and what goes back', () => {
  const [capture, upsell, , refund] = others as [Payment, Payment, Payment, Payment];
  expect(eventsOf(charge, succeeded)).toEqual([['payment.completed', 'pmt_1', false]]);
  expect(eventsOf(hold, declined)).toEqual([['payment.completed', 'pmt_1', false]]);
  expect(eventsOf(upsell, declined)).toEqual([]);
  expect(eventsOf(renewal, succeeded)).toEqual([]);
  expect(eventsOf(capture, declined)).toEqual([['payment.noticed', 'pmt_1', false]]);
  for (const reason of ['hold_expired', 'already_released', 'already_captured'])
    expect(eventsOf(capture, { ...declined, reason })).toEqual([]);
  expect(eventsOf({ ...capture, attemptNo: 2 }, declined)).toEqual([]);
  expect(eventsOf(refund, declined)).toEqual([['payment.noticed', 'pmt_1', false]]);
  expect(eventsOf(refund, succeeded)).toEqual([
    ['charge.refunded', 'pmt_1', false],
    ['charges.refunded', 'pmt_1', true],
  ]);
});

test('the end of a release ends the payment that waited, or lets it be looked up at once', () => {
  const release = others[4] as Payment;
  const waiting = payment('main', 'charge', {
    id: 'pmt_w',
    status: 'requires_action',
    actionUrl: 'https://bank.example',
  });
  const context = { released: waiting };
  const ended = decideAnswer(release, succeeded, nowMs, context);
  expect(ended.released).toMatchObject({ status: 'declined', declineReason: 'given_up' });
  expect(eventsOf(release, succeeded, context)).toEqual([['payment.completed', 'pmt_w', false]]);
  const refused = decideAnswer(release, declined, nowMs, context);
  expect(refused.released).toMatchObject({ status: 'requires_action', nextCheckAt: at(0) });
  expect(decideAnswer(release, { status: 'unknown' }, nowMs, context).released).toBeNull();
});

test('after its release a renewal is looked up at once, and its confirmation is shown no more', () => {
  const release = others[4] as Payment;
  const waiting = { ...confirmed, status: 'requires_action', actionUrl: 'https://bank.example' } as Payment;
  for (const outcome of [succeeded, declined]) {
    expect(decideAnswer(release, outcome, nowMs, { released: waiting }).released).toMatchObject({
      ...{ status: 'requires_action', actionUrl: null, nextCheckAt: at(0), finishedAt: null },
    });
  }
  expect(decideAnswer(release, { status: 'unknown' }, nowMs, { released: waiting }).released).toBeNull();
});
