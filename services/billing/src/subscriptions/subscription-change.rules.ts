import { DomainError } from '@app/contracts/errors';
import { type BillingInterval, chargedFrom, nthPeriodEnd, periodAt } from './period.rules.ts';

/** Whose act it is. */
export type ActBy = 'seller' | 'buyer';

/** What the seller's actions change of a subscription; fields are named as the columns. */
export interface SubscriptionState {
  readonly status: 'active' | 'past_due' | 'paused' | 'canceled';
  readonly collection: 'automatic' | 'external';
  readonly canceled_at: Date | null;
  /** Who canceled it for the end of its period; null while it renews. */
  readonly cancel_requested_by: ActBy | null;
  readonly paused_at: Date | null;
  /** Null while it is not paused, and where a version before 0.3.0 paused it. */
  readonly paused_by: ActBy | null;
  /** When the attempt was due that a pause stopped; null where none had failed by then. */
  readonly paused_retry_at: Date | null;
  readonly next_charge_at: Date | null;
  readonly failed_tries: number;
  readonly hard_declined: boolean;
  readonly free_attempt: boolean;
  readonly anchor: Date;
  readonly anchor_period: number;
  readonly period: number;
  readonly current_period_end: Date;
}

/** The state beside what no action changes. */
export interface Subscription extends SubscriptionState {
  readonly billing_interval: BillingInterval;
  readonly started_at: Date;
}

/**
 * The fields that change; null when the action holds already.
 * @throws DomainError invalid_transition
 */
export type SubscriptionChange = Partial<SubscriptionState> | null;

const notPaused = { paused_at: null, paused_by: null, paused_retry_at: null };

/** A rehearsal may have begun at a later time than now, and nothing ends before it began. */
export function cancel(subscription: Subscription, now: Date): SubscriptionChange {
  const { status, started_at } = subscription;
  if (status === 'canceled') return null;
  const canceled_at = started_at > now ? started_at : now;
  const dates = paidUntil(subscription, now);
  const none = { cancel_requested_by: null, next_charge_at: null, free_attempt: false, ...notPaused };
  return { ...dates, ...none, status: 'canceled', canceled_at };
}

/**
 * Ends an active subscription at the end of its period: the daily run finds it when its next charge would be due, or, where
 * the platform charges none, when the period ends. Any other ends now, and so does one whose period is over.
 * @param charging whether the renewal is at the processor: that charge pays its period, and the end moves with it
 */
export function cancelAtPeriodEnd(
  subscription: Subscription,
  by: ActBy,
  now: Date,
  charging: boolean,
): SubscriptionChange {
  const dates = paidUntil(subscription, now);
  const end = dates.current_period_end ?? subscription.current_period_end;
  if (subscription.status !== 'active' || (end <= now && !charging)) return cancel(subscription, now);
  if (subscription.cancel_requested_by !== null) return null;
  return { ...dates, cancel_requested_by: by, next_charge_at: subscription.next_charge_at ?? end };
}

/** Takes back what `cancelAtPeriodEnd` did. */
export function keep({ status, collection, cancel_requested_by }: Subscription): SubscriptionChange {
  refuseCanceled(status, 'kept');
  if (cancel_requested_by === null) return null;
  return { cancel_requested_by: null, ...(collection === 'external' && { next_charge_at: null }) };
}

/**
 * Stops renewals, and attempts of one that failed. What is under way at the processor is recorded as it ends. What the buyer
 * has paused becomes the seller's pause where the seller pauses it too.
 */
export function pause(subscription: Subscription, by: ActBy, now: Date): SubscriptionChange {
  const { status, cancel_requested_by, paused_by, next_charge_at } = subscription;
  if (status === 'paused') return by === 'seller' && paused_by === 'buyer' ? { paused_by: by } : null;
  refuseCanceled(status, 'paused');
  if (cancel_requested_by !== null) throw new DomainError('invalid_transition', keepFirst);
  const paused_retry_at = status === 'past_due' ? next_charge_at : null;
  return { status: 'paused', paused_at: now, paused_by: by, paused_retry_at, next_charge_at: null };
}

/**
 * Before its date it keeps that: the period's end, or that of the attempt that the pause stopped. Later its next period begins
 * now, at a new anchor: what passed while it was paused is not billed. One whose renewal had failed is past due again, with the
 * attempts that failed: no pause makes it active.
 * @param by a buyer does not undo the seller's pause
 * @param charging whether the renewal is at the processor: that charge pays the period it was begun for, so the dates stay
 *   until that period has ended too; then it pays the one that begins now
 * @param paidAt when its last period was charged here; null when none was
 * @throws DomainError invalid_transition for a canceled one, not_allowed_by_seller for a buyer where the seller has paused it
 */
