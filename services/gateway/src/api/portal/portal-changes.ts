import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import type { ChangedPortalSubscription, portalCancelBody } from '@app/contracts/portal';
import {
  cancelSubscription,
  keepSubscription,
  pauseSubscription,
  resumeSubscription,
} from '@app/contracts/subscriptions';
import type { z } from 'zod';
import type { OperationCall } from '../operation.ts';
import { requireOfPortal } from './portal-buyer.ts';
import { changedPortalSubscriptionOf, type SubscriptionOfBilling } from './portal-subscription.rules.ts';

type Call<Body = unknown> = OperationCall<{ readonly subscriptionId: string }, unknown, Body>;
type Changed = RequestOutput<typeof cancelSubscription>;

/**
 * Changes a subscription of the buyer, where the seller lets buyers do it.
 * @throws DomainError subscription_not_found, not_allowed_by_seller, and what billing refuses it with
 */
async function change(
  call: Call,
  setting: 'portalCancel' | 'portalPause',
  perform: (found: SubscriptionOfBilling) => Promise<Changed>,
): Promise<ChangedPortalSubscription> {
  const { settings } = call.actor;
  const found = await requireOfPortal(call, call.params.subscriptionId);
  if (!settings[setting]) {
    const what = setting === 'portalCancel' ? 'canceled or kept' : 'paused or resumed';
    throw new DomainError('not_allowed_by_seller', `Subscriptions of this seller are not ${what} in the portal.`);
  }
  return changedPortalSubscriptionOf(await perform(found), found, settings);
}

/**
 * Cancels it now or at the end of its period, as the buyer's wish. Billing ends what is past due or paused at once; a buyer who
 * was shown a later end, before another tab or a declined renewal changed it, must confirm again.
 * @throws DomainError invalid_transition for a later end of one that is not active
 */
export const cancelPortalSubscription = (call: Call<z.output<typeof portalCancelBody>>) => {
  const { app, params, body, context } = call;
  const input = { ...params, body, by: 'buyer' } as const;
  return change(call, 'portalCancel', ({ status }) => {
    if (body.at === 'period_end' && (status === 'past_due' || status === 'paused'))
      throw new DomainError('invalid_transition', `A subscription that is ${status} has no later end: cancel it now.`);
    return app.requester.request(cancelSubscription, input, context);
  });
};

/** Takes back a cancellation for the end of the period. */
export const keepPortalSubscription = (call: Call) =>
  change(call, 'portalCancel', () => call.app.requester.request(keepSubscription, call.params, call.context));

const byBuyer = ({ params }: Call) => ({ ...params, by: 'buyer' }) as const;

export const pausePortalSubscription = (call: Call) =>
  change(call, 'portalPause', () => call.app.requester.request(pauseSubscription, byBuyer(call), call.context));

/** @throws DomainError not_allowed_by_seller where the seller has paused it */
export const resumePortalSubscription = (call: Call) =>
  change(call, 'portalPause', () => call.app.requester.request(resumeSubscription, byBuyer(call), call.context));
