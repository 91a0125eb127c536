import * as contract from '@app/contracts/subscriptions';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { ChangeDeps } from './change-subscription.ts';
import { getSubscription } from './get-subscription.ts';
import { listSubscriptions } from './list-subscriptions.ts';
import { cancelSubscription, keepSubscription, pauseSubscription, resumeSubscription } from './subscriptions.ts';

export function subscriptionRequests(deps: ChangeDeps): RequestHandler[] {
  return [
    onRequest(contract.listSubscriptions, (query, { accountId }) => listSubscriptions(deps, accountId, query)),
    onRequest(contract.getSubscription, ({ subscriptionId }, { accountId }) =>
      getSubscription(deps, accountId, subscriptionId),
    ),
    onRequest(contract.cancelSubscription, ({ subscriptionId, body, by }, context) =>
      cancelSubscription(deps, context, subscriptionId, { at: body?.at, by }),
    ),
    onRequest(contract.keepSubscription, ({ subscriptionId }, context) =>
      keepSubscription(deps, context, subscriptionId),
    ),
    onRequest(contract.pauseSubscription, ({ subscriptionId, by }, context) =>
      pauseSubscription(deps, context, subscriptionId, { by }),
    ),
    onRequest(contract.resumeSubscription, ({ subscriptionId, by }, context) =>
      resumeSubscription(deps, context, subscriptionId, { by }),
    ),
  ];
}
