import { withoutDailyRunMs } from '@app/contracts/daily-runs';
import { buyerReason } from '@app/contracts/decline-reasons';
import { dayMs, hourMs, minuteMs } from '@app/contracts/durations';
import type { PaymentOutcome } from '@app/contracts/payments';
import type { Payment } from './payment.types.ts';

/** Whether a buyer waits for it: what got lost on its way is sent again while they ask, and not later, when they have left or have done it anew. */
export const isOfBuyer = ({ step }: Pick<Payment, 'step'>): boolean => step === 'main' || step === 'card';

/** Whether it is a renewal that its buyer may confirm: it was sent while they were there. */
export const isAskingRenewal = (payment: Pick<Payment, 'step' | 'call' | 'request'>): boolean =>
  payment.step === 'renewal' && 'confirmation' in payment.request && payment.request.confirmation !== undefined;

/** What an answer fills. */
export const noAnswer = {
  declineKind: null,
  declineReason: null,
  declineMessage: null,
  processorReference: null,
  actionUrl: null,
  lastFour: null,
  wallet: null,
  finishedAt: null,
} as const;

/** A payment that was written as sent: nothing is known yet of its answer. */
export const unanswered = { ...noAnswer, status: 'sent', checks: 0, releasing: false } as const;

/** How long after the last look-up the next one follows. The fourth and later ones are the daily run's. */
export const checkDelaysMs = [minuteMs, 5 * minuteMs, hourMs];

/** @param checks look-ups that were made already */
export function nextCheckAt(checks: number, nowMs: number): Date {
  return new Date(nowMs + (checkDelaysMs[checks] ?? withoutDailyRunMs));
}

/** Processors keep idempotency keys for 24 hours at least; an hour is left for clocks that differ. */
export const resendWithinMs = 23 * hourMs;

/** A buyer confirms a renewal within so long after it was sent, or has left: it is given up. */
const renewalConfirmedWithinMs = hourMs;

/** How long a renewal may wait for its buyer, in milliseconds; not at all where they are away. */
const confirmedWithinMs = (renewal: Payment): number => (isAskingRenewal(renewal) ? renewalConfirmedWithinMs : 0);

/** Its buyer may confirm it no more than this late: by the hour, when it may end, no copy of it is on its way. */
const renewalAskedWithinMs = hourMs / 2;

/** How long ago it was sent, in milliseconds. */
const ageMs = (payment: Payment, nowMs: number): number => nowMs - (payment.sentAt ?? payment.createdAt).getTime();

/** Until when what the processor never got may be sent under its key, unless a buyer waits for it: epoch milliseconds. */
export const sendUntilMs = (payment: Payment): number =>
  (payment.sentAt ?? payment.createdAt).getTime() + (isAskingRenewal(payment) ? renewalAskedWithinMs : resendWithinMs);

/** What the processor never got may be sent again for so long, unless a buyer waits for it. */
export const mayResend = (payment: Payment, nowMs: number): boolean => nowMs < sendUntilMs(payment);

/** What the processor does not know then was never received. */
export const isNeverReceived = (payment: Payment, nowMs: number): boolean =>
  ageMs(payment, nowMs) >= (isAskingRenewal(payment) ? renewalConfirmedWithinMs : resendWithinMs);

/** Whether the buyer could still have confirmed a renewal: one that was released then was ended by the seller, or for another card. */
export const isWithinConfirmation = (payment: Payment, nowMs: number): boolean =>
  isAskingRenewal(payment) && ageMs(payment, nowMs) < renewalConfirmedWithinMs;

/**
 * A processor that does not know a buyer's payment so many deadlines after it was sent has certainly never got it. Before that a
 * copy may be under way still: the sender waits for one deadline, and what the network or the processor holds by then is given
 * a second one to be recorded. The third is for a process that is slow between row and call.
 */
const lostAfterDeadlines = 3;

/**
 * A buyer who waits for a payment asks how it stands within so long after it began: their page does by itself. Who waits for a process
 * that died asks when their request to it is over, after ten seconds, and once more where that finds none.
 */
const buyerAsksWithinMs = 30_000;

/** From then on a look-up that finds nothing ends a buyer's payment: it was lost on its way, and the buyer has left. */
export function lostFrom(sentMs: number, deadlineMs: number): Date {
  return new Date(sentMs + Math.max(lostAfterDeadlines * deadlineMs, buyerAsksWithinMs));
}

/** A smaller difference is the time that the statement took which measured it. */
const clocksDifferFromMs = 5_000;

/** How far the system clocks of two replicas are from the database's, each in milliseconds ahead of it. */
export interface ClockDifferences {
  readonly sentAheadMs: number;
  readonly lookedUpAheadMs: number;
}

const differenceOf = (aheadMs: number): number => (Math.abs(aheadMs) < clocksDifferFromMs ? 0 : aheadMs);

