import { formatAmount } from '@app/money/format';
import {
  givenUp,
  isNoAttempt,
  isOfBuyer,
  keyUnreadable,
  noProcessor,
  nothingDone,
  notReceived,
  otherPayment,
} from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import { isHoldExpired, isReleased } from './payment-notices.rules.ts';

/** The payment log in plain words, for sellers. */

type Line = Pick<
  Payment,
  | 'step'
  | 'period'
  | 'call'
  | 'status'
  | 'amountCents'
  | 'currency'
  | 'declineReason'
  | 'declineMessage'
  | 'nextCheckAt'
  | 'checks'
>;

/** What was tried, and what became of it. */
const words: Record<Payment['call'], { done: string; tried: string }> = {
  charge: { done: 'charged', tried: 'charge' },
  chargeSaved: { done: 'charged to the saved card', tried: 'charge the saved card' },
  authorize: { done: 'held on the card', tried: 'hold' },
  capture: { done: 'captured from the hold', tried: 'capture from the hold' },
  refund: { done: 'refunded', tried: 'refund' },
  release: { done: 'released', tried: 'release' },
  saveMethod: { done: 'saved', tried: 'save' },
};

const purposes: Record<Payment['step'], string> = {
  main: 'for the order',
  capture: 'for the order',
  upsell: 'for the upsell',
  recharge: 'in place of a hold that had ended',
  refund: 'to the buyer',
  release: 'from the buyer’s card',
  reversal: 'to the buyer, who had paid it beside another payment',
  renewal: 'for the renewal of the subscription',
  card: 'for the renewals of the subscription',
};

export function explanationOf(line: Line): string {
  const amount = line.step === 'card' ? 'A new card' : formatAmount(line.amountCents, line.currency);
  const { done, tried } = words[line.call];
  const purpose = purposes[line.step];
  switch (line.status) {
    case 'succeeded':
      return `${amount} ${done} ${purpose}.`;
    case 'declined':
      return `${amount} not ${done} ${purpose}. ${line.declineMessage ?? ''}`.trim();
    case 'requires_action':
      return `The bank asks the buyer to confirm ${inSentence(amount)} ${purpose}.`;
    case 'unknown':
      return `Whether ${inSentence(amount)} was ${done} ${purpose} is not known yet: the payment processor gave no answer.`;
    default:
      return `The payment processor got the request to ${tried} ${inSentence(amount)} ${purpose}.`;
  }
}

const inSentence = (subject: string): string => (subject === 'A new card' ? 'a new card' : subject);

/** The subscription that a renewal is for, as it stands. */
export interface RenewedState {
  readonly status: 'active' | 'past_due' | 'paused' | 'canceled';
  /** The last one that is paid. */
  readonly period: number;
}

/**
 * What happens next without an action of the seller, or what the buyer may do; null when nothing does.
 * @param renewed of a renewal that was declined
 */
export function nextOf(line: Line, renewed?: RenewedState): string | null {
  switch (line.status) {
    case 'succeeded':
      return null;
    case 'declined':
      return (renewed && afterRenewal(line, renewed)) ?? afterDecline(line);
    case 'requires_action':
      return `The payment goes on once the buyer has confirmed it; after ${line.step === 'renewal' ? 'an hour' : 'a day'} without that it is given up.`;
    default:
      return `The processor is queried for its state${atTime(line.nextCheckAt)}. ${line.step === 'card' ? 'The earlier card is charged' : 'Nothing else is charged on the order'} until then.`;
  }
}

const atTime = (time: Date | null): string => (time === null ? '' : ` at ${time.toISOString()} at the latest`);

/** Undefined where the period is still to be paid. */
function afterRenewal(line: Line, { status, period }: RenewedState): string | undefined {
  if (line.period !== null && period >= line.period) return 'The period was paid by a later attempt.';
  if (status === 'canceled') return 'The subscription has ended: it is not tried again.';
  if (status === 'paused') return 'The subscription is paused: nothing is tried until it is resumed.';
  return undefined;
}

function afterDecline({ step, declineReason: reason }: Line): string | null {
  if (step === 'renewal' && reason !== null && isNoAttempt(reason))
    return 'It was no attempt: the next daily run charges the renewal anew.';
  if (reason === givenUp || reason === notReceived || reason === nothingDone)
    return isOfBuyer({ step }) ? 'The buyer may try again.' : null;
  if (reason === otherPayment && step === 'refund') return 'Refund here only what did not go back there.';
  if (reason === otherPayment)
    return 'Nothing more is charged for this order. Look that payment up at the processor; the buyer can buy in a new checkout.';
  if (reason === noProcessor) return 'The buyer may try again once a payment processor is chosen in Settings.';
  if (reason === keyUnreadable) return 'Store the API key again: until then no buyer can pay.';
  switch (step) {
    case 'main':
    case 'card':
      return 'The buyer may try again, with this card or another one.';
    case 'capture':
      return afterCapture(reason);
    case 'upsell':
      return 'The order is complete without the upsell.';
    case 'recharge':
      return 'The order has ended unpaid.';
    case 'refund':
      return 'Request the refund again to try once more.';
    case 'renewal':
      return 'The subscription shows when it is tried again. A new card is tried by the next daily run.';
    case 'reversal':
      return 'Give it back at the payment processor.';
    case 'release':
      return null;
  }
}

function afterCapture(reason: string | null): string {
  if (isReleased(reason)) return 'The hold has ended, and nothing is charged instead.';
  if (isHoldExpired(reason)) return 'The amount is charged to the saved card instead.';
  return 'It is tried again with each daily run and before the hold expires; after that the card is charged instead.';
}
