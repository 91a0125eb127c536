import { DomainError } from '@app/contracts/errors';
import { getOrder, listOrders, placeOrder } from '@app/contracts/orders';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import { BatcherFullError } from '@app/service-kit/batcher';
import type { Database } from '@app/service-kit/database';
import type { OrderQueue } from './place-order.ts';
import { readOrder, readOrders } from './read-orders.ts';

export function orderRequests(database: Database, desk: OrderQueue): RequestHandler[] {
  return [
    onRequest(placeOrder, async ({ body, account }, context) => {
      try {
        return await desk.add({ body, account, context });
      } catch (err) {
        if (err instanceof BatcherFullError)
          throw new DomainError('service_unavailable', 'Too many orders are waiting; try again shortly.');
        throw err;
      }
    }),
    onRequest(listOrders, (page, context) => readOrders(database, context.accountId, page)),
    onRequest(getOrder, ({ orderId }, context) => readOrder(database, context.accountId, orderId)),
  ];
}
