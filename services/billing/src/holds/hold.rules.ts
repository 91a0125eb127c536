import { hourMs, minuteMs } from '@app/contracts/durations';
import type { HoldEndReason, HoldResult } from '@app/contracts/payments';
import { hasEnded, openPayment } from '../charging/payment.rules.ts';
import type { Hold, OrderMoney, Payment } from '../charging/payment.types.ts';
import { isAlreadyCaptured, isHoldExpired, isReleased } from '../charging/payment-notices.rules.ts';

const beforeExpiryMs = hourMs;

/**
 * What a decided hold needs next:
 *
 *   capture ── succeeded ─────────────────────────┬─ upsell accepted: charge it, once ── settled
 *      │ captured already, unknown to us: found at the processor; where its list lacks it, settled all the same
 *      │ declined, the hold lives: again later    └─ otherwise ─────────────────────── settled
 *      │ the seller released it there ──────────────────────────────────────────────── lost: released
 *      └ the hold expired: charge the card instead, once ── declined ───────────────── lost: expired
 *
 *   released here: release ── succeeded, or the hold had expired ───────────────────── lost: released
 *      │ captured already: as above
 *      └ declined otherwise: again later
 */
export type HoldStep =
  | {
      readonly kind: 'send';
      readonly step: 'capture' | 'recharge' | 'upsell' | 'release';
      readonly attemptNo: number;
    }
  | { readonly kind: 'finish'; readonly status: 'settled'; readonly upsellDeclined: boolean }
  | { readonly kind: 'finish'; readonly status: 'lost'; readonly reason: HoldEndReason }
  /** The processor captured the hold by a payment that is not recorded here; `since` it is known. */
  | { readonly kind: 'find capture'; readonly attemptNo: number; readonly since: Date }
  /** A payment is open, or a capture or release that was declined is tried again at this time. */
  | { readonly kind: 'wait'; readonly until: Date };

/** What is known beside the rows. */
export interface HoldOccasion {
  readonly nowMs: number;
  /** A capture or release that was declined may be tried again now: the daily run and the timer say so. */
  readonly retryCapture: boolean;
  /** The processor's list was read, and lacks the capture that is not recorded here. */
  readonly notListed: boolean;
  /** Of the hold, by the seller here: in the order of their attempts. */
  readonly releases: readonly Payment[];
}

const lost = (reason: HoldEndReason): HoldStep => ({ kind: 'finish', status: 'lost', reason });
const settled = (upsellDeclined: boolean): HoldStep => ({ kind: 'finish', status: 'settled', upsellDeclined });

export function nextHoldStep(hold: Hold, money: OrderMoney, occasion: HoldOccasion): HoldStep {
  const open = openPayment(money.payments) ?? occasion.releases.find((release) => !hasEnded(release));
  // Its look-up goes on with the hold; this is for a process that died between the two.
  if (open !== undefined) {
    return { kind: 'wait', until: new Date((open.nextCheckAt?.getTime() ?? occasion.nowMs) + minuteMs) };
  }
  const captures = attemptsOf(money, 'capture');
  const recharge = attemptsOf(money, 'recharge').at(-1);
  const taken = captures.some(succeeded) || (recharge !== undefined && succeeded(recharge));
  if (taken) return upsellStep(hold, money);
  if (recharge !== undefined) return lost('expired');
  return (hold.decision === 'released' ? releaseStep : captureStep)(hold, money, captures, occasion);
}

/** Of a hold of which nothing was taken yet. */
function captureStep(
  hold: Hold,
  money: OrderMoney,
  captures: readonly Payment[],
  { nowMs, retryCapture, notListed }: HoldOccasion,
): HoldStep {
  const last = captures.at(-1);
  if (last === undefined) return { kind: 'send', step: 'capture', attemptNo: 1 };
  // Its money was taken: whatever follows, it is not taken again.
  const refused = captures.find((capture) => isAlreadyCaptured(capture.declineReason));
  if (refused !== undefined) return findStep(hold, money, { refused, captures, notListed });
  if (isReleased(last.declineReason)) return lost('released');
  if (isHoldExpired(last.declineReason) || last.createdAt >= hold.captureBefore) {
    // Without a saved card there is nothing to charge.
    return money.savedMethod === null ? lost('expired') : { kind: 'send', step: 'recharge', attemptNo: 1 };
  }
  // A capture that is not recorded here may have succeeded: the processor says so, or that the hold has ended.
  if (retryCapture || nowMs >= hold.captureBefore.getTime())
    return { kind: 'send', step: 'capture', attemptNo: last.attemptNo + 1 };
  return { kind: 'wait', until: againAt(hold, nowMs) };
}

