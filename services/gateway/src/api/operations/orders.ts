import { listOrderCommissions } from '@app/contracts/affiliates';
import { listAutomations, resendReceipt } from '@app/contracts/automations';
import type { RequestOutput } from '@app/contracts/define';
import {
  createOrder,
  getOrder,
  listOrders,
  listTestOrders,
  type OrderWithPayments,
  orderWithPayments,
  refundOrder,
  releaseOrder,
} from '@app/contracts/orders';
import { listOrderPayments } from '@app/contracts/payments';
import { listRefundable } from '@app/contracts/refundable-charges';
import { listCheckouts } from '@app/contracts/unfinished-checkouts';
import type { CallContext, Requester } from '@app/messaging/requester';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { queryBoolean } from '../query-boolean.ts';

const params = z.object({ orderId: pathId('order', 'order_not_found') });

/** What a refund of an order would do now. */
const refundPreview = z
  .object({
    orderId: z.string(),
    possible: z
      .boolean()
      .describe(
        'False for an order whose card is only held, or that ended without a charge, while a payment without an outcome keeps the refund back, and while a ' +
          'payment of the order is disputed.',
      ),
    charges: z
      .array(
        z.object({
          paymentId: z.string(),
          renewal: z.boolean(),
          amountCents: z.int().describe('What it took.'),
          refundedCents: z.int().describe('What went back of it before, by refunds and lost disputes.'),
          refundCents: z.int().describe('What would go back now.'),
          currency: z.string(),
        }),
      )
      .describe('Empty for an order that was only recorded: no money moves for it.'),
    subscription: z.object({ id: z.string(), status: z.string() }).nullable().describe('The one that would end.'),
    commissions: z.array(
      z.object({
        affiliateCode: z.string(),
        renewal: z.boolean(),
        amountCents: z.int().describe('What would be voided, or taken back in the next payout.'),
        currency: z.string(),
      }),
    ),
    emails: z.array(z.object({ name: z.string(), to: z.enum(['buyer', 'seller']) })),
    webhooks: z.array(z.object({ event: z.string(), count: z.int() })),
  })
  .meta({ id: 'RefundPreview' });
type Preview = z.infer<typeof refundPreview>;

export const orderOperations = tagged('Orders', [
  forwardOperation(listOrders, {
    id: 'listOrders',
    method: 'GET',
    path: '/api/v1/orders',
    summary: 'List the latest 100 orders, newest first',
    description:
      'Test orders are excluded. With `limit`, `before` or a filter it says whether more follow. In `q` a text with an @ is ' +
      'an email address, and one that has the form of an order’s id is that. Any other is the number of an order, as receipts have it, ' +
      'or else how the buyer’s name begins.',
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
    audit: false,
    method: 'POST',
    path: '/api/v1/orders',
    summary: 'Record an order from the seller’s own code',
    description: 'It charges nothing: it records money already taken, as paid at once, and fires `order.paid`.',
    // Many are recorded at once, in one transaction.
    unlimitedConcurrency: true,
    errors: ['unknown_product', 'product_not_live', 'bump_not_found', 'discount_invalid', 'total_too_large'],
    addedInput: ({ actor: { settings } }) => ({
      account: { testMode: settings.testMode, supportEmail: settings.supportEmail },
    }),
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
    description:
      'Of whatever status, test orders too, with every attempt to move money for it, disputes and what the processor kept. Payments of renewals are in `getSubscription`.',
    auth: 'account',
    scope: 'read',
    params,
    response: orderWithPayments,
    errors: ['order_not_found'],
    run: ({ app, params: { orderId }, context }) => readOrder(app.requester, orderId, context),
  }),
  forwardOperation(releaseOrder, {
    id: 'releaseOrder',
    audit: 'refund',
    method: 'POST',
    path: '/api/v1/orders/{orderId}/release',
    summary: 'Release the hold of an order, which ends it without a charge',
    description:
      'For an `authorized` order, whose card is held until the buyer has decided on the upsell, or the time for that is over. The ' +
      'order leaves the lists (`getOrder` still finds it, `expired`), `order.expired` is sent with the reason `released`, and the use of ' +
      'its discount code is free again. Nothing is charged, neither now nor later. Releasing again does nothing more. ' +
      '`processing`: the payment processor has not answered yet; the order ends when it has. While its hold is being captured, ' +
      'and for a paid or refunded order, the error is `invalid_transition`.',
    scope: 'money',
    params,
    // As a refund.
    unlimitedConcurrency: true,
    errors: ['order_not_found', 'invalid_transition'],
    isUnderWay: ({ status }) => status === 'processing',
  }),
  forwardOperation(resendReceipt, {
    id: 'resendReceipt',
    alsoScope: 'read',
    audit: 'automation',
    method: 'POST',
    path: '/api/v1/orders/{orderId}/receipt',
    summary: 'Send the receipt of an order again',
    description:
      'As it was, to the buyer, or to another address where that had a typo; the order keeps its own. It is made of the event of the ' +
      'payment, which is kept for 30 days (`body_expired`). An order’s receipt goes out again five times in 24 hours (`limit_reached`), ' +
      'and an address gets ten emails of a kind a day. That of a test order goes to the account’s own address.',
    params,
    errors: ['order_not_found', 'body_expired', 'email_unavailable', 'invalid_transition', 'limit_reached'],
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
    audit: 'refund',
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
    errors: ['order_not_found', 'invalid_transition', 'amount_changed', 'refund_failed', 'payment_disputed'],
    isUnderWay: ({ status }) => status === 'processing',
  }),
]);

