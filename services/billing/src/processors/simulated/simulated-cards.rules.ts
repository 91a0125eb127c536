import { hourMs } from '@app/contracts/durations';
/** The cards that the simulated processor knows, by token, and how each of them behaves. */

export interface DeclineWords {
  /** `hard`: this card will not work again. */
  readonly kind: 'soft' | 'hard';
  readonly message: string;
}

const soft = (message: string): DeclineWords => ({ kind: 'soft', message });
const hard = (message: string): DeclineWords => ({ kind: 'hard', message });

/** Every reason that the simulated processor gives for a no. */
const declines = {
  card_declined: soft('The bank declined the card.'),
  insufficient_funds: soft('There is not enough money on the card.'),
  authentication_required: soft('The bank wants the buyer to confirm, and the buyer is away.'),
  authentication_failed: soft('The buyer did not confirm the payment at the bank.'),
  lost_card: hard('The card was reported lost.'),
  expired_card: hard('The card has expired.'),
  invalid_payment_method: hard('The processor does not know this payment method.'),
  hold_expired: soft('The hold has expired.'),
  capture_failed: soft('The bank did not let the hold be captured.'),
  charge_disputed: soft('The bank disputes the charge.'),
  refund_declined: soft('The bank does not take refunds for this card.'),
  refund_failed: soft('The bank sent the refund back.'),
  released: soft('The payment was released.'),
  already_captured: soft('The hold was captured before.'),
  already_released: soft('The hold was released before.'),
  already_succeeded: soft('The payment has succeeded and cannot be ended.'),
  amount_too_large: soft('The amount is more than what is left.'),
  currency_mismatch: soft('The currency is not that of the payment.'),
  not_a_hold: soft('Only a hold can be captured.'),
  not_refundable: soft('Only a charge that succeeded can be refunded.'),
  not_releasable: soft('Only a hold or a payment that waits for the buyer can be released.'),
} as const satisfies Record<string, DeclineWords>;

export type DeclineReason = keyof typeof declines;

/** The reason's kind and words. @throws Error for a reason that is not in the list */
export function wordsOf(reason: string): DeclineWords {
  if (!Object.hasOwn(declines, reason)) throw new Error(`the simulated processor has no words for ${reason}`);
  return declines[reason as DeclineReason];
}

/** How an entry's card goes on: kept in the entry, and handed on to what follows from it. */
export interface Traits {
  /** Why charges of the saved method are declined. */
  readonly savedDecline?: DeclineReason;
  /** The answer to the first sending of a charge of the saved method never comes. */
  readonly savedUnanswered?: true;
  readonly captureDecline?: DeclineReason;
  readonly refundDecline?: DeclineReason;
  /** Refunds are taken and fail this much later. */
  readonly refundFailsAfterMs?: number;
  /** The bank disputes its charges and captures at once, and the seller gives no evidence. */
  readonly disputed?: true;
  /** What the buyer does at the bank; left out: nothing. */
  readonly buyer?: 'confirms' | 'refuses';
  /** The bank asks the buyer of each charge of the saved method, and this is what they do. */
  readonly savedBuyer?: 'confirms' | 'refuses' | 'leaves';
}

/** What the network does to the first sending of a request; a later one with the same key is answered. */
export type NetworkFault = 'request_lost' | 'answer_lost' | 'connection_broken' | 'slow';

export interface SimulatedCard {
  /** To the first request with the card: `authorize`, `charge` or `saveMethod`. */
  readonly answer: 'succeeded' | 'requires_action' | DeclineReason;
  readonly lastFour?: string;
  readonly fault?: NetworkFault;
  readonly traits: Traits;
}

const works = (lastFour: string, traits: Traits = {}, fault?: NetworkFault): SimulatedCard => ({
  answer: 'succeeded',
  lastFour,
  traits,
  ...(fault === undefined ? {} : { fault }),
});
const declined = (lastFour: string, reason: DeclineReason): SimulatedCard => ({
  answer: reason,
  lastFour,
  traits: { savedDecline: reason },
});
const needsBuyer = (lastFour: string, traits: Traits): SimulatedCard => ({
  answer: 'requires_action',
  lastFour,
  traits,
});

/** The bank wants each charge of the saved method confirmed. */
const confirmsLater = (savedBuyer: NonNullable<Traits['savedBuyer']>): Traits => ({
  savedDecline: 'authentication_required',
  savedBuyer,
});

/** By token. */
export const cards: Readonly<Record<string, SimulatedCard>> = {
  sim_ok: works('4242'),
  sim_declined: declined('0002', 'card_declined'),
  sim_insufficient_funds: declined('9995', 'insufficient_funds'),
  sim_lost_card: declined('9987', 'lost_card'),
  sim_expired_card: declined('0069', 'expired_card'),
  sim_renewal_declined: works('0341', { savedDecline: 'card_declined' }),
  sim_renewal_insufficient_funds: works('0342', { savedDecline: 'insufficient_funds' }),
  sim_renewal_lost_card: works('0343', { savedDecline: 'lost_card' }),
  sim_renewal_requires_action: works('0344', confirmsLater('confirms')),
  sim_renewal_action_refused: works('0346', confirmsLater('refuses')),
  sim_renewal_action_ignored: works('0347', confirmsLater('leaves')),
  sim_renewal_timeout_after: works('0345', { savedUnanswered: true }),
  sim_timeout_before: works('0501', {}, 'request_lost'),
  sim_timeout_after: works('0502', {}, 'answer_lost'),
  sim_error_after: works('0503', {}, 'connection_broken'),
  sim_slow: works('0504', {}, 'slow'),
  sim_hold_expires: works('0601', { captureDecline: 'hold_expired' }),
  sim_capture_fails: works('0602', { captureDecline: 'capture_failed' }),
  sim_refund_declined: works('0701', { refundDecline: 'refund_declined' }),
  sim_refund_fails: works('0702', { refundFailsAfterMs: hourMs }),
  sim_disputed: works('0259', { disputed: true }),
  sim_requires_action: needsBuyer('3220', { buyer: 'confirms' }),
  sim_always_requires_action: needsBuyer('3184', { buyer: 'confirms', ...confirmsLater('confirms') }),
  sim_action_refused: needsBuyer('3221', { buyer: 'refuses' }),
  sim_action_ignored: needsBuyer('3222', {}),
};

const unknownCard: SimulatedCard = { answer: 'invalid_payment_method', traits: {} };

/** The card of a token; any text that is none gets one that is always declined, hard. */
export const cardOf = (token: string): SimulatedCard => knownCard(token) ?? unknownCard;

/** Undefined for a text that is no token of a card. */
export const knownCard = (token: string): SimulatedCard | undefined =>
  Object.hasOwn(cards, token) ? cards[token] : undefined;

/**
 * The card as one whose first charge was made elsewhere: sellers hand over tokens of cards that their own code charged.
 * @param isThere whether the buyer is, and may confirm
 */
export function asSaved({ answer, traits, ...card }: SimulatedCard, isThere = false): SimulatedCard {
  const { savedDecline, savedUnanswered, savedBuyer, buyer, ...rest } = traits;
  if (isThere && savedBuyer !== undefined) {
    return {
      ...card,
      answer: 'requires_action',
      traits: savedBuyer === 'leaves' ? rest : { ...rest, buyer: savedBuyer },
    };
  }
  return {
    ...card,
    answer: savedDecline ?? (answer === 'requires_action' ? 'succeeded' : answer),
    traits: buyer === undefined ? rest : { ...rest, buyer },
    ...(savedUnanswered ? { fault: 'answer_lost' as const } : {}),
  };
}