/** Of a hold that the seller has released here, and of which nothing was taken. */
function releaseStep(
  hold: Hold,
  money: OrderMoney,
  captures: readonly Payment[],
  { nowMs, retryCapture, notListed, releases }: HoldOccasion,
): HoldStep {
  const last = releases.at(-1);
  const next: HoldStep = { kind: 'send', step: 'release', attemptNo: nextRelease(hold, money) };
  if (last === undefined) return next;
  if (isAlreadyCaptured(last.declineReason)) return findStep(hold, money, { refused: last, captures, notListed });
  // A release is declined with `already_succeeded` where the hold has expired: nothing was taken, and nothing can be captured any more.
  const isOver = succeeded(last) || last.declineReason === alreadySucceeded || last.createdAt >= hold.captureBefore;
  if (isOver) return lost('released');
  return retryCapture || nowMs >= hold.captureBefore.getTime() ? next : { kind: 'wait', until: againAt(hold, nowMs) };
}

/** The answer to a release of a hold that has expired. */
const alreadySucceeded = 'already_succeeded';

interface FoundElsewhere {
  /** What the processor refused, because it had captured the hold. */
  readonly refused: Payment;
  readonly captures: readonly Payment[];
  readonly notListed: boolean;
}

function findStep(hold: Hold, money: OrderMoney, { refused, captures, notListed }: FoundElsewhere): HoldStep {
  if (notListed) return upsellStep(hold, money);
  const attemptNo = (captures.at(-1)?.attemptNo ?? 0) + 1;
  return { kind: 'find capture', attemptNo, since: refused.finishedAt ?? refused.createdAt };
}

const nextRelease = ({ paymentId }: Hold, { payments }: OrderMoney): number =>
  Math.max(0, ...payments.filter((each) => each.releasedPaymentId === paymentId).map((each) => each.attemptNo)) + 1;

function upsellStep({ decision, upsell }: Hold, money: OrderMoney): HoldStep {
  // One that is free is bought without a charge.
  if (decision !== 'accepted' || upsell.amountCents === 0) return settled(false);
  const tried = attemptsOf(money, 'upsell').at(-1);
  if (tried === undefined && money.savedMethod !== null) return { kind: 'send', step: 'upsell', attemptNo: 1 };
  return settled(tried === undefined || !succeeded(tried));
}

/** By the timer: an hour before the hold expires, and when it has. */
function againAt({ captureBefore }: Hold, nowMs: number): Date {
  const lastChanceMs = captureBefore.getTime() - beforeExpiryMs;
  return nowMs < lastChanceMs ? new Date(lastChanceMs) : captureBefore;
}

const attemptsOf = ({ payments }: OrderMoney, step: Payment['step']): Payment[] =>
  payments.filter((payment) => payment.step === step).toSorted((a, b) => a.attemptNo - b.attemptNo);

const succeeded = ({ status }: Payment): boolean => status === 'succeeded';

/** The result of the decision, for every caller and however often it is requested. */
export function holdResultOf(hold: Hold): HoldResult {
  const { status, decision, upsell, upsellDeclined, capturedCents, processor } = hold;
  if (status === 'held' || decision === null) throw new Error(`the hold of order ${hold.orderId} is not decided`);
  const bought = status === 'settled' && decision === 'accepted' && !upsellDeclined;
  const isReleasing = status === 'settling' && decision === 'released';
  return {
    status,
    // The buyer's: of a hold that the seller has released, `reason` says it.
    decision: decision === 'released' ? 'not_decided' : decision,
    upsell: bought ? upsell : null,
    upsellDeclined,
    capturedCents,
    processor,
    ...(status === 'lost' && { reason: hold.lostBecause ?? 'expired' }),
    ...(isReleasing && { releasing: true as const }),
  };
}
