import { expect, test } from 'vitest';
import { buyerReason } from './decline-reasons.ts';
import { declineReason } from './payments.ts';

test.each([
  ['incorrect_cvc', ['incorrect_cvc', 'invalid_cvc']],
  ['expired_card', ['expired_card', 'invalid_expiry_month', 'invalid_expiry_year']],
  ['insufficient_funds', ['insufficient_funds']],
  ['amount_too_small', ['amount_too_small']],
  ['ask_bank', ['call_issuer', 'card_velocity_exceeded', 'do_not_honor', 'transaction_not_allowed']],
  ['try_again_later', ['issuer_not_available', 'processing_error', 'reenter_transaction']],
])('buyers read %s of what they can do something about', (shown, codes) => {
  expect(declineReason.options).toContain(shown);
  expect(codes.map(buyerReason)).toEqual(codes.map(() => shown));
});

test('a card that was reported lost or stolen, or looks like fraud, is to its buyer a card that was declined', () => {
  const alike = ['fraudulent', 'generic_decline', 'lost_card', 'merchant_blacklist', 'pickup_card', 'restricted_card'];
  expect([...alike, 'stolen_card', 'card_declined', 'a_code_of_tomorrow', null].map(buyerReason)).toEqual(
    Array(10).fill('card_declined'),
  );
});
