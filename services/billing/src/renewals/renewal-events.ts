import { idOfCommand } from '@app/contracts/ids';
import { subscriptionCanceled, subscriptionPaymentFailed, subscriptionRebilled } from '@app/contracts/subscriptions';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';
import { aboutSubscription, type SubscriptionIdentity } from '../subscriptions/subscription-event.rules.ts';
import type { RenewalEffect, RenewalOutcome } from './renewal.rules.ts';

export interface RenewalResult {
  readonly subscription: SubscriptionIdentity & {
    readonly account_id: string;
    /** Null when it is not known. */
    readonly affiliate_named: boolean;
  };
  /** Null when the processor was not called. */
  readonly paymentId: string | null;
  readonly outcome: Pick<RenewalOutcome, 'at' | 'period' | 'method'>;
  readonly effect: RenewalEffect;
}

/**
 * The events of a renewal's result; the data have the times of its subscription, which may be a rehearsal's.
 * @param nowMs when it is written down
 * @param cancellationNotices whether webhooks are sent for subscriptions that ended unpaid
 */
export function renewalEvents(
  { subscription, paymentId, outcome: { at, period }, effect: { period: dates, event } }: RenewalResult,
  nowMs: number,
  cancellationNotices: boolean,
): OutboxRow[] {
  if (event === null) return [];
  const source = { accountId: subscription.account_id, requestId: null, nowMs };
  // A renewal ends once: recorded anew in a restored database, its event is the same, and a receiver that had it drops it.
  const ended = paymentId === null ? source : { ...source, eventId: idOfCommand('event', paymentId.slice(-26)) };
  const about = aboutSubscription(subscription);
  const { attempt, statusBefore } = event;
  const time = at.toISOString();
  if (event.kind === 'rebilled') {
    const [periodStart, periodEnd] = [dates.starts_at.toISOString(), dates.ends_at.toISOString()];
    const { statusAfter } = event;
    const charged = { paymentId, period, periodStart, periodEnd, attempt, statusBefore, statusAfter, chargedAt: time };
    const { affiliate_named: affiliateNamed } = subscription;
    return [outboxRow(subscriptionRebilled, { ...about, ...charged, affiliateNamed }, ended)];
  }
  const { nextTryDays, statusAfter, reason } = event;
  const failed = { paymentId, period, attempt, nextTryDays, statusBefore, statusAfter, reason, failedAt: time };
  const events = [outboxRow(subscriptionPaymentFailed, { ...about, ...failed }, ended)];
  if (statusAfter !== 'canceled') return events;
  const canceled = {
    canceledAt: time,
    statusBefore,
    reason: 'payment_failed',
    sendWebhook: cancellationNotices,
  } as const;
  // Receivers order what they get by its time: the end follows the attempt that brought it.
  const after = { ...source, nowMs: nowMs + 1 };
  return [...events, outboxRow(subscriptionCanceled, { ...about, ...canceled }, after)];
}
