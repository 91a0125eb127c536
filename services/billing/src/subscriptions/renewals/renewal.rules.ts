import { type BillingInterval, chargedFrom, dayAfter, nthPeriodEnd } from '../period.rules.ts';

/** A subscription as it stands while the outcome of one of its renewals is recorded; fields are named as the columns. */
export interface RenewedSubscription {
  readonly status: 'active' | 'past_due' | 'paused' | 'canceled';
  readonly failed_tries: number;
  /** The card was lost, stolen or expired at the last attempt. */
  readonly hard_declined: boolean;
  /** The card is new: its first attempt does not count as another failed one. */
  readonly free_attempt: boolean;
  /** Not null: it was canceled for the end of its period. */
  readonly cancel_requested_by: string | null;
  readonly payment_method: string | null;
  readonly billing_interval: BillingInterval;
  readonly anchor: Date;
  readonly anchor_period: number;
  readonly period: number;
  readonly current_period_end: Date;
  readonly next_charge_at: Date | null;
}

/** What the dates of periods follow from. */
export type PeriodAnchor = Pick<RenewedSubscription, 'anchor' | 'anchor_period' | 'billing_interval'>;

/** What became of a try to renew. */
export type RenewalOutcome = {
  /** The number of the period that it is for. */
  readonly period: number;
  readonly at: Date;
  /** The card that was charged, or would have been. */
  readonly method: string | null;
} & (
  | { readonly kind: 'paid' }
  | { readonly kind: 'declined'; readonly hard: boolean; readonly reason: string }
  /** The processor never got it: no attempt was made. */
  | { readonly kind: 'not_received' }
);

/** What changes of the subscription. */
export interface SubscriptionAfter {
  readonly status: RenewedSubscription['status'];
  readonly failed_tries: number;
  readonly hard_declined: boolean;
  readonly free_attempt: boolean;
  readonly period: number;
  readonly current_period_end: Date;
  readonly next_charge_at: Date | null;
  readonly canceled_at: Date | null;
}

export interface RenewalEffect {
  readonly period: { readonly starts_at: Date; readonly ends_at: Date };
  readonly paid: boolean;
  /** Null: it stays as it is. */
  readonly after: SubscriptionAfter | null;
  readonly event: RenewalEvent | null;
}

/** Whether it was the attempt that cancels. */
export const endsUnpaid = ({ paid, after }: Pick<RenewalEffect, 'paid' | 'after'>): boolean =>
  !paid && after?.status === 'canceled';

/** What the published event of it says. */
type RenewalEvent =
  | {
      readonly kind: 'rebilled';
      readonly attempt: number;
      readonly statusBefore: LivingStatus;
      readonly statusAfter: 'active' | 'paused' | 'canceled';
    }
  | {
      readonly kind: 'payment_failed';
      readonly attempt: number;
      readonly nextTryDays: number;
      readonly statusBefore: LivingStatus;
      readonly statusAfter: 'past_due' | 'paused' | 'canceled';
      readonly reason: string;
    };
type LivingStatus = 'active' | 'past_due' | 'paused';

/** The attempt that cancels. */
const attemptsMax = 4;
const retryDays = 3;

/** The beginning of the third UTC day after: a job that starts somewhat earlier than it did that day still makes it. */
export function retryAt(failedAt: Date): Date {
  return dayAfter(failedAt, retryDays);
}

/** When period n ends; it begins where the one before it ended. */
export function periodEnd({ anchor, anchor_period, billing_interval }: PeriodAnchor, period: number): Date {
  return nthPeriodEnd(anchor, billing_interval, period - anchor_period);
}

/**
 * What the outcome of an attempt to renew changes, as the subscription stands at that moment: it may have been paused or
 * canceled, or its card replaced, since the attempt began. Dunning, from the day when a period begins:
 *
 *   attempt 1 ── paid ─────────── active: the period is paid   subscription.rebilled
 *      └ declined ─────────────── past_due: again 3 days later subscription.payment_failed
 *   attempts 2, 3 ─ the same; a card that was replaced meanwhile is tried by the next run, once without counting
 *   attempt 4 ── declined ─────── canceled                     subscription.payment_failed and subscription.canceled, which
 *                                                              is a webhook only where the account has cancellation notices
 *
 * A card that was declined for good is not called again: its attempts count all the same (`renew-without-payment.ts`). Where
 * nothing was received, nothing counts.
 *
 * @throws Error when the period is not the next one: one that was paid is not paid again
 */
