import { readDiscountUses as readUsesContract } from '@app/contracts/discounts';
import * as contract from '@app/contracts/orders';
import * as portal from '@app/contracts/portal';
import { onRequest, type RequestHandler } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { usesOf } from '../discounts/discount-uses.ts';
import { findBuyer, getBuyerOrder, listBuyerOrders } from './buyer-orders.ts';
import { getOrder } from './get-order.ts';
import { listOrders, listTestOrders } from './list-orders.ts';
import type { OrderBatcher } from './order-batcher.ts';

export function orderRequests(database: Database, orders: OrderBatcher): RequestHandler[] {
  return [
    onRequest(contract.createOrder, ({ body, account }, context) => orders.add({ body, account, context })),
    onRequest(contract.listOrders, (query, { accountId }) => listOrders(database, accountId, query)),
    onRequest(contract.listTestOrders, (query, { accountId }) => listTestOrders(database, accountId, query)),
    onRequest(readUsesContract, async ({ discountIds }, { accountId }) => {
      const discounts = discountIds.map((discountId) => ({ accountId, discountId }));
      return { uses: await usesOf(database.pool, discounts) };
    }),
    onRequest(contract.getOrder, ({ orderId }, { accountId }) => getOrder(database, accountId, orderId)),
    onRequest(portal.listBuyerOrders, (input, { accountId }) => listBuyerOrders(database, accountId, input)),
    onRequest(portal.getBuyerOrder, (input, { accountId }) => getBuyerOrder(database, accountId, input)),
    onRequest(portal.findBuyer, ({ email }, { accountId }) => findBuyer(database, accountId, email)),
  ];
}