/**
 * Whether a payment that the processor does not know is declined and never sent again: a buyer who was kept waiting has left,
 * or has paid in another tab. All others are sent again, because no other call does so.
 * @param lookedUpMs when the look-up began, by the clock of this replica; another one may have sent the payment
 */
export function isLost(
  payment: Payment,
  deadlineMs: number,
  lookedUpMs: number,
  { sentAheadMs, lookedUpAheadMs }: ClockDifferences,
): boolean {
  const sentMs = (payment.sentAt ?? payment.createdAt).getTime() - differenceOf(sentAheadMs);
  const lookedUpAtMs = lookedUpMs - differenceOf(lookedUpAheadMs);
  return isOfBuyer(payment) && lookedUpAtMs >= lostFrom(sentMs, deadlineMs).getTime();
}

/** Whether a buyer's payment is too old to be sent: a look-up may have declined it before the call of it ends. */
export function isTooLateToSend(payment: Payment, deadlineMs: number, nowMs: number): boolean {
  return ageMs(payment, nowMs) >= deadlineMs;
}

/** What an answer that came in time may take to be recorded, and clocks of replicas may differ. */
const recordWithinMs = 2_000;

/** Whether the answer to a payment on its way is overdue: the process that waited for it may have died. */
export function isOverdue(payment: Payment, deadlineMs: number, nowMs: number): boolean {
  return ageMs(payment, nowMs) >= deadlineMs + recordWithinMs;
}

/**
 * Whether a buyer's payment that the processor does not know is sent again under its key, now that the buyer asks how it stands: its
 * answer is overdue, and they have just begun to pay. One without a card is only looked for, as after a restored backup.
 */
export function isSentAgainForBuyer(payment: Payment, deadlineMs: number, nowMs: number): boolean {
  const { status, request, createdAt } = payment;
  const hasCard = 'paymentMethod' in request && request.paymentMethod !== '';
  const isOpen = status === 'sent' || status === 'unknown';
  const isThere = nowMs - createdAt.getTime() < buyerAsksWithinMs;
  return isOfBuyer(payment) && isOpen && hasCard && isThere && isOverdue(payment, deadlineMs, nowMs);
}

/** Of an outcome that is unknown for so long the seller is notified. */
export const notifyUnknownAfterMs = dayMs;

/** Whether the seller is notified that it is not known how the payment stands. Of a card that is saved no money is unknown. */
export function isUnknownForLong(payment: Payment, nowMs: number): boolean {
  if (payment.step === 'card') return false;
  return payment.status !== 'requires_action' && ageMs(payment, nowMs) >= notifyUnknownAfterMs;
}

const giveUpAfterMs = dayMs;

/** Whether the buyer has had the time to confirm at the bank: what has no waiting buyer is given up. */
export function isAbandoned(payment: Payment, nowMs: number): boolean {
  if (payment.status !== 'requires_action') return false;
  // A rehearsal's renewal is made at the rehearsal's time, and waits for its buyer by the clock.
  if (payment.step === 'renewal') return ageMs(payment, nowMs) >= confirmedWithinMs(payment);
  return nowMs - payment.createdAt.getTime() >= giveUpAfterMs;
}

/** The next look-up of a payment that waits for its buyer: of a renewal no later than when it is given up. */
export function checkOfWaiting(payment: Payment, nowMs: number): Date {
  const isWaiting = payment.status === 'requires_action';
  // The bank gives the buyer some time: only what waited before keeps the time of its next look-up.
  const next = (isWaiting ? payment.nextCheckAt : null) ?? nextCheckAt(payment.checks, nowMs);
  if (payment.step !== 'renewal') return next;
  const leftMs = confirmedWithinMs(payment) - ageMs(payment, nowMs);
  if (!isWaiting && leftMs <= 0) return new Date(nowMs);
  return leftMs > 0 ? new Date(Math.min(next.getTime(), nowMs + leftMs)) : next;
}

export const hasEnded = ({ status }: Pick<Payment, 'status'>): boolean =>
  status === 'succeeded' || status === 'declined';

/**
 * Payments that stand beside any other of their order: a release only helps to end one, a reversal gives back what another one took
 * already, and a card takes no money.
 */
const besideOthers = ['release', 'reversal', 'card'] as const satisfies readonly Payment['step'][];
/** The same as SQL: `step not in …`. */
export const besideOthersSql = `('${besideOthers.join("', '")}')`;

/** The one payment that blocks all others of its order, if there is one. */
export function openPayment(payments: readonly Payment[]): Payment | undefined {
  return payments.find((payment) => !hasEnded(payment) && !besideOthers.some((step) => step === payment.step));
}

type StartDecision =
  | { readonly kind: 'outcome'; readonly of: Payment }
  | { readonly kind: 'give up'; readonly of: Payment }
  | { readonly kind: 'charge' };

