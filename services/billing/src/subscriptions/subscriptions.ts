import { subscriptionCanceled, subscriptionPaused, subscriptionResumed } from '@app/contracts/subscriptions';
import { outboxRow } from '@app/messaging/outbox';
import { type ChangeDeps, type CommandContext, changeSubscription } from './change-subscription.ts';
import {
  type ActBy,
  cancel,
  cancelAtPeriodEnd,
  keep,
  pause,
  resume,
  type SubscriptionState,
} from './subscription-change.rules.ts';
import { aboutSubscription, canceledData } from './subscription-event.rules.ts';
import type { ChangedSubscription } from './subscription-rows.ts';

type Action = (deps: ChangeDeps, context: CommandContext, id: string) => Promise<ChangedSubscription>;

/**
 * Ends a subscription now, or at the end of its period. A canceled one stays as it is. The event is that of the end: the
 * daily run writes the one of a later end.
 * @throws DomainError subscription_not_found
 */
export const cancelSubscription = (
  deps: ChangeDeps,
  context: CommandContext,
  id: string,
  {
    at = 'now',
    by = 'seller',
  }: { readonly at?: 'now' | 'period_end' | undefined; readonly by?: ActBy | undefined } = {},
): Promise<ChangedSubscription> =>
  changeSubscription(deps, context, id, ({ subscription, charging, now }) => {
    const change = at === 'now' ? cancel(subscription, now) : cancelAtPeriodEnd(subscription, by, now, charging);
    if (change?.status !== 'canceled') return { change };
    const canceledAt = change.canceled_at ?? now;
    const statusBefore = living(subscription.status);
    const data = canceledData({ ...subscription, canceled_at: canceledAt, status_before: statusBefore }, by);
    return { change, event: () => outboxRow(subscriptionCanceled, data, sourceOf(deps, context)) };
  });

/**
 * Takes back a cancellation for the end of the period: the next daily run charges what is due.
 * @throws DomainError subscription_not_found, invalid_transition for a canceled one
 */
export const keepSubscription: Action = (deps, context, id) =>
  changeSubscription(deps, context, id, ({ subscription }) => ({ change: keep(subscription) }));

type ActOf = (...args: [...Parameters<Action>, options?: { readonly by?: ActBy | undefined }]) => ReturnType<Action>;

/**
 * Stops renewals and attempts. One that is paused stays so, and has no second event.
 * @throws DomainError subscription_not_found, invalid_transition for one that is canceled, also for the end of its period
 */
export const pauseSubscription: ActOf = (deps, context, id, { by = 'seller' } = {}) =>
  changeSubscription(deps, context, id, ({ subscription, now }) => {
    const change = pause(subscription, by, now);
    if (subscription.status === 'paused') return { change };
    return {
      change,
      event: () => {
        const statusBefore = living(subscription.status);
        const data = { ...aboutSubscription(subscription), statusBefore, pausedAt: now.toISOString() };
        return outboxRow(subscriptionPaused, data, sourceOf(deps, context));
      },
    };
  });

/**
 * Renews a paused subscription again: on its date, or now with a new anchor when that has passed; past due where a renewal had
 * failed. One that is not paused stays as it is.
 * @throws DomainError subscription_not_found, invalid_transition for a canceled one, not_allowed_by_seller for a buyer where the
 *   seller has paused it
 */
export const resumeSubscription: ActOf = (deps, context, id, { by = 'seller' } = {}) =>
  changeSubscription(deps, context, id, ({ subscription, charging, paid_at, now }) => ({
    change: resume(subscription, by, now, { charging, paidAt: paid_at }),
    event: ({ status, next_charge_at: nextChargeAt }) => {
      const statusAfter = status === 'past_due' ? status : 'active';
      const data = {
        ...aboutSubscription(subscription),
        statusAfter,
        nextChargeAt,
        resumedAt: now.toISOString(),
      } as const;
      return outboxRow(subscriptionResumed, data, sourceOf(deps, context));
    },
  }));

/** When it happens is real time, for rehearsals too. */
const sourceOf = ({ clock }: ChangeDeps, { accountId, requestId }: CommandContext) => ({
  accountId,
  requestId,
  nowMs: clock.nowMs(),
});

/** The rules leave a canceled one as it is, so no event has it as the state before. */
function living(status: SubscriptionState['status']): 'active' | 'past_due' | 'paused' {
  if (status === 'canceled') throw new Error('a canceled subscription changed');
  return status;
}
