import { listOf } from '@app/contracts/common';
import {
  getOrder,
  listOrders,
  orderResource,
  placeOrder,
  placeOrderBody,
  placeOrderResult,
} from '@app/contracts/orders';
import { z } from 'zod';
import { defineOperation } from '../http/operation.ts';
import { pathId } from '../http/path-params.ts';

const tag = 'Orders';

export const orderOperations = [
  defineOperation({
    id: 'listOrders',
    method: 'GET',
    path: '/api/v1/orders',
    tag,
    summary: 'List the latest 100 orders, newest first',
    description: 'Test orders are excluded. With `limit` or `before` it pages back, and says whether more follow.',
    auth: 'account',
    scope: 'read',
    query: listOrders.input,
    response: listOf(orderResource),
    errors: [],
    run: ({ app, query, context }) => app.requester.requestBytes(listOrders, query, context),
  }),
  defineOperation({
    id: 'createOrder',
    method: 'POST',
    path: '/api/v1/orders',
    tag,
    summary: 'Record an order from the seller’s own code',
    description: 'It charges nothing: it records money already taken, settles at once and fires `order.paid`.',
    auth: 'account',
    scope: 'write',
    body: placeOrderBody,
    response: placeOrderResult,
    errors: ['unknown_product', 'product_not_live', 'bump_not_found', 'discount_invalid'],
    run: ({ app, actor, body, context }) => {
      const { testMode, supportEmail } = actor.settings;
      return app.requester.requestBytes(placeOrder, { body, account: { testMode, supportEmail } }, context);
    },
  }),
  defineOperation({
    id: 'getOrder',
    method: 'GET',
    path: '/api/v1/orders/{orderId}',
    tag,
    summary: 'Read one order',
    auth: 'account',
    scope: 'read',
    params: z.object({ orderId: pathId('order', 'order_not_found') }),
    response: orderResource,
    errors: ['order_not_found'],
    run: ({ app, params, context }) => app.requester.requestBytes(getOrder, params, context),
  }),
];
