import * as contract from '@app/contracts/webhook-deliveries';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { getDelivery } from './get-delivery.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEvents } from './list-events.ts';

export function historyRequests(database: Database): RequestHandler[] {
  return [
    onRequest(contract.listDeliveries, (query, { accountId }) => listDeliveries(database, accountId, query)),
    onRequest(contract.getDelivery, ({ deliveryId }, { accountId }) => getDelivery(database, accountId, deliveryId)),
    onRequest(contract.listEvents, (query, { accountId }) => listEvents(database, accountId, query)),
  ];
}
