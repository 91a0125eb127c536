import type { EventData } from '@app/contracts/define';
import { idOfCommand } from '@app/contracts/ids';
import { subscriptionCanceled, subscriptionPaymentFailed, subscriptionRebilled } from '@app/contracts/subscriptions';
import type { Payment } from '../../charging/payment.types.ts';
import { aboutSubscription, type SubscriptionIdentity } from '../subscription-event.rules.ts';
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
  readonly chargedCard: Pick<Payment, 'lastFour' | 'wallet'>;
}

/** The id and the time that its row is written with. */
interface Source {
  readonly eventId?: string;
  readonly nowMs: number;
}

export type DecidedRenewalEvent = { readonly source: Source } & (
  | { readonly definition: typeof subscriptionRebilled; readonly data: EventData<typeof subscriptionRebilled> }
  | {
      readonly definition: typeof subscriptionPaymentFailed;
      readonly data: EventData<typeof subscriptionPaymentFailed>;
    }
  | { readonly definition: typeof subscriptionCanceled; readonly data: EventData<typeof subscriptionCanceled> }
);

/**
 * The events of a renewal's result, which `outcomeWrites` writes with it; the data have the times of its subscription, which may be a rehearsal's.
 * @param nowMs when it is written down
 * @param cancellationNotices whether webhooks are sent for subscriptions that ended unpaid
 */
export function renewalEvents(
  { subscription, paymentId, outcome: { at, period }, effect: { period: dates, event }, chargedCard }: RenewalResult,
  nowMs: number,
  cancellationNotices: boolean,
): DecidedRenewalEvent[] {
  if (event === null) return [];
  // A renewal ends once: should it be recorded anew, its event is the same, and a receiver that had it drops it.
  const source = paymentId === null ? { nowMs } : { nowMs, eventId: idOfCommand('event', paymentId.slice(-26)) };
  const about = aboutSubscription(subscription);
  const { attempt, statusBefore } = event;
  const time = at.toISOString();
  if (event.kind === 'rebilled') {
    const [periodStart, periodEnd] = [dates.starts_at.toISOString(), dates.ends_at.toISOString()];
    const { statusAfter } = event;
    const charged = { paymentId, period, periodStart, periodEnd, attempt, statusBefore, statusAfter, chargedAt: time };
    const { affiliate_named: affiliateNamed } = subscription;
    return [
      { definition: subscriptionRebilled, data: { ...about, ...charged, ...chargedCard, affiliateNamed }, source },
    ];
  }
  const { nextTryDays, statusAfter, reason } = event;
  const failed = { paymentId, period, attempt, nextTryDays, statusBefore, statusAfter, reason, failedAt: time };
  const failure: DecidedRenewalEvent = { definition: subscriptionPaymentFailed, data: { ...about, ...failed }, source };
  if (statusAfter !== 'canceled') return [failure];
  const canceled = {
    canceledAt: time,
    statusBefore,
    reason: 'payment_failed',
    sendWebhook: cancellationNotices,
  } as const;
  // Receivers order what they get by its time: the end follows the attempt that brought it.
  const after = { nowMs: nowMs + 1 };
  return [failure, { definition: subscriptionCanceled, data: { ...about, ...canceled }, source: after }];
}
