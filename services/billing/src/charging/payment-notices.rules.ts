import { formatAmount } from '@app/money/format';
import type { OtherPayment } from '../processors/port.ts';
import type { Payment } from './payment.types.ts';

/** What sellers read of payments in Recent activity. Cards and buyers are not named. */

type About = Pick<Payment, 'orderId' | 'amountCents' | 'currency'>;

const amountOf = ({ amountCents, currency }: About): string => formatAmount(amountCents, currency);
const because = (message: string | null): string => (message === null ? '' : ` The processor said: ${message}`);

/** The hold ended before it was captured. */
export const isHoldOver = (reason: string | null): boolean => isHoldExpired(reason) || isReleased(reason);

/** The processor ended the hold, because nothing was captured in time: its amount is charged instead. */
export const isHoldExpired = (reason: string | null): boolean => reason === 'hold_expired';

/** The hold was released by the seller, there or by a payment that is not recorded here: nothing is charged instead. */
export const isReleased = (reason: string | null): boolean => reason === 'already_released';

/** The hold was captured by a payment that is not recorded here. */
export const isAlreadyCaptured = (reason: string | null): boolean => reason === 'already_captured';

export const capturedElsewhereText = (about: About): string =>
  `The held ${amountOf(about)} of order ${about.orderId} was captured at the payment processor by a payment that is not recorded here, and that the processor’s list does not show. The order counts as paid, and nothing is charged instead. Look the payment up at the processor: it is the buyer’s payment, and giving it back there is the only way to refund it.`;

/** Both sides, for the payment log: the log itself says what was to be paid. */
export const otherPaymentMessage = ({ kind, status, amountCents, currency, reference }: OtherPayment): string =>
  `Under its id the payment processor has a ${kind} of ${formatAmount(amountCents, currency)} (${status}, reference ${reference}), as after a restored backup.`;

export const otherPaymentText = (about: About, message: string | null): string =>
  `The payment of ${amountOf(about)} for order ${about.orderId} was not made. ${message} Nothing more is charged for this order. Look that payment up at the processor, and give it back there or deliver what it was for; the buyer can buy in a new checkout.`;

export const otherRefundText = (about: About, message: string | null): string =>
  `The refund of ${amountOf(about)} of order ${about.orderId} was not made. ${message} Look that up at the processor, and refund here only what did not go back there.`;

export const captureFailedText = (about: About, message: string | null): string =>
  `The held ${amountOf(about)} of order ${about.orderId} could not be captured. It is tried again daily, and before the hold expires; its end is reported here.${because(message)}`;

/** The end of a hold whose capture had failed. @param step which took the money */
export const holdTakenText = (about: About, step: 'capture' | 'recharge'): string =>
  `The held ${amountOf(about)} of order ${about.orderId}, which could not be captured at first, is taken: ${step === 'capture' ? 'it was captured' : 'the hold expired, and the saved card was charged instead'}.`;

/** The seller released the hold, so that nothing would be taken. @param where it was released */
export const holdReleasedText = (about: About, where: 'here' | 'there'): string =>
  `The held ${amountOf(about)} of order ${about.orderId} was released${where === 'there' ? ' at the payment processor' : ''}. Nothing was charged, and the order has ended.`;

/** The seller released the hold here, and at the processor it had been captured. */
export const holdNotReleasedText = (about: About, capturedCents: number): string =>
  `The held ${amountOf(about)} of order ${about.orderId} could not be released: ${formatAmount(capturedCents, about.currency)} of it had been captured at the payment processor. The order is paid with that. If the buyer is not to pay, refund the order.`;

export const holdLostText = (about: About, message: string | null): string =>
  `The held ${amountOf(about)} of order ${about.orderId} is lost: the hold ended, and charging the card instead failed.${because(message)}`;

/** Of a payment that succeeded at the processor after it had been declined here. */
export const reversalText = (about: About & Pick<Payment, 'call'>): string =>
  `A payment of ${amountOf(about)} for order ${about.orderId} ${about.call === 'authorize' ? 'was held' : 'was taken'} at the payment processor after it had been given up, and the order does not need it: another payment was made for the same, or it had ended. The buyer gets it back now; you need do nothing.`;

