import { dayMs } from '@app/contracts/durations';
import type { Payload } from '@app/contracts/triggers';
import { dayOf } from './receipt.rules.ts';

type Reader = 'buyer' | 'seller';

const sentences: Readonly<Record<string, string>> = {
  insufficient_funds: 'The account of the card did not have enough money.',
  expired_card: 'The card has expired.',
  incorrect_cvc: 'The security code of the card was not right.',
  authentication_required: 'The bank wants you to confirm the payment.',
  ask_bank: 'The bank declined it, and can tell you why.',
  try_again_later: 'It was not the card: the payment could not be made at that moment.',
  amount_too_small: 'The amount is smaller than the card can be charged.',
  card_declined: 'The bank declined the card and gave no reason.',
};

/** What speaks to the buyer, as the seller reads it. */
const sellerSentences: Readonly<Record<string, string>> = {
  ...sentences,
  authentication_required: 'The buyer’s bank wants them to confirm the payment.',
  ask_bank: 'The buyer’s bank declined it, and tells only the buyer why.',
};

/** Payloads that were stored by an earlier version say no reason. */
const unknown = {
  buyer: 'The card was declined, or your bank wants you to confirm the payment.',
  seller: 'The card was declined, or the buyer’s bank wants them to confirm the payment.',
} as const;

const ended = { buyer: 'Your subscription has ended.', seller: 'The subscription has ended.' } as const;

/** The attempt that ends a subscription, which a paused one never reaches. */
const attemptsMax = 4;

/** Whether the subscription ended with this failed renewal. */
export const endedWith = ({ event, attempt, nextTryDays }: Payload): boolean =>
  event === 'subscription.payment_failed' && Number(attempt) >= attemptsMax && nextTryDays === 0;

/**
 * What `automationEmail` says of a failed renewal beside its payload: why, the day of the next attempt, empty where none follows, and that
 * the subscription has ended, empty while it goes on.
 */
export function failedRenewal(
  payload: Payload,
  to: Reader,
): { failure: string; nextTry: string; ended: string } | undefined {
  if (payload.event !== 'subscription.payment_failed') return undefined;
  const { reason, nextTryDays, sentAt } = payload;
  const isTried = typeof nextTryDays === 'number' && nextTryDays > 0 && typeof sentAt === 'string';
  return {
    failure: (to === 'buyer' ? sentences : sellerSentences)[String(reason)] ?? unknown[to],
    nextTry: isTried ? dayOf(new Date(Date.parse(sentAt) + nextTryDays * dayMs).toISOString()) : '',
    ended: endedWith(payload) ? ended[to] : '',
  };
}
