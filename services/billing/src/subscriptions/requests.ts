import { getSubscription, listSubscriptions } from '@app/contracts/subscriptions';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { readSubscription, readSubscriptions } from './read-subscriptions.ts';

export function subscriptionRequests(database: Database): RequestHandler[] {
  return [
    onRequest(listSubscriptions, (page, { accountId }) => readSubscriptions(database, accountId, page)),
    onRequest(getSubscription, ({ subscriptionId }, { accountId }) =>
      readSubscription(database, accountId, subscriptionId),
    ),
  ];
}
