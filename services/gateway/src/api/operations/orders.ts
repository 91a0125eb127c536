import { createOrder, listOrders, listTestOrders, orderWithPayments, refundOrder } from '@app/contracts/orders';
import { listCheckouts } from '@app/contracts/unfinished-checkouts';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { queryBoolean } from '../query-boolean.ts';
import { previewRefund, refundPreview } from './preview-refund.ts';
import { readOrder } from './read-order.ts';

const params = z.object({ orderId: pathId('order', 'order_not_found') });

export const orderOperations = tagged('Orders', [
  forwardOperation(listOrders, {
    id: 'listOrders',
    method: 'GET',
    path: '/api/v1/orders',
    summary: 'List the latest 100 orders, newest first',
    description:
      'Test orders are excluded. With `limit`, `before` or a filter it says whether more follow. In `q` a text with an @ is ' +
      'an email address, and one that has the form of an order’s id is that; any other is how the buyer’s name begins.',
    errors: [],
  }),
  forwardOperation(listTestOrders, {
    id: 'listTestOrders',
    method: 'GET',
    path: '/api/v1/test-orders',
    summary: 'List test orders, newest first',
    description: 'Rehearsals, which are in no other list. Filters and paging are those of `listOrders`.',
    errors: [],
  }),
  forwardOperation(createOrder, {
    id: 'createOrder',
    method: 'POST',
    path: '/api/v1/orders',
    summary: 'Record an order from the seller’s own code',
    description: 'It charges nothing: it records money already taken, as paid at once, and fires `order.paid`.',
    // Many are recorded at once, in one transaction.
    unlimitedConcurrency: true,
    errors: ['unknown_product', 'product_not_live', 'bump_not_found', 'discount_invalid', 'total_too_large'],
    addedInput: ({ settings: { testMode, supportEmail } }) => ({ account: { testMode, supportEmail } }),
  }),
  forwardOperation(listCheckouts, {
    id: 'listCheckouts',
    method: 'GET',
    path: '/api/v1/checkouts',
    summary: 'List checkouts that were not paid, newest first',
    description:
      'Those whose buyers gave an email, without rehearsals. The links that open them are in reminders alone. One that is ' +
      'paid leaves the list.',
    errors: [],
  }),
  defineOperation({
    id: 'getOrder',
    method: 'GET',
    path: '/api/v1/orders/{orderId}',
    summary: 'Read one order and its payments',
    auth: 'account',
    scope: 'read',
    params,
    response: orderWithPayments,
    errors: ['order_not_found'],
    run: ({ app, params: { orderId }, context }) => readOrder(app.requester, orderId, context),
  }),
  defineOperation({
    id: 'previewRefund',
    method: 'GET',
    path: '/api/v1/orders/{orderId}/refund/preview',
    summary: 'See what a refund of the order would do',
    description:
      'The charges that would go back, the subscription that would end, commissions that would be taken back, emails ' +
      'and webhooks that would be sent. Renewals go back only with `renewals=true`. Nothing is changed.',
    auth: 'account',
    scope: 'read',
    params,
    query: z.object({ renewals: queryBoolean.optional() }),
    response: refundPreview,
    errors: ['order_not_found'],
    run: ({ app, params: { orderId }, query: { renewals = false }, context }) =>
      previewRefund(app.requester, { orderId, renewals }, context),
  }),
  forwardOperation(refundOrder, {
    id: 'refundOrder',
    method: 'POST',
    path: '/api/v1/orders/{orderId}/refund',
    summary: 'Refund a paid order, whole',
    description:
      'Gives every charge of the order back, ends the subscription that it began and voids its commission, then fires ' +
      '`payment.refunded` for each charge and `order.refunded`. Its renewals go back only with `renewals: true`, also of ' +
      'an order that was refunded before. An order that was recorded from the seller’s own code has no charge: no money ' +
      'moves for it. Refunding again does nothing more. While a renewal of its subscription is under ' +
      'way at the payment processor (`renewalUnderWay`) the refund is `processing`, and goes on when that has ended; that of ' +
      'an order from the seller’s own code waits only with `renewals: true`. A payment whose refund is refused keeps no other ' +
      'back: the error `refund_failed` names each that did not go back (`payments.<paymentId>` in `errors`), with the ' +
      'processor’s words, and the refund may be repeated. Where one is disputed, or was lost to a dispute, the error is ' +
      '`payment_disputed`.',
    scope: 'money',
    params,
    // Each locks its own order, and waits up to 8 s for a payment processor without a connection in its hands.
    unlimitedConcurrency: true,
    errors: ['order_not_found', 'invalid_transition', 'refund_failed', 'payment_disputed'],
    isUnderWay: ({ status }) => status === 'processing',
  }),
]);
