import { cardWallet } from '@app/contracts/card-wallets';
import type Stripe from 'stripe';
import type { ProcessorOutcome } from '../port.ts';
import { declineOf, declines, type StripeDecline } from './stripe-declines.rules.ts';
import { chargeOf, idOf, isHold, savedMethodOf } from './stripe-objects.ts';

type Intent = Stripe.PaymentIntent | Stripe.SetupIntent;

/** What is shown of a card. */
export type ShownCard = Pick<Extract<ProcessorOutcome, { status: 'succeeded' }>, 'lastFour' | 'wallet'>;

interface CardOfStripe {
  readonly last4: string | null;
  readonly wallet: { readonly type: string } | null;
}

/**
 * The digits are those of the card itself, not of the number that a wallet pays with (`dynamic_last4`); other wallets than ours
 * are not shown. Source: `Charge.PaymentMethodDetails.Card.Wallet` in the package.
 */
export function shownCardOf(card: CardOfStripe | undefined): ShownCard {
  const { last4, wallet } = card ?? {};
  const known = cardWallet.safeParse(wallet?.type);
  return { ...(typeof last4 === 'string' && { lastFour: last4 }), ...(known.success && { wallet: known.data }) };
}

/**
 * Reasons of Stripe itself for ending a hold that was not captured in time. Any other `cancellation_reason`, and none, is of whoever
 * canceled it: `abandoned`, `duplicate`, `fraudulent`, `requested_by_customer`. https://docs.stripe.com/api/payment_intents/object
 */
const endedByStripe = new Set<string | null>(['automatic', 'expired']);

/**
 * How an intent stands, for the payment that made it. Where it is waiting for a method its buyer could still pay, if they had its
 * client secret: cancel it before this is returned.
 * @param savedCard what is shown of a card that was saved
 * @throws Error for a status that a card never has
 */
export function intentOutcome(intent: Intent, savedCard: ShownCard = {}): ProcessorOutcome {
  switch (intent.status) {
    case 'succeeded':
    case 'requires_capture':
      return intent.object === 'payment_intent' ? paidOf(intent) : savedOf(intent, savedCard);
    case 'requires_action':
      return { status: 'requires_action', reference: intent.id, url: confirmationUrl(intent) };
    case 'requires_payment_method':
      return declineOf(lastNo(intent) ?? {});
    case 'canceled':
      return endOf(intent);
    default:
      throw new Error(`a payment at Stripe is ${intent.status}`);
  }
}

/** Where the buyer confirms at the bank; null where Stripe wants its own script to do it. */
export const confirmationUrl = ({ next_action }: Intent): string | null => next_action?.redirect_to_url?.url ?? null;

function paidOf(intent: Stripe.PaymentIntent): ProcessorOutcome {
  const card = chargeOf(intent)?.payment_method_details?.card;
  const { capture_before } = card ?? {};
  const [customer, method] = [idOf(intent.customer), idOf(intent.payment_method)];
  const isSaved = intent.setup_future_usage !== null && customer !== undefined && method !== undefined;
  return {
    status: 'succeeded',
    reference: intent.id,
    ...(isSaved && { savedMethod: savedMethodOf(customer, method) }),
    ...shownCardOf(card),
    ...(isHold(intent) && capture_before !== undefined && { captureBefore: new Date(capture_before * 1_000) }),
  };
}

function savedOf(intent: Stripe.SetupIntent, card: ShownCard): ProcessorOutcome {
  const { customer, payment_method: method } = intent;
  return {
    status: 'succeeded',
    reference: intent.id,
    savedMethod: savedMethodOf(idOf(customer) ?? '', idOf(method) ?? ''),
    ...card,
  };
}

function endOf(intent: Intent): ProcessorOutcome {
  if (isExpiredHold(intent)) return paidOf(intent);
  const no = lastNo(intent);
  if (no !== undefined) return declineOf(no);
  return endedByStripe.has(intent.cancellation_reason) ? declines.holdExpired : declines.released;
}

/** Whether it held the money until Stripe ended it: what is charged instead has a key that follows from its own. */
export const isExpiredHold = (intent: Intent): intent is Stripe.PaymentIntent =>
  intent.object === 'payment_intent' &&
  isHold(intent) &&
  endedByStripe.has(intent.cancellation_reason) &&
  chargeOf(intent)?.status === 'succeeded';

/** The last error of the intent, as those of answers are read. */
export function lastNo(intent: Intent): StripeDecline | undefined {
  const last = intent.object === 'payment_intent' ? intent.last_payment_error : intent.last_setup_error;
  if (last === null) return undefined;
  const { code, decline_code, advice_code, message, payment_method } = last;
  return { code, decline_code, advice_code, message, last4: payment_method?.card?.last4 };
}

/** What a capture is answered where the hold is none any more, or never was; undefined where it may be captured. */
export function captureRefusal(intent: Stripe.PaymentIntent) {
  if (!isHold(intent)) return declines.notAHold;
  switch (intent.status) {
    case 'requires_capture':
      return undefined;
    case 'succeeded':
      return declines.alreadyCaptured;
    case 'canceled':
      return endedByStripe.has(intent.cancellation_reason) ? declines.holdExpired : declines.alreadyReleased;
    default:
      return declines.notAHold;
  }
}

/** Of a refund, whether it is new or an earlier one: what waits for the seller's balance counts as taken. */
export const refundOutcome = ({ id, status }: Stripe.Refund): ProcessorOutcome =>
  status === 'failed' || status === 'canceled' ? declines.refundFailed : { status: 'succeeded', reference: id };
