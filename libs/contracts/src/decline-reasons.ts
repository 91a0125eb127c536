import type { z } from 'zod';
import type { declineReason } from './payments.ts';

type Shown = z.infer<typeof declineReason>;

/**
 * Codes of declines, the processors' and ours, by what a buyer can do. Those of Stripe are at https://docs.stripe.com/declines/codes:
 * it wants a lost or stolen card, and what looks like fraud, shown as `generic_decline` is, which is `card_declined` here, as every
 * code that is not in this list.
 */
const codesOf: Readonly<Record<Exclude<Shown, 'card_declined'>, readonly string[]>> = {
  /** They say nothing of the card. */
  try_again_later: [
    'not_received',
    'given_up',
    'processor_key_unreadable',
    'no_payment_processor',
    'nothing_done',
    'request_refused',
    'request_refused_again',
    'other_payment',
    'processing_error',
    'issuer_not_available',
    'reenter_transaction',
    'try_again_later',
  ],
  incorrect_cvc: ['incorrect_cvc', 'invalid_cvc'],
  expired_card: ['expired_card', 'invalid_expiry_month', 'invalid_expiry_year'],
  insufficient_funds: ['insufficient_funds'],
  amount_too_small: ['amount_too_small'],
  ask_bank: [
    'approve_with_id',
    'call_issuer',
    'card_not_supported',
    'card_velocity_exceeded',
    'currency_not_supported',
    'do_not_honor',
    'not_permitted',
    'security_violation',
    'service_not_allowed',
    'stop_payment_order',
    'transaction_not_allowed',
    'withdrawal_count_limit_exceeded',
  ],
};

const reasons = new Map(
  Object.entries(codesOf).flatMap(([reason, codes]) => codes.map((code) => [code, reason as Shown] as const)),
);

/** What buyers read about a decline. @param reason the code in the payment log */
export const buyerReason = (reason: string | null): Shown => reasons.get(reason ?? '') ?? 'card_declined';