/** What is held may have expired meanwhile, which the processor answers as it does for what was captured. */
export const reversalRefusedText = (about: About & Pick<Payment, 'call'>, message: string | null): string =>
  about.call === 'release'
    ? `The ${amountOf(about)} that were held beside the payment of order ${about.orderId} could not be released.${because(message)} Nothing is captured of them here. Look the hold up at the payment processor: where it has expired you need do nothing, else end it there, so that the buyer has the money back.`
    : `The ${amountOf(about)} that were taken beside the payment of order ${about.orderId} could not be given back.${because(message)} Give them back at the payment processor: the buyer has paid them for nothing.`;

/** @param given back of the order so far, of all that was charged for it; in minor units */
export const refundRefusedText = (
  about: About,
  message: string | null,
  given: { readonly refundedCents: number; readonly chargedCents: number },
): string => {
  const [refunded, charged] = [given.refundedCents, given.chargedCents].map((cents) =>
    formatAmount(cents, about.currency),
  );
  const before = given.refundedCents === 0 ? 'Nothing' : `${refunded} of ${charged}`;
  return `The refund of ${amountOf(about)} of order ${about.orderId} was refused.${because(message)} ${before} was given back. Refund the order again to try once more.`;
};

/** @param lostCents what a lost dispute has taken instead, in minor units */
export const refundFailedText = (about: About, message: string | null, lostCents: number): string => {
  const lost = formatAmount(lostCents, about.currency);
  const money =
    lostCents === 0 ? 'the money is with you again' : `the buyer has ${lost} of it by the dispute that was lost`;
  return `The refund of ${amountOf(about)} of order ${about.orderId} failed after it had been taken: ${money}.${because(message)}`;
};

export const keyUnreadableText = (processor: string): string =>
  `No buyer can pay: the stored API key of the payment processor cannot be opened. Store it again in Settings (processor ${processor}). Until then nothing is charged, and buyers must try again later.`;

const apiKey = (test: boolean): string => (test ? 'API key for test mode' : 'API key');

/** @param test whether it is the key of test purchases */
export const keyRefusedText = (processor: string, test: boolean): string =>
  `The payment processor does not accept your account’s ${apiKey(test)}. Store a valid one in Settings (processor ${processor}). Nothing was done with what was sent: ${test ? 'until then test purchases are not paid' : 'buyers must try again later, and renewals wait'}.`;

/**
 * @param lacked what the key may not do, in plain words
 * @param test as in `keyRefusedText`
 */
export const notPermittedText = (processor: string, lacked: readonly string[], test: boolean): string =>
  `Your account’s ${apiKey(test)} may not do all that it has to. ${lacked.join(' ')} What needs it was not done, and everything else goes on. Give the key what it lacks at the payment processor, and store it again in Settings (processor ${processor}).`;

/** Of the notification a day that the processor takes no payments. */
export const requestRefusedKey = 'request_refused';

/** @param message what the processor says */
export const requestRefusedText = (processor: string, message: string): string =>
  `Your account takes no payments: the payment processor (${processor}) refuses them, and buyers must try again later. ${message} See your Dashboard there. Renewals are tried again each day: one that is refused on a second day counts as a failed attempt only where others are charged.`;

/** @param due what Stripe wants of the seller, in its words */
export const accountStoppedText = ({
  disabledReason,
  due,
}: {
  readonly disabledReason: string | null;
  readonly due: readonly string[];
}): string => {
  const why = disabledReason === null ? '' : ` (${disabledReason})`;
  const wants = due.length === 0 ? '' : ` Stripe wants of you: ${due.join(', ')}.`;
  return `Your Stripe account takes no payments${why}.${wants} See your Stripe Dashboard. Meanwhile buyers must try again later. Renewals wait, and are tried again each day: no subscription ends because of it.`;
};

export const noProcessorText =
  'A buyer could not pay: your account has chosen no payment processor. Choose one in Settings (PUT /api/v1/payment-processor). Until then nothing is charged, and buyers must try again later.';

export const notReceivedText = (about: About): string =>
  `A renewal of ${amountOf(about)} for the subscription of order ${about.orderId} never reached the payment processor, three times in a row. No failed attempt is counted, so it is charged anew with each daily run and never ends by itself: see whether the payment processor can be reached, or give the subscription another card.`;

export const unknownText = (about: About): string =>
  `Whether the payment of ${amountOf(about)} for order ${about.orderId} was made is not known yet: the payment processor has not answered for a day. It is queried daily, and nothing else is charged on the order meanwhile.`;
