import { getSubscription, listSubscriptions } from '@app/contracts/subscriptions';
import { type Answer, answer } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { readSubscription, readSubscriptions } from './read-subscriptions.ts';

export function subscriptionRequests(database: Database): Answer[] {
  return [
    answer(listSubscriptions, (page, { accountId }) => readSubscriptions(database, accountId, page)),
    answer(getSubscription, ({ subscriptionId }, { accountId }) =>
      readSubscription(database, accountId, subscriptionId),
    ),
  ];
}
