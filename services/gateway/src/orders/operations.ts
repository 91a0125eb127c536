import { createOrder, getOrder, listOrders } from '@app/contracts/orders';
import { z } from 'zod';
import { forwardOperation } from '../operations/forward-operation.ts';
import { pathId } from '../operations/path-params.ts';

const tag = 'Orders';

export const orderOperations = [
  forwardOperation(listOrders, {
    id: 'listOrders',
    method: 'GET',
    path: '/api/v1/orders',
    tag,
    summary: 'List the latest 100 orders, newest first',
    description: 'Test orders are excluded. With `limit` or `before` it pages back, and says whether more follow.',
    errors: [],
  }),
  forwardOperation(createOrder, {
    id: 'createOrder',
    method: 'POST',
    path: '/api/v1/orders',
    tag,
    summary: 'Record an order from the seller’s own code',
    description: 'It charges nothing: it records money already taken, settles at once and fires `order.paid`.',
    errors: ['unknown_product', 'product_not_live', 'bump_not_found', 'discount_invalid'],
    addedInput: ({ settings: { testMode, supportEmail } }) => ({ account: { testMode, supportEmail } }),
  }),
  forwardOperation(getOrder, {
    id: 'getOrder',
    method: 'GET',
    path: '/api/v1/orders/{orderId}',
    tag,
    summary: 'Read one order',
    params: z.object({ orderId: pathId('order', 'order_not_found') }),
    errors: ['order_not_found'],
  }),
];
