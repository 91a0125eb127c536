import type { ProcessorOutcome } from '../port.ts';
import { declineOf, declines, impossible, unusable } from './stripe-declines.rules.ts';
import { StripeAnswerError } from './stripe-errors.ts';

type Declined = Extract<ProcessorOutcome, { status: 'declined' }>;

/**
 * What Stripe's no to a request that makes an intent says. It is decided by code and parameter: the status says only whether it is one of
 * Stripe's own, 400, and 404 in earlier versions of some.
 */
export type Refusal =
  | { readonly of: 'payment'; readonly outcome: Declined }
  /**
   * It names the method or the currency, and does not say for certain what is wrong with it: this may be the payment's, the account's, or a
   * mistake of ours. A buyer may give another card.
   */
  | { readonly of: 'parameter'; readonly outcome: Declined }
  /** Stripe has no such customer, or not any more. */
  | { readonly of: 'customer' }
  /** Stripe does not take the request. Of a method that was detached it says neither code nor parameter: only reading that tells. */
  | { readonly of: 'request' };

/** Undefined for what is no no of Stripe, and for a key that was used with other parameters. */
export function refusalOf(err: unknown): Refusal | undefined {
  if (!(err instanceof StripeAnswerError)) return undefined;
  const { type, status, param, code } = err;
  if (type === 'card_error') return { of: 'payment', outcome: declineOf(err.decline) };
  if (type !== 'invalid_request_error' || (status !== 400 && status !== 404)) return undefined;
  if (param === 'customer' && code === 'resource_missing') return { of: 'customer' };
  const outcome = decidedBy(err);
  if (outcome !== undefined) return { of: 'payment', outcome };
  const isOfMethod = param === 'payment_method' || code === 'payment_method_unsupported_type';
  if (isOfMethod) return { of: 'parameter', outcome: unusable(err.decline.message ?? err.message) };
  if (param === 'currency')
    return { of: 'parameter', outcome: impossible('currency_not_supported', err.decline.message ?? err.message) };
  return status === 400 ? { of: 'request' } : undefined;
}

const notTheMoney = new Set<string | undefined>(['amount_too_large', 'amount_too_small']);

function decidedBy({ param, code, decline, message }: StripeAnswerError): Declined | undefined {
  if (param === 'confirmation_token') return declines.invalidToken;
  if (param === 'payment_method' && code === 'resource_missing') return declines.invalidMethod;
  // https://docs.stripe.com/error-codes: of the other codes of methods some speak of the seller's settings, some pass.
  if (code === 'payment_method_unexpected_state') return unusable(decline.message ?? message);
  if (notTheMoney.has(code)) return declineOf(decline);
  return undefined;
}
