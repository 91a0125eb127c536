import * as contract from '@app/contracts/subscriptions';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { getSubscription, listSubscriptions } from './get-subscriptions.ts';

export function subscriptionRequests(database: Database): RequestHandler[] {
  return [
    onRequest(contract.listSubscriptions, (page, { accountId }) => listSubscriptions(database, accountId, page)),
    onRequest(contract.getSubscription, ({ subscriptionId }, { accountId }) =>
      getSubscription(database, accountId, subscriptionId),
    ),
  ];
}
