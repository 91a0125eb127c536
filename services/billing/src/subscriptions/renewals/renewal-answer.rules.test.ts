import { subscriptionCanceled, subscriptionPaymentFailed, subscriptionRebilled } from '@app/contracts/subscriptions';
import { expect, test } from 'vitest';
import { type Answered, decideAnswer } from '../../charging/decide-answer.rules.ts';
import type { Payment } from '../../charging/payment.types.ts';
import type { SubscriptionIdentity } from '../subscription-event.rules.ts';
import { endsUnpaid, type RenewedSubscription } from './renewal.rules.ts';
import { decideRenewal } from './renewal-answer.rules.ts';
import { renewalEvents } from './renewal-events.rules.ts';

const end = new Date('2026-03-15T00:00:00.000Z');
const nowMs = Date.parse('2026-03-15T12:00:00.000Z');

type Stands = RenewedSubscription & SubscriptionIdentity & { account_id: string; affiliate_named: boolean };
const stands: Stands = {
  ...{ id: 'sub_1', account_id: 'acc_1', order_id: 'ord_1', product_id: 'prd_1', product_name: 'Club' },
  ...{ customer_email: 'a@example.com', amount_cents: 1900, currency: 'usd', test: false, affiliate_named: true },
  ...{ status: 'active', failed_tries: 0, hard_declined: false, free_attempt: false, payment_method: 'card' },
  ...{ cancel_requested_by: null, billing_interval: 'month', anchor: new Date('2026-01-15T00:00:00.000Z') },
  ...{ anchor_period: 0, period: 2, current_period_end: end, next_charge_at: end },
};
const lastTry = { status: 'past_due', failed_tries: 3 } as const;

const payment = {
  ...{ id: 'pmt_01kkrc3m00000000000000000a', accountId: 'acc_1', orderId: 'ord_1', step: 'renewal', period: 3 },
  ...{ call: 'chargeSaved', request: { savedMethod: 'card' }, amountCents: 1900, currency: 'usd', status: 'sent' },
  ...{ processor: 'simulated', createdAt: new Date(nowMs - 1_000), sentAt: new Date(nowMs), checks: 0 },
  ...{ lastFour: null, wallet: null },
} as unknown as Payment;

const decided = (outcome: Answered, subscription: Partial<Stands> = {}, of: Partial<Payment> = {}) => {
  const renewal = { ...payment, ...of } as Payment;
  const { update } = decideAnswer(renewal, outcome, nowMs, { isFirst: true });
  return decideRenewal(renewal, update, { ...stands, ...subscription });
};

const succeeded: Answered = { status: 'succeeded', reference: 'ref_1', lastFour: '4242' };
const declined: Answered = { status: 'declined', kind: 'soft', reason: 'insufficient_funds', message: 'No.' };
const lost: Answered = { status: 'declined', kind: 'hard', reason: 'lost_card', message: 'Lost.' };
const undone: Answered = { status: 'not_done', why: 'rate_limited', message: 'Too many requests.' };
const unsent: Answered = { status: 'not_sent', why: 'no_processor' };
const confirmation: Answered = { status: 'requires_action', reference: 'ref_1', url: 'https://bank.example' };

/** As `decided`, of an answer with an outcome. */
const known = (...of: Parameters<typeof decided>) => {
  const result = decided(...of);
  if (result === undefined) throw new Error('the outcome is not known');
  return result;
};

const rebilled = (statusAfter: string) => [subscriptionRebilled, { attempt: 1, statusAfter }] as const;
const failed = (attempt: number, statusAfter: string) =>
  [subscriptionPaymentFailed, { attempt, statusAfter, paymentId: payment.id }] as const;
const ended = [subscriptionCanceled, { reason: 'payment_failed', sendWebhook: true }] as const;

