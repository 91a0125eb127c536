import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import { getSubscription } from '@app/contracts/subscriptions';
import type { Buyer } from '../../identity/actors.ts';
import type { OperationCall } from '../operation.ts';
import type { SubscriptionOfBilling } from './portal-subscription.rules.ts';

type PortalCall = Pick<OperationCall<unknown, unknown, unknown>, 'app' | 'actor' | 'context'>;

/** The buyer of a session of the portal: `callOperation` found it before it ran the operation. */
export function buyerOf({ actor }: PortalCall): Buyer {
  if (actor.buyer === null) throw new Error('an operation of the portal was run without a buyer');
  return actor.buyer;
}

/** Whose orders a session shows; null for a session of one subscription's card, which shows none. */
export function ordersOf(call: PortalCall): { readonly email: string; readonly test: boolean } | null {
  const { email, subscriptionId } = buyerOf(call);
  return subscriptionId === null ? { email, test: call.actor.settings.testMode } : null;
}

/** In the words for an id of no order at all. */
export const noOrder = (id: string): DomainError =>
  new DomainError('order_not_found', `There is no order with the id "${id}".`);

/** In the words for an id of no subscription at all. */
const noSubscription = (id: string): DomainError =>
  new DomainError('subscription_not_found', `There is no subscription with the id "${id}".`);

/**
 * A subscription of the session's buyer. Every act on one begins with it: the email of a subscription never changes.
 * @throws DomainError subscription_not_found for another buyer's, for a rehearsal's unless test mode is on, and for any but
 * the one that the session is for
 */
export async function requireSubscription(call: PortalCall, subscriptionId: string): Promise<SubscriptionOfBilling> {
  const { app, actor, context } = call;
  const buyer = buyerOf(call);
  if ((buyer.subscriptionId ?? subscriptionId) !== subscriptionId) throw noSubscription(subscriptionId);
  const found = await app.requester.request(getSubscription, { subscriptionId }, context);
  const isOwn = emailKey(found.customer_email) === emailKey(buyer.email) && (!found.test || actor.settings.testMode);
  if (!isOwn) throw noSubscription(subscriptionId);
  return found;
}

/**
 * As `requireSubscription`, for what a session of a subscription's card may not do.
 * @throws DomainError subscription_not_found
 */
export async function requireOfPortal(call: PortalCall, subscriptionId: string): Promise<SubscriptionOfBilling> {
  if (buyerOf(call).subscriptionId !== null) throw noSubscription(subscriptionId);
  return await requireSubscription(call, subscriptionId);
}
