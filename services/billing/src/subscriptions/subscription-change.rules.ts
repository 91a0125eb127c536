import { DomainError } from '@app/contracts/errors';
import { type BillingInterval, chargedFrom, nthPeriodEnd, periodAt } from './period.rules.ts';

export type CanceledBy = 'seller' | 'buyer';

/** What the seller's actions change of a subscription; fields are named as the columns. */
export interface SubscriptionState {
  readonly status: 'active' | 'past_due' | 'paused' | 'canceled';
  readonly collection: 'automatic' | 'external';
  readonly canceled_at: Date | null;
  /** Who canceled it for the end of its period; null while it renews. */
  readonly cancel_requested_by: CanceledBy | null;
  readonly paused_at: Date | null;
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

/** A rehearsal may have begun at a later time than now, and nothing ends before it began. */
export function cancel(subscription: Subscription, now: Date): SubscriptionChange {
  const { status, started_at } = subscription;
  if (status === 'canceled') return null;
  const canceled_at = started_at > now ? started_at : now;
  const dates = paidUntil(subscription, now);
  const none = { cancel_requested_by: null, paused_at: null, next_charge_at: null, free_attempt: false };
  return { ...dates, ...none, status: 'canceled', canceled_at };
}

/**
 * Ends an active subscription at the end of its period: the daily run finds it when its next charge would be due, or, where
 * the platform charges none, when the period ends. Any other ends now, and so does one whose period is over.
 * @param charging whether the renewal is at the processor: that charge pays its period, and the end moves with it
 */
export function cancelAtPeriodEnd(
  subscription: Subscription,
  by: CanceledBy,
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

/** Stops renewals, and attempts of one that failed. What is under way at the processor is recorded as it ends. */
export function pause({ status, cancel_requested_by }: Subscription, now: Date): SubscriptionChange {
  if (status === 'paused') return null;
  refuseCanceled(status, 'paused');
  if (cancel_requested_by !== null) throw new DomainError('invalid_transition', keepFirst);
  return { status: 'paused', paused_at: now, next_charge_at: null };
}

/**
 * Before the period's end it keeps its date. Later its next period begins now, at a new anchor: what passed while it was
 * paused is not billed. The attempts of a renewal that had failed count anew.
 * @param charging whether the renewal is at the processor: that charge pays the period it was begun for, so the dates stay
 *   until that period has ended too; then it pays the one that begins now
 * @param paidAt when its last period was charged here; null when none was
 */
export function resume(
  subscription: Subscription,
  now: Date,
  charging: boolean,
  paidAt: Date | null = null,
): SubscriptionChange {
  if (subscription.status !== 'paused') {
    refuseCanceled(subscription.status, 'resumed');
    return null;
  }
  const { anchor, anchor_period, period, current_period_end, billing_interval: interval } = subscription;
  const dates = { anchor, anchor_period, period, current_period_end, ...paidUntil(subscription, now) };
  const end = charging ? nthPeriodEnd(anchor, interval, period + 1 - anchor_period) : dates.current_period_end;
  const late = end <= now;
  const kept = late ? { ...dates, anchor: now, anchor_period: dates.period, current_period_end: now } : dates;
  return {
    ...kept,
    status: 'active',
    paused_at: null,
    failed_tries: 0,
    free_attempt: false,
    next_charge_at: subscription.collection === 'automatic' ? chargedFrom(kept.current_period_end, paidAt) : null,
  };
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
      return change;
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

const keepFirst = 'The subscription is canceled for the end of its period, so it cannot be paused. Keep it first.';

/** @throws DomainError invalid_transition */
export function refuseCanceled(status: SubscriptionState['status'], what: string): void {
  if (status === 'canceled') {
    throw new DomainError('invalid_transition', `The subscription is canceled for good, so it cannot be ${what}.`);
  }
}
