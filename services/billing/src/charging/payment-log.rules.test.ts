import { expect, test } from 'vitest';
import type { Payment } from './payment.types.ts';
import { explanationOf, nextOf } from './payment-log.rules.ts';

const line = (fields: Partial<Payment>): Payment =>
  ({
    step: 'main',
    call: 'charge',
    status: 'succeeded',
    amountCents: 4900,
    currency: 'usd',
    declineReason: null,
    declineMessage: null,
    nextCheckAt: null,
    checks: 0,
    ...fields,
  }) as Payment;

const declined = {
  status: 'declined',
  declineReason: 'card_declined',
  declineMessage: 'The bank declined the card.',
} as const;

test.each([
  [{}, '$49.00 charged for the order.', null],
  [
    declined,
    '$49.00 not charged for the order. The bank declined the card.',
    'The buyer may try again, with this card or another one.',
  ],
  [
    { step: 'upsell', call: 'chargeSaved', ...declined },
    '$49.00 not charged to the saved card for the upsell. The bank declined the card.',
    'The order is complete without the upsell.',
  ],
  [
    { step: 'renewal', call: 'chargeSaved' },
    '$49.00 charged to the saved card for the renewal of the subscription.',
    null,
  ],
  [
    { step: 'renewal', call: 'chargeSaved', ...declined, declineReason: 'not_received', declineMessage: null },
    '$49.00 not charged to the saved card for the renewal of the subscription.',
    'It was no attempt: the next daily run charges the renewal anew.',
  ],
  [
    { step: 'renewal', call: 'chargeSaved', status: 'requires_action' },
    'The bank asks the buyer to confirm $49.00 for the renewal of the subscription.',
    'The payment goes on once the buyer has confirmed it; after an hour without that it is given up.',
  ],
  [{ step: 'refund', call: 'refund' }, '$49.00 refunded to the buyer.', null],
  [
    { status: 'unknown', nextCheckAt: new Date('2026-03-15T12:00:00.000Z') },
    'Whether $49.00 was charged for the order is not known yet: the payment processor gave no answer.',
    'The processor is queried for its state at 2026-03-15T12:00:00.000Z at the latest. Nothing else is charged on the order until then.',
  ],
] as const)('the log says what was tried and what follows: %j', (fields, explanation, next) => {
  const shown = line(fields as Partial<Payment>);
  expect([explanationOf(shown), nextOf(shown)]).toEqual([explanation, next]);
});

test.each([
  [
    { status: 'past_due', period: 1 },
    'The subscription shows when it is tried again. A new card is tried by the next daily run.',
  ],
  [{ status: 'canceled', period: 1 }, 'The subscription has ended: it is not tried again.'],
  [{ status: 'paused', period: 1 }, 'The subscription is paused: nothing is tried until it is resumed.'],
  [{ status: 'active', period: 2 }, 'The period was paid by a later attempt.'],
  [{ status: 'canceled', period: 2 }, 'The period was paid by a later attempt.'],
] as const)('what follows a declined renewal depends on its subscription: %j', (renewed, next) => {
  for (const reason of ['card_declined', 'not_received']) {
    if (reason === 'not_received' && renewed.status === 'past_due') continue;
    const declinedRenewal = { ...declined, step: 'renewal', period: 2, call: 'chargeSaved' } as const;
    expect(nextOf(line({ ...declinedRenewal, declineReason: reason }), renewed)).toBe(next);
  }
});