test.each([
  ['a success', succeeded, {}, 'paid', { status: 'active', period: 3 }, [rebilled('active')]],
  [
    'a success while it is paused',
    succeeded,
    { status: 'paused' },
    'paid',
    { status: 'paused', period: 3 },
    [rebilled('paused')],
  ],
  ['a soft decline', declined, {}, 'declined', { status: 'past_due', hard_declined: false }, [failed(1, 'past_due')]],
  ['a hard decline', lost, {}, 'declined', { status: 'past_due', hard_declined: true }, [failed(1, 'past_due')]],
  ['the fourth decline', declined, lastTry, 'declined', { status: 'canceled' }, [failed(4, 'canceled'), ended]],
  ['a decline of a canceled one', declined, { status: 'canceled' }, 'declined', null, []],
  ['that the processor never got it', { status: 'not_received' }, {}, 'not_received', null, []],
  ['that nothing was done', undone, {}, 'not_received', null, []],
] as const)(
  '%s: what becomes of the subscription, and the events of it',
  (_, outcome, subscription, kind, after, events) => {
    const result = known(outcome, subscription);
    expect(result.outcome.kind).toBe(kind);
    if (after === null) expect(result.effect.after).toBeNull();
    else expect(result.effect.after).toMatchObject(after);
    const all = renewalEvents(result, nowMs, true);
    expect(all.map(({ definition, data }) => [definition, data])).toMatchObject(events);
    expect(endsUnpaid(result.effect)).toBe(all.some(({ definition }) => definition === subscriptionCanceled));
  },
);

test.each([
  ['the outcome is unknown', { status: 'unknown' }],
  ['its buyer has to confirm it', confirmation],
] as const)('nothing is decided while %s', (_, outcome) => {
  expect(decided(outcome)).toBeUndefined();
});

test('a decline without a sending counts as an attempt with its own reason', () => {
  expect(decided(unsent)).toMatchObject({ outcome: { kind: 'declined', hard: false }, effect: { paid: false } });
});

test('what the answer says of the card is kept, unless the subscription has another one now', () => {
  expect(decided(succeeded)?.card).toEqual({ processor: 'simulated', last_four: '4242', wallet: null });
  expect(decided(succeeded, { payment_method: 'newer' })?.card).toBeNull();
});

test('a renewal’s event names the card that was charged, also where the subscription has another one now', () => {
  const cardIn = (...of: Parameters<typeof decided>) => {
    const [event] = renewalEvents(known(...of), nowMs, false);
    const { lastFour, wallet } = Object.assign({ lastFour: null, wallet: null }, event?.data);
    return [lastFour, wallet];
  };
  const byWallet: Answered = { ...succeeded, wallet: 'apple_pay' };
  expect(cardIn(byWallet)).toEqual(['4242', 'apple_pay']);
  expect(cardIn(succeeded, { payment_method: 'newer' })).toEqual(['4242', null]);
  // What an earlier answer to the same payment has shown.
  const silent: Answered = { status: 'succeeded', reference: 'ref_1' };
  expect(cardIn(silent, {}, { lastFour: '1881', wallet: null })).toEqual(['1881', null]);
});

test('the payment of a rehearsal ends at its own time, which is ahead of the clock', () => {
  const ahead = new Date(nowMs + 86_400_000);
  expect(decided(succeeded)?.outcome.at).toEqual(new Date(nowMs));
  expect(decided(succeeded, {}, { createdAt: ahead })?.outcome.at).toEqual(ahead);
});

test('an event has the id of its payment, and the end of the subscription follows it by a millisecond', () => {
  const once = renewalEvents(known(declined, lastTry), nowMs, false);
  const again = renewalEvents(known(declined, lastTry), nowMs + 5, false);
  expect(once.map(({ source }) => source.nowMs)).toEqual([nowMs, nowMs + 1]);
  expect(once[0]?.source.eventId).toMatch(/^evt_/);
  expect(again[0]?.source.eventId).toBe(once[0]?.source.eventId);
  expect(once[1]?.data).toMatchObject({ sendWebhook: false });
  const unpaid = { ...known(declined), paymentId: null };
  expect(renewalEvents(unpaid, nowMs, false).map(({ source }) => source)).toEqual([{ nowMs }]);
});

test('only a charge of a saved card renews a period', () => {
  expect(() => decided(succeeded, {}, { period: null })).toThrow('renews no period');
});
