import { type DeclineReason, declineReason } from '@app/contracts/payments';

/** What a buyer reads of a decline: what happened, and what they can do about it. */
export const declineTexts: Readonly<Record<DeclineReason, { readonly what: string; readonly next: string }>> = {
  card_declined: { what: 'Your card was declined.', next: 'Try another card.' },
  try_again_later: { what: 'The payment did not go through.', next: 'Try again.' },
  incorrect_cvc: {
    what: 'The security code does not fit this card.',
    next: 'Check the code on the card, and try again.',
  },
  expired_card: {
    what: 'The card has expired, or its date is wrong.',
    next: 'Check the date, or use another card.',
  },
  insufficient_funds: {
    what: 'There is not enough money on this card.',
    next: 'Use another card, or try again once there is.',
  },
  amount_too_small: {
    what: 'The total is less than a card can be charged.',
    next: 'Write to the shop: it can change the price.',
  },
  ask_bank: {
    what: 'Your bank declined the payment.',
    next: 'Ask your bank to allow it, or use another card.',
  },
};

/** Texts of every reason, as `say` says one. */
export const sayingDeclines = (
  say: (text: { readonly what: string; readonly next: string }) => string,
): Readonly<Record<DeclineReason, string>> =>
  Object.fromEntries(declineReason.options.map((reason) => [reason, say(declineTexts[reason])])) as Record<
    DeclineReason,
    string
  >;