/**
 * An order, every attempt to move money for it, oldest first, without the renewals of its subscription, and all disputes. Both services
 * are requested at once, each for the account's own.
 * @throws DomainError order_not_found
 */
async function readOrder(requester: Requester, orderId: string, context: CallContext): Promise<OrderWithPayments> {
  // A refusal is thrown only once both have ended: `order_not_found` counts for more than a billing service that is away.
  const [order, payments] = await Promise.allSettled([
    requester.request(getOrder, { orderId }, context),
    requester.request(listOrderPayments, { orderId }, context),
  ]);
  if (order.status === 'rejected') throw order.reason;
  if (payments.status === 'rejected') throw payments.reason;
  const { data, disputes = [], fees = [] } = payments.value;
  return { ...order.value, payments: data, disputes: disputes.length === 0 ? null : disputes, fees };
}

/**
 * Reads what a refund of an order would do; nothing is changed.
 * @throws DomainError order_not_found
 */
async function previewRefund(
  requester: Requester,
  { orderId, renewals }: { readonly orderId: string; readonly renewals: boolean },
  context: CallContext,
): Promise<Preview> {
  const order = await requester.request(getOrder, { orderId }, context);
  const [refundable, commissions, automations] = await Promise.all([
    requester.request(listRefundable, { orderId, renewals }, context),
    requester.request(listOrderCommissions, { orderId }, context),
    requester.request(listAutomations, {}, context),
  ]);
  const charges = chargesOf(refundable, renewals);
  const ends = order.status === 'paid' && refundable.subscription?.status !== 'canceled';
  const subscription = ends ? refundable.subscription : null;
  const webhooks = webhooksOf(order.status === 'paid', charges, subscription !== null);
  const events = new Set(webhooks.map(({ event }) => event));
  return {
    orderId,
    possible:
      order.status !== 'authorized' && order.status !== 'expired' && !refundable.waits && !isDisputed(refundable),
    charges,
    subscription,
    webhooks,
    commissions: commissions.data.filter((each) => renewals || !each.renewal),
    emails: automations.data.flatMap(({ active, available, built_in, event, name, product_id, action }) => {
      // The order's own money goes back whole: only that of a renewal is a part.
      if (built_in === 'partial_refund_notice' && !charges.some(isOfRenewal)) return [];
      const isSent = active && available && events.has(event) && (product_id ?? order.product_id) === order.product_id;
      return isSent && action.type === 'email' ? [{ name, to: action.to }] : [];
    }),
  };
}

const isOfRenewal = ({ renewal, refundCents }: Preview['charges'][number]): boolean => renewal && refundCents > 0;

/** A refund of the whole order would fail. */
const isDisputed = ({ charges }: RequestOutput<typeof listRefundable>): boolean =>
  charges.some(({ disputed, step }) => disputed === true && step !== 'renewal');

function chargesOf({ charges }: RequestOutput<typeof listRefundable>, renewals: boolean): Preview['charges'] {
  return charges.map(({ paymentId, step, amountCents, refundedCents, currency, disputed = false }) => {
    const renewal = step === 'renewal';
    const refundCents = disputed || (renewal && !renewals) ? 0 : amountCents - refundedCents;
    return { paymentId, renewal, amountCents, refundedCents, refundCents, currency };
  });
}

function webhooksOf(isPaid: boolean, charges: Preview['charges'], ends: boolean): Preview['webhooks'] {
  const refunds = charges.filter(({ refundCents }) => refundCents > 0).length;
  return [
    { event: 'payment.refunded', count: refunds },
    { event: 'order.refunded', count: isPaid ? 1 : 0 },
    { event: 'subscription.canceled', count: ends ? 1 : 0 },
  ].filter(({ count }) => count > 0);
}
