import { createOrder, listOrders, orderWithPayments, refundOrder } from '@app/contracts/orders';
import { z } from 'zod';
import { forwardOperation } from '../operations/forward-operation.ts';
import { defineOperation } from '../operations/operation.ts';
import { pathId } from '../operations/path-params.ts';
import { readOrder } from './read-order.ts';

const tag = 'Orders';
const params = z.object({ orderId: pathId('order', 'order_not_found') });

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
    // Many are recorded at once, in one transaction.
    takesNoTurn: true,
    errors: ['unknown_product', 'product_not_live', 'bump_not_found', 'discount_invalid'],
    addedInput: ({ settings: { testMode, supportEmail } }) => ({ account: { testMode, supportEmail } }),
  }),
  defineOperation({
    id: 'getOrder',
    method: 'GET',
    path: '/api/v1/orders/{orderId}',
    tag,
    summary: 'Read one order and its payments',
    auth: 'account',
    scope: 'read',
    params,
    response: orderWithPayments,
    errors: ['order_not_found'],
    run: ({ app, params: { orderId }, context }) => readOrder(app.requester, orderId, context),
  }),
  forwardOperation(refundOrder, {
    id: 'refundOrder',
    method: 'POST',
    path: '/api/v1/orders/{orderId}/refund',
    tag,
    summary: 'Refund a paid order, whole',
    description:
      'Gives every charge of the order back, ends the subscription that it began and voids its commission, then fires ' +
      '`order.refunded`. An order that was recorded from the seller’s own code has no charge: no money moves for it. ' +
      'Refunding again does nothing more.',
    scope: 'money',
    params,
    // Each locks its own order, and waits up to 8 s for a payment processor without a connection in its hands.
    takesNoTurn: true,
    errors: ['order_not_found', 'invalid_transition', 'refund_failed'],
    isUnderWay: ({ status }) => status === 'processing',
  }),
];
