import { expect, test } from 'vitest';
import { declineOf } from './stripe-declines.rules.ts';

test.each([
  { given: { code: 'card_declined', decline_code: 'generic_decline' }, kind: 'soft', reason: 'generic_decline' },
  { given: { code: 'card_declined', decline_code: 'lost_card' }, kind: 'hard', reason: 'lost_card' },
  { given: { code: 'expired_card', decline_code: 'expired_card' }, kind: 'hard', reason: 'expired_card' },
  { given: { code: 'expired_card' }, kind: 'hard', reason: 'expired_card' },
  { given: { code: 'incorrect_number' }, kind: 'hard', reason: 'incorrect_number' },
  { given: { code: 'authentication_required' }, kind: 'soft', reason: 'authentication_required' },
  {
    given: { code: 'card_declined', decline_code: 'do_not_honor', advice_code: 'do_not_try_again' },
    kind: 'hard',
    reason: 'do_not_honor',
  },
  {
    given: { code: 'card_declined', decline_code: 'do_not_honor', advice_code: 'try_again_later' },
    kind: 'soft',
    reason: 'do_not_honor',
  },
  { given: {}, kind: 'soft', reason: 'card_declined' },
])('$given is $kind', ({ given, kind, reason }) => {
  expect(declineOf({ ...given, message: 'No.', last4: '0002' })).toEqual({
    ...{ status: 'declined', kind, reason, message: 'No.', lastFour: '0002' },
  });
});

/** Stripe's codes of cards: https://docs.stripe.com/declines/codes. */
const codes = {
  hard: `do_not_try_again expired_card highest_risk_level incorrect_number invalid_account invalid_number lost_card
    new_account_information_available pickup_card restricted_card revocation_of_all_authorizations revocation_of_authorization
    stolen_card stop_payment_order transaction_not_allowed`,
  soft: `approve_with_id authentication_not_handled authentication_required call_issuer card_not_supported card_velocity_exceeded
    currency_not_supported do_not_honor duplicate_transaction fraudulent generic_decline incorrect_address incorrect_cvc
    incorrect_pin incorrect_zip insufficient_funds invalid_amount invalid_cvc invalid_expiry_month invalid_expiry_year invalid_pin
    issuer_not_available merchant_blacklist mobile_device_authentication_required no_action_taken not_permitted
    offline_pin_required online_or_offline_pin_required pin_try_exceeded previously_declined_do_not_retry processing_error
    reenter_transaction security_violation service_not_allowed testmode_decline try_again_later withdrawal_count_limit_exceeded`,
} as const;

test.each(['hard', 'soft'] as const)('a renewal goes on being charged after a soft code alone: the %s ones', (kind) => {
  const declined = codes[kind].split(/\s+/).map((decline_code) => declineOf({ code: 'card_declined', decline_code }));
  expect(declined.filter((one) => one.kind !== kind).map(({ reason }) => reason)).toEqual([]);
});
