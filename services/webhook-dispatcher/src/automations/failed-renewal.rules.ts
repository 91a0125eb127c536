import { dayMs } from '@app/contracts/durations';
import type { Payload } from '@app/contracts/triggers';
import { dayOf } from './receipt.rules.ts';

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

/** Payloads that were stored by an earlier version say no reason. */
const unknown = 'The card was declined, or your bank wants you to confirm the payment.';

/** What an email says of a failed renewal beside its payload: why, and the day of the next attempt, empty where none follows. */
export function failedRenewal(payload: Payload): { failure: string; nextTry: string } | undefined {
  if (payload.event !== 'subscription.payment_failed') return undefined;
  const { reason, nextTryDays, sentAt } = payload;
  const isTried = typeof nextTryDays === 'number' && nextTryDays > 0 && typeof sentAt === 'string';
  return {
    failure: sentences[String(reason)] ?? unknown,
    nextTry: isTried ? dayOf(new Date(Date.parse(sentAt) + nextTryDays * dayMs).toISOString()) : '',
  };
}