export function resume(
  subscription: Subscription,
  by: ActBy,
  now: Date,
  { charging, paidAt }: { readonly charging: boolean; readonly paidAt: Date | null },
): SubscriptionChange {
  if (subscription.status !== 'paused') {
    refuseCanceled(subscription.status, 'resumed');
    return null;
  }
  if (by === 'buyer' && subscription.paused_by !== 'buyer')
    throw new DomainError('not_allowed_by_seller', pausedBySeller);
  const { failed_tries, free_attempt, paused_retry_at: retryAt, collection } = subscription;
  const isPastDue = failed_tries > 0;
  const { dates, dueAt } = datesFrom(subscription, now, { charging, paidAt, retryAt: isPastDue ? retryAt : null });
  return {
    ...dates,
    ...notPaused,
    status: isPastDue ? 'past_due' : 'active',
    free_attempt: isPastDue && free_attempt,
    next_charge_at: collection === 'automatic' ? dueAt : null,
  };
}

/**
 * What fell due while its charges waited for the end of a dispute is due now, at a new anchor: that time is not billed. Null where
 * nothing fell due. One that is canceled for the end of its period ends with the next run.
 */
export function dueAnew(
  subscription: Subscription,
  now: Date,
  { charging, paidAt }: { readonly charging: boolean; readonly paidAt: Date | null },
): SubscriptionChange {
  const { next_charge_at: dueAt, cancel_requested_by, status } = subscription;
  if (dueAt === null || dueAt > now || cancel_requested_by !== null) return null;
  const retryAt = status === 'past_due' ? dueAt : null;
  const { dates, dueAt: next_charge_at } = datesFrom(subscription, now, { charging, paidAt, retryAt });
  return { ...dates, next_charge_at };
}

interface Waited {
  readonly charging: boolean;
  readonly paidAt: Date | null;
  /** When its next attempt was due; null where none had failed. */
  readonly retryAt: Date | null;
}

/**
 * The dates of a subscription whose charges have waited, from now on: kept until it is due, and later anew.
 * @returns also when it is due
 */
function datesFrom(subscription: Subscription, now: Date, { charging, paidAt, retryAt }: Waited) {
  const { anchor, anchor_period, period, current_period_end, billing_interval: interval } = subscription;
  const dates = { anchor, anchor_period, period, current_period_end, ...paidUntil(subscription, now) };
  const wasDueAt = retryAt ?? dates.current_period_end;
  const keptUntil = charging ? nthPeriodEnd(anchor, interval, period + 1 - anchor_period) : wasDueAt;
  if (keptUntil > now) return { dates, dueAt: retryAt ?? chargedFrom(dates.current_period_end, paidAt) };
  const anew = { ...dates, anchor: now, anchor_period: dates.period, current_period_end: now };
  return { dates: anew, dueAt: chargedFrom(now, paidAt) };
}

/**
 * A new card. While payment is past due it gets one attempt that does not count, due now. A card that was lost or had expired is
 * forgotten. What the seller collected in other ways is charged to the card from the next period on.
 */
export function replaceCard(subscription: Subscription, now: Date): SubscriptionChange {
  refuseCanceled(subscription.status, 'given a new card');
  const dates = paidUntil(subscription, now);
  const { current_period_end: end } = { ...subscription, ...dates };
  const change = { ...dates, collection: 'automatic', hard_declined: false } as const;
  switch (subscription.status) {
    case 'past_due':
      return { ...change, free_attempt: true, next_charge_at: now };
    case 'paused':
      return subscription.failed_tries > 0 ? { ...change, free_attempt: true, paused_retry_at: now } : change;
    default:
      return { ...change, next_charge_at: subscription.collection === 'automatic' ? subscription.next_charge_at : end };
  }
}

/** What says which period a subscription is in. */
type PeriodState = Pick<
  Subscription,
  | 'status'
  | 'collection'
  | 'anchor'
  | 'anchor_period'
  | 'period'
  | 'billing_interval'
  | 'paused_at'
  | 'cancel_requested_by'
>;

/**
 * The period that the seller has collected up to now, or up to the pause. The platform does not charge what is `external`,
 * so its row may stand at an earlier period; empty for what is charged here and for what is canceled, now or for the period's
 * end: those rows are right.
 */
export function paidUntil(
  subscription: PeriodState,
  now: Date,
): Partial<Pick<SubscriptionState, 'period' | 'current_period_end'>> {
  const { status, collection, anchor, anchor_period, billing_interval: interval } = subscription;
  if (collection === 'automatic' || status === 'canceled' || subscription.cancel_requested_by !== null) return {};
  const n = Math.max(subscription.period - anchor_period, periodAt(anchor, interval, subscription.paused_at ?? now));
  return { period: anchor_period + n, current_period_end: nthPeriodEnd(anchor, interval, n) };
}

const pausedBySeller = 'The seller has paused the subscription, and resumes it: write to the seller.';
const keepFirst = 'The subscription is canceled for the end of its period, so it cannot be paused. Keep it first.';

/** @throws DomainError invalid_transition */
export function refuseCanceled(status: SubscriptionState['status'], what: string): void {
  if (status === 'canceled') {
    throw new DomainError('invalid_transition', `The subscription is canceled for good, so it cannot be ${what}.`);
  }
}