export function effectOf(subscription: RenewedSubscription, outcome: RenewalOutcome): RenewalEffect {
  if (outcome.period !== subscription.period + 1) {
    throw new Error(`period ${outcome.period} does not follow the paid period ${subscription.period}`);
  }
  const period = { starts_at: subscription.current_period_end, ends_at: periodEnd(subscription, outcome.period) };
  if (outcome.kind === 'paid') return { period, paid: true, ...paid(subscription, outcome, period.ends_at) };
  const unpaid = { period, paid: false };
  // A canceled one is charged no more, so no event says that it was not; one whose period is over ends with the next run.
  const isCanceled = subscription.status === 'canceled' || subscription.cancel_requested_by !== null;
  if (outcome.kind === 'not_received' || isCanceled) return { ...unpaid, after: null, event: null };
  return { ...unpaid, ...declined(subscription, outcome) };
}

function paid(
  subscription: RenewedSubscription,
  { period, method, at }: RenewalOutcome,
  endsAt: Date,
): Pick<RenewalEffect, 'after' | 'event'> {
  const { status, failed_tries, payment_method, hard_declined } = subscription;
  const renews = status === 'active' || status === 'past_due';
  const statusAfter = renews ? 'active' : status;
  return {
    after: {
      status: statusAfter,
      failed_tries: 0,
      free_attempt: false,
      period,
      current_period_end: endsAt,
      canceled_at: null,
      hard_declined: method === payment_method ? false : hard_declined,
      next_charge_at: renews ? chargedFrom(endsAt, at) : null,
    },
    event: {
      kind: 'rebilled',
      attempt: attemptOf(subscription, method),
      statusAfter,
      // What it left when it was canceled was reported then: the numbers count nothing of this.
      statusBefore: status === 'canceled' ? (failed_tries > 0 ? 'past_due' : 'active') : status,
    },
  };
}

type Declined = Extract<RenewalOutcome, { kind: 'declined' }>;

/**
 * A failed attempt counts, unless it is the one that a new card has free. While it is paused, or when a new card waits for its
 * turn, it counts up to the attempt before the last one: neither the seller who paused nor the new card loses the last attempt.
 */
function declined(
  subscription: RenewedSubscription,
  { method, hard, reason, at }: Declined,
): Pick<RenewalEffect, 'after' | 'event'> {
  const { status, payment_method, hard_declined, free_attempt, period, current_period_end } = subscription;
  const own = method === payment_method;
  const paused = status === 'paused';
  const attempts = attemptOf(subscription, method);
  const failed_tries = paused || !own ? Math.min(attempts, attemptsMax - 1) : attempts;
  const canceled = failed_tries >= attemptsMax;
  const statusAfter = paused ? 'paused' : canceled ? 'canceled' : 'past_due';
  const next = nextChargeAt(statusAfter, own, at);
  return {
    after: {
      status: statusAfter,
      failed_tries,
      period,
      current_period_end,
      next_charge_at: next.at,
      hard_declined: own ? hard : hard_declined,
      free_attempt: free_attempt && !own && !canceled,
      canceled_at: canceled ? at : null,
    },
    event: {
      kind: 'payment_failed',
      attempt: failed_tries,
      nextTryDays: next.days,
      statusAfter,
      reason,
      statusBefore: status as LivingStatus,
    },
  };
}

/** The number of the attempt: that of the last one again when a new card has it free. */
function attemptOf({ failed_tries, free_attempt, payment_method }: RenewedSubscription, method: string | null): number {
  return free_attempt && method === payment_method ? Math.max(1, failed_tries) : failed_tries + 1;
}

/** A card that replaced the declined one is tried by the next run. */
function nextChargeAt(
  status: 'paused' | 'canceled' | 'past_due',
  own: boolean,
  at: Date,
): { at: Date | null; days: number } {
  if (status !== 'past_due') return { at: null, days: 0 };
  return own ? { at: retryAt(at), days: retryDays } : { at, days: 1 };
}
