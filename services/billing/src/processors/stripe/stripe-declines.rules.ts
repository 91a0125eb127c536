import type { ProcessorOutcome } from '../port.ts';

type Declined = Extract<ProcessorOutcome, { status: 'declined' }>;

/** What Stripe says of a no: of an error, or of an intent's last one. */
export interface StripeDecline {
  readonly code?: string | undefined;
  readonly decline_code?: string | undefined;
  readonly advice_code?: string | undefined;
  readonly message?: string | undefined;
  /** Last four digits of the card. */
  readonly last4?: string | undefined;
}

/**
 * The card will not work again, or may not be charged again. Stripe's codes are at https://docs.stripe.com/declines/codes; it does not
 * send a card again after some of them (https://docs.stripe.com/billing/revenue-recovery/smart-retries). Visa's first category, which
 * an issuer never approves, adds `stop_payment_order` and closed accounts
 * (https://www.checkout.com/docs/developer-resources/codes/visa-response-codes.md).
 */
const hardCodes = new Set([
  'do_not_try_again',
  'expired_card',
  'highest_risk_level',
  'incorrect_number',
  'invalid_account',
  'invalid_number',
  'lost_card',
  'new_account_information_available',
  'pickup_card',
  'restricted_card',
  'revocation_of_all_authorizations',
  'revocation_of_authorization',
  'stolen_card',
  'stop_payment_order',
  'transaction_not_allowed',
]);

/** A definite no of the bank or of Stripe. */
export function declineOf({ code, decline_code, advice_code, message, last4 }: StripeDecline): Declined {
  const reason = decline_code ?? code ?? 'card_declined';
  const isHard = advice_code === 'do_not_try_again' || hardCodes.has(reason) || hardCodes.has(code ?? '');
  return {
    status: 'declined',
    kind: isHard ? 'hard' : 'soft',
    reason,
    message: message ?? 'Stripe declined the payment.',
    ...(last4 === undefined ? {} : { lastFour: last4 }),
  };
}

const no = (kind: Declined['kind'], reason: string, message: string): Declined => ({
  status: 'declined',
  kind,
  reason,
  message,
});

/** What the adapter says itself. Billing acts on `hold_expired`, `already_released`, `already_captured` and, of a release, `already_succeeded`. */
export const declines = {
  invalidMethod: no('hard', 'invalid_payment_method', 'Stripe does not know this payment method.'),
  invalidToken: no(
    'hard',
    'invalid_payment_method',
    'Stripe does not know this card: its token was used or has expired, or the publishable key is of another Stripe account or mode than the secret key.',
  ),
  customerDeleted: no(
    'hard',
    'invalid_payment_method',
    'The customer of this card was deleted at Stripe, and its card with it: the buyer must give a card again.',
  ),
  detachedMethod: no(
    'hard',
    'invalid_payment_method',
    'This card was removed from its customer at Stripe, and cannot be charged any more: the buyer must give a card again.',
  ),
  holdExpired: no('soft', 'hold_expired', 'The hold has expired.'),
  alreadyReleased: no('soft', 'already_released', 'The hold was released before.'),
  alreadyCaptured: no('soft', 'already_captured', 'The hold was captured before.'),
  alreadySucceeded: no('soft', 'already_succeeded', 'The payment has succeeded and cannot be ended.'),
  released: no('soft', 'released', 'The payment was released.'),
  notAHold: no('soft', 'not_a_hold', 'Only a hold can be captured.'),
  notRefundable: no('soft', 'not_refundable', 'Only a charge that succeeded can be refunded.'),
  currencyMismatch: no('soft', 'currency_mismatch', 'The currency is not that of the payment.'),
  amountTooLarge: no('soft', 'amount_too_large', 'The amount is more than what is left.'),
  refundFailed: no('soft', 'refund_failed', 'The bank sent the refund back.'),
  noConfirmation: no('soft', 'authentication_required', 'The bank wants a confirmation that this page cannot show.'),
} as const;

/** A method that Stripe does not take, in Stripe's words. */
export const unusable = (message: string): Declined => no('hard', 'invalid_payment_method', message);
export const impossible = (reason: string, message: string): Declined => no('soft', reason, message);
