import { failedLater, givenUp, hasEnded, notReceived, released, reversed } from './payment.rules.ts';
import type { Hold, OrderMoney, Payment } from './payment.types.ts';

/**
 * Whether a success of the processor may still change a payment. A decline is what was known when it was recorded: that the
 * processor did not have it, that its time was over, that the card was refused. A success is what happened. It changes nothing of what
 * came after it: a refund that failed after it was taken, a payment that was released, or one that is being given back. And a
 * card that its buyer has left is not saved.
 */
export const isReopenable = ({
  status,
  step,
  declineReason,
}: Pick<Payment, 'status' | 'step' | 'declineReason'>): boolean =>
  status === 'declined' && step !== 'card' && step !== 'release' && !endsAfterSuccess.has(declineReason);
const endsAfterSuccess = new Set<string | null>([failedLater, givenUp, released, reversed]);

/** Whether it ended because the processor did not have it: it may have got it since, so it is looked up before its order is charged anew. */
export const isGivenUpByTime = ({ status, declineReason }: Payment): boolean =>
  status === 'declined' && declineReason === notReceived;

/**
 * What becomes of a payment that was declined here and succeeded at the processor:
 *
 *   reopen    it is recorded as every success, and its order, period or charge follows
 *   reverse   another payment took or holds the same money, or what it was for has ended without it: it goes back
 *   wait      another payment for the same is open, and its end decides; or what is left of a charge does not explain a refund
 *   recorded  this very success is that of another payment here, as a capture that was found in the list
 */
export type LateSuccess = 'reopen' | 'reverse' | 'wait' | 'recorded';

/**
 * @param reference the processor's, of the success
 * @param money all of the order's
 * @param subscription the order's; undefined where there is none
 */
export function decideLateSuccess(
  payment: Payment,
  reference: string,
  money: OrderMoney,
  subscription: LateRenewed | undefined,
): LateSuccess {
  if (payment.step === 'refund') return isLeft(payment, money) ? 'reopen' : 'wait';
  if (payment.step === 'reversal') return 'reopen';
  const isRecorded = ({ id, status, processorReference }: Payment): boolean =>
    id !== payment.id && status === 'succeeded' && processorReference === reference;
  if (money.payments.some(isRecorded)) return 'recorded';
  const rivals = money.payments.filter((other) => other.id !== payment.id && isForTheSame(other, payment));
  if (rivals.some(({ status }) => status === 'succeeded')) return 'reverse';
  if (rivals.some((other) => !hasEnded(other))) return 'wait';
  if (payment.step === 'renewal') {
    return subscription !== undefined && renewsLate(subscription, payment) ? 'reopen' : 'reverse';
  }
  // The hold of a payment that was declined has ended without it, and its order with it.
  if (payment.step === 'main') return money.hold === null ? 'reopen' : 'reverse';
  return isOfHold(payment, money.hold) ? 'reopen' : 'reverse';
}

/** What a renewal that succeeds late needs to know of its subscription; fields are named as the columns. */
export interface LateRenewed {
  readonly status: 'active' | 'past_due' | 'paused' | 'canceled';
  readonly period: number;
  readonly cancel_requested_by: string | null;
}

/** Whether it pays the next period: nobody pays for a subscription that has ended, or ends with the period that is paid. */
export const renewsLate = (
  { status, period: paid, cancel_requested_by }: LateRenewed,
  { period }: Pick<Payment, 'period'>,
): boolean => period === paid + 1 && status !== 'canceled' && cancel_requested_by === null;

/**
 * What follows a hold follows it only while it is being settled. Of one that counted as captured by a payment which is not recorded
 * here, a capture that is found is that payment.
 */
const isOfHold = (payment: Payment, hold: Hold | null): boolean =>
  hold?.status === 'settling' ||
  (hold?.status === 'settled' && hold.capturedCents === 0 && takenFor(payment) === 'capture');

/** A charge on the saved card takes the money of a hold in place of its capture, as in the index `payments_one_of_step`. */
const takenFor = ({ step }: Payment): string => (step === 'recharge' ? 'capture' : step);
const isForTheSame = (one: Payment, other: Payment): boolean =>
  takenFor(one) === takenFor(other) && one.period === other.period;

function isLeft({ chargeId, amountCents }: Payment, { charges, renewals }: OrderMoney): boolean {
  const charge = [...charges, ...renewals].find(({ id }) => id === chargeId);
  return charge !== undefined && amountCents <= charge.amountCents - charge.refundedCents - charge.lostCents;
}
