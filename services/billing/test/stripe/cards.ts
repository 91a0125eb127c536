/**
 * The cards that the stand-in knows: those of Stripe by Stripe's names (docs.stripe.com/testing, declines as docs.stripe.com/declines/codes has them), and
 * some of its own (`standin`).
 */
export interface StripeCard {
  readonly last4: string;
  readonly wallet?: 'apple_pay' | 'google_pay';
  /** To the first charge, hold or saving. */
  readonly decline?: StripeDecline;
  /** To later charges of the saved method. */
  readonly savedDecline?: StripeDecline;
  /** The bank asks the buyer, who decides so when they come to its page. */
  readonly buyer?: 'confirms' | 'refuses' | 'leaves';
  /** The bank asks of each later charge of the saved method too, while the buyer is there. */
  readonly savedBuyer?: 'confirms' | 'refuses' | 'leaves';
  /** Only by Stripe's own script. */
  readonly byScript?: true;
  /** Stripe's script leads to a page of the bank. */
  readonly onPage?: true;
  /** The bank does not let the hold be captured, or ended it before Stripe's time. */
  readonly capture?: 'refused' | 'expired';
  /** Stripe does not take refunds of it. */
  readonly refundRefused?: true;
  /** Refunds fail this much later, in seconds. */
  readonly refundFailsAfterS?: number;
  /** The bank disputes each charge at once. */
  readonly disputed?: true;
  /** Refunds wait for the seller's balance. */
  readonly refundPends?: true;
  /** What the network does to the first sending of a key. */
  readonly fault?: 'request_lost' | 'answer_lost';
}

export interface StripeDecline {
  readonly code: string;
  readonly decline_code?: string;
  readonly advice_code?: string;
  readonly message: string;
}

const declined = (decline_code: string, advice_code = 'try_again_later'): StripeDecline => ({
  code: 'card_declined',
  decline_code,
  advice_code,
  message: 'Your card was declined.',
});

/** Probed by github.com/cloudronin/seahaven, words too. */
export const authenticationRequired: StripeDecline = {
  code: 'authentication_required',
  decline_code: 'authentication_required',
  message: 'Your card was declined. This transaction requires authentication.',
};

const confirmsLater = (savedBuyer: NonNullable<StripeCard['savedBuyer']>) => ({
  savedDecline: authenticationRequired,
  savedBuyer,
});

/** By the name of the method; a confirmation token has `ctoken_` in place of `pm_`, and is used once. */
const cards: Readonly<Record<string, StripeCard>> = {
  pm_card_visa: { last4: '4242' },
  // What Elements gives of a wallet is a card: https://docs.stripe.com/apple-pay
  pm_standin_apple_pay: { last4: '1234', wallet: 'apple_pay' },
  pm_standin_google_pay: { last4: '5678', wallet: 'google_pay' },
  pm_card_chargeDeclined: { last4: '0002', decline: declined('generic_decline') },
  pm_card_chargeDeclinedInsufficientFunds: { last4: '9995', decline: declined('insufficient_funds') },
  pm_card_chargeDeclinedLostCard: { last4: '9987', decline: declined('lost_card', 'do_not_try_again') },
  // As https://docs.stripe.com/testing#declined-payments names it: the error's code, and no code of the bank.
  pm_card_chargeDeclinedIncorrectCvc: {
    last4: '0127',
    decline: { code: 'incorrect_cvc', message: 'Your card’s security code is incorrect.' },
  },
  pm_card_chargeDeclinedExpiredCard: {
    last4: '0069',
    decline: { code: 'expired_card', message: 'Your card has expired.' },
  },
  pm_card_chargeCustomerFail: { last4: '0341', savedDecline: declined('generic_decline') },
  pm_card_authenticationRequired: { last4: '3184', buyer: 'confirms', ...confirmsLater('confirms') },
  pm_card_authenticationRequiredOnSetup: { last4: '3155', buyer: 'confirms' },
  pm_card_refundFail: { last4: '5126', refundFailsAfterS: 3_600 },
  pm_card_createDispute: { last4: '0259', disputed: true },
  pm_card_pendingRefund: { last4: '7726', refundPends: true },
  pm_standin_refuses: { last4: '3221', buyer: 'refuses' },
  pm_standin_leaves: { last4: '3222', buyer: 'leaves' },
  pm_standin_later: { last4: '3226', ...confirmsLater('confirms') },
  pm_standin_later_refuses: { last4: '3227', ...confirmsLater('refuses') },
  pm_standin_later_leaves: { last4: '3228', ...confirmsLater('leaves') },
  pm_standin_later_script: { last4: '3229', ...confirmsLater('confirms'), byScript: true },
  pm_standin_script: { last4: '3223', buyer: 'confirms', byScript: true },
  pm_standin_script_refuses: { last4: '3224', buyer: 'refuses', byScript: true },
  pm_standin_script_leaves: { last4: '3225', buyer: 'leaves', byScript: true },
  pm_standin_page: { last4: '3230', buyer: 'confirms', onPage: true },
  pm_standin_capture_refused: { last4: '0602', capture: 'refused' },
  pm_standin_hold_expired: { last4: '0601', capture: 'expired' },
  pm_standin_refund_refused: { last4: '0701', refundRefused: true },
  pm_standin_never_again: { last4: '0003', decline: declined('do_not_honor', 'do_not_try_again') },
  pm_standin_answer_lost: { last4: '0502', fault: 'answer_lost' },
  pm_standin_request_lost: { last4: '0501', fault: 'request_lost' },
};

export const cardNamed = (name: string): StripeCard | undefined =>
  Object.hasOwn(cards, name) ? cards[name] : undefined;
