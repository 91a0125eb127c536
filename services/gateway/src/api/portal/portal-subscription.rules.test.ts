import { expect, test } from 'vitest';
import {
  awaitsConfirmation,
  failedReasonOf,
  inPortalOrder,
  portalChargesOf,
  portalSubscriptionOf,
  type SubscriptionOfBilling,
} from './portal-subscription.rules.ts';

type Payment = SubscriptionOfBilling['payments'][number];
const payment = (change: Partial<Payment>): Payment =>
  ({
    id: 'pmt_1',
    step: 'renewal',
    amount_cents: 900,
    status: 'succeeded',
    reason: null,
    last_four: '4242',
    created_at: '2026-11-01T00:00:00.000Z',
    finished_at: '2026-11-01T00:00:01.000Z',
    ...change,
  }) as Payment;
const subscription = (change: Partial<SubscriptionOfBilling>): SubscriptionOfBilling =>
  ({ id: 'sub_1', status: 'active', cancel_at: null, payments: [], ...change }) as SubscriptionOfBilling;
const allowed = { portalCancel: true, portalPause: true };
const may = (change: Partial<SubscriptionOfBilling>, settings = allowed) => {
  const { may_cancel, may_pause, may_resume } = portalSubscriptionOf(subscription(change), settings, null);
  return [may_cancel, may_pause, may_resume];
};

test('a buyer may do what the seller allows and the state lets', () => {
  expect(may({})).toEqual([true, true, false]);
  expect(may({ status: 'past_due' })).toEqual([true, true, false]);
  expect(may({ status: 'paused', paused_by: 'buyer' })).toEqual([true, false, true]);
  expect(may({ status: 'paused', paused_by: 'seller' })).toEqual([true, false, false]);
  expect(may({ status: 'canceled' })).toEqual([false, false, false]);
  expect(may({ cancel_at: '2026-12-01T00:00:00.000Z' })).toEqual([true, false, false]);
  expect(may({}, { portalCancel: false, portalPause: true })).toEqual([false, true, false]);
  expect(may({ status: 'paused', paused_by: 'buyer' }, { portalCancel: true, portalPause: false })).toEqual([
    true,
    false,
    false,
  ]);
});

test('a buyer reads of a failed renewal only whether it was the card, of the newest attempt', () => {
  const declined = (reason: string) => payment({ status: 'declined', reason });
  const pastDue = (...payments: Payment[]) => failedReasonOf(subscription({ status: 'past_due', payments }));
  expect(pastDue(declined('stolen_card'), declined('processing_error'))).toBe('card_declined');
  expect(pastDue(payment({ status: 'sent' }), declined('processing_error'))).toBe('try_again_later');
  // A card that is known to be lost is not charged at all.
  expect(pastDue()).toBe('card_declined');
  expect(failedReasonOf(subscription({ payments: [declined('stolen_card')] }))).toBeNull();
});

test('a payment waits for its buyer while a renewal does at the bank', () => {
  const awaits = (...payments: Payment[]) => awaitsConfirmation(subscription({ status: 'past_due', payments }));
  expect(awaits(payment({ status: 'requires_action' }), payment({ status: 'declined' }))).toBe(true);
  expect(awaits(payment({ status: 'sent' }), payment({ status: 'declined' }))).toBe(false);
  expect(awaits(payment({ status: 'requires_action', step: 'card' as Payment['step'] }))).toBe(false);
  expect(awaits()).toBe(false);
});

test('what needs the buyer comes first, then the newest', () => {
  const shown = (id: string, status: SubscriptionOfBilling['status']) =>
    portalSubscriptionOf(subscription({ id, status }), allowed, null);
  const list = [
    shown('sub_1', 'active'),
    shown('sub_2', 'past_due'),
    shown('sub_3', 'canceled'),
    shown('sub_4', 'past_due'),
  ];
  expect(list.sort(inPortalOrder).map(({ id }) => id)).toEqual(['sub_4', 'sub_2', 'sub_3', 'sub_1']);
});

test('a renewal shows how its charge stands and what went back of it', () => {
  const payments = [
    payment({ id: 'pmt_4', status: 'unknown', finished_at: null }),
    payment({ id: 'pmt_3' }),
    payment({ id: 'pmt_2', step: 'refund' }),
    payment({ id: 'pmt_1', status: 'declined' }),
  ];
  const refund = { payment_id: 'pmt_3', renewal: true, refunded_at: '' };
  const charges = portalChargesOf(subscription({ payments }), [
    { ...refund, amount_cents: 100 },
    { ...refund, amount_cents: 200 },
    { ...refund, payment_id: 'pmt_9', amount_cents: 400 },
  ]);
  expect(charges).toEqual([
    {
      amount_cents: 900,
      refunded_cents: 0,
      status: 'processing',
      last_four: '4242',
      wallet: null,
      charged_at: payments[0]?.created_at,
    },
    {
      amount_cents: 900,
      refunded_cents: 300,
      status: 'paid',
      last_four: '4242',
      wallet: null,
      charged_at: payments[1]?.finished_at,
    },
    {
      amount_cents: 900,
      refunded_cents: 0,
      status: 'declined',
      last_four: '4242',
      wallet: null,
      charged_at: payments[3]?.finished_at,
    },
  ]);
});