/** @param tried the order's main payments, in the order of their attempts */
export function decideStart(tried: readonly Payment[], attemptNo: number): StartDecision {
  const succeeded = tried.find(({ status }) => status === 'succeeded');
  if (succeeded !== undefined) return { kind: 'outcome', of: succeeded };
  const same = tried.find(({ attemptNo: attempt_no }) => attempt_no === attemptNo);
  if (same !== undefined) return { kind: 'outcome', of: same };
  const blocking = tried.find((payment) => payment.declineReason === otherPayment);
  if (blocking !== undefined) return { kind: 'outcome', of: blocking };
  // One that was given up may be open again, and older than another one that was declined.
  const last = tried.find((payment) => !hasEnded(payment)) ?? tried.at(-1);
  if (last === undefined) return { kind: 'charge' };
  if (last.status === 'requires_action' && last.attemptNo < attemptNo) return { kind: 'give up', of: last };
  return last.status === 'declined' && last.attemptNo < attemptNo ? { kind: 'charge' } : { kind: 'outcome', of: last };
}

/** The payment that says how an order's main payment stands; undefined when none was tried. */
export function mainPayment(payments: readonly Payment[]): Payment | undefined {
  const tried = payments.filter(({ step }) => step === 'main');
  return (
    tried.find(({ status }) => status === 'succeeded') ?? tried.toSorted((a, b) => a.attemptNo - b.attemptNo).at(-1)
  );
}

/** Until when the upsell of a hold may be decided on; null for a payment that holds nothing. */
export function decideBy(
  { call, holdTerms }: Pick<Payment, 'call' | 'holdTerms'>,
  succeededAt: Date | null,
): Date | null {
  if (call !== 'authorize' || holdTerms === null || succeededAt === null) return null;
  return new Date(succeededAt.getTime() + holdTerms.decisionMinutes * 60_000);
}

/** A main payment as checkout gets it. */
export function paymentOutcomeOf(payment: Payment): PaymentOutcome {
  const { id, attemptNo, amountCents, status, actionUrl, releasing } = payment;
  const noCard = { lastFour: null, wallet: null, decideBy: null };
  const about = {
    paymentId: id,
    attemptNo,
    amountCents,
    action: null,
    reason: null,
    ...noCard,
    processor: payment.processor,
  };
  if (status === 'succeeded') {
    const card = {
      lastFour: payment.lastFour,
      wallet: payment.wallet,
      decideBy: decideBy(payment, payment.finishedAt)?.toISOString() ?? null,
    };
    return { ...about, ...card, status: payment.call === 'authorize' ? 'held' : 'succeeded' };
  }
  if (status === 'declined') return { ...about, status: 'declined', reason: buyerReason(payment.declineReason) };
  // While it is released, what the bank says may no longer be so a moment later.
  if (status === 'requires_action' && !releasing) {
    return { ...about, status: 'requires_action', action: actionUrl === null ? null : { url: actionUrl } };
  }
  return { ...about, status: 'processing' };
}

/** Declines that say nothing of the card. */
export const notReceived = 'not_received';
/** The buyer did not confirm it. A renewal's end only where it was not wanted any more. */
export const givenUp = 'given_up';
/** It had been taken, and failed afterwards. */
export const failedLater = 'refund_failed';
/** It succeeded after it had been declined here, and its money goes back: another payment has it. */
export const reversed = 'reversed';
/** Of what was released at the processor before it succeeded. */
export const released = 'released';
/** The bank wants the buyer, who did not confirm. */
export const authenticationRequired = 'authentication_required';
export const keyUnreadable = 'processor_key_unreadable';
export const noProcessor = 'no_payment_processor';
export const nothingDone = 'nothing_done';
/** Of a renewal: nothing was done, because the processor takes no such request, as from a seller who may not charge. */
export const requestRefused = 'request_refused';
/** The same on a second day, where it is about this renewal: it counts as an attempt, so that dunning goes on and ends. */
export const requestRefusedAgain = 'request_refused_again';
/**
 * Under its key the processor has another payment. Of a buyer's it took money or may do so: nothing else of the order is charged.
 */
export const otherPayment = 'other_payment';

/**
 * The processor refuses what a renewal would take: less than its smallest charge, as after a change of rates, or more than its largest. No
 * card is at fault, so it is a request that is refused; of a buyer, who may choose something else, it is a decline.
 */
export const isRefusedAmount = ({ step }: Pick<Payment, 'step'>, { reason }: { readonly reason: string }): boolean =>
  step === 'renewal' && refusedAmounts.has(reason);
const refusedAmounts = new Set(['amount_too_small', 'amount_too_large']);

/** Declines of a renewal with which the processor did nothing: it is sent again under its key. */
export const undoneReasons: readonly string[] = [nothingDone, requestRefused];

/** Declines of a renewal that count as no attempt to charge it: the daily run makes it anew. */
export const isNoAttempt = (reason: string): boolean =>
  reason === notReceived || reason === givenUp || undoneReasons.includes(reason);
