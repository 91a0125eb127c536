import { listOf, okResult } from '@app/contracts/common';
import {
  changedPortalSubscription,
  openPortalBody,
  portalCancelBody,
  portalOpened,
  portalOrder,
  portalOrderQuery,
  portalOrderWithReceipt,
  portalPaymentMethodBody,
  portalSubscription,
  portalSubscriptionQuery,
  portalSubscriptionWithHistory,
  portalSubscriptionWithNewCard,
  requestPortalLinkBody,
} from '@app/contracts/portal';
import { continuePaymentMethod, putPaymentMethod } from '@app/contracts/subscriptions';
import { invalidField } from '@app/contracts/validation';
import { z } from 'zod';
import { portalUrlOf } from '../../edge/public-urls.ts';
import { closePortalSession, openPortalLink, storePortalLetter } from '../../identity/portal-links.ts';
import { portalSecretOf } from '../../identity/portal-session.ts';
import { defineOperation, type KeyScope, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { continuePortalPaymentMethod, putPortalPaymentMethod } from '../portal/portal-cards.ts';
import {
  cancelPortalSubscription,
  keepPortalSubscription,
  pausePortalSubscription,
  resumePortalSubscription,
} from '../portal/portal-changes.ts';
import {
  getPortalOrder,
  getPortalSubscription,
  listPortalOrders,
  listPortalSubscriptions,
} from '../portal/portal-reads.ts';

const orderParams = z.object({ orderId: pathId('order', 'order_not_found') });
const subscriptionParams = z.object({ subscriptionId: pathId('subscription', 'subscription_not_found') });

/** An Idempotency-Key belongs to the session that sends it. */
const ofSession = ({ headers }: KeyScope<unknown, unknown>) => portalSecretOf(headers);

/** What changes a subscription. */
const onSubscription = {
  method: 'POST',
  auth: 'portal',
  params: subscriptionParams,
  response: changedPortalSubscription,
  errors: ['subscription_not_found', 'not_allowed_by_seller', 'invalid_transition'],
  idempotencyScope: ofSession,
} as const;

/** A new card. Like the seller's operation it waits for a payment processor. */
const ofCard = {
  auth: 'portal',
  params: subscriptionParams,
  response: portalSubscriptionWithNewCard,
  unlimitedConcurrency: true,
} as const;

/** What buyers do with what they bought. None of it is a tool: models act for sellers. */
export const portalOperations = tagged('Portal', [
  defineOperation({
    id: 'requestPortalLink',
    method: 'POST',
    path: '/api/portal/links',
    summary: 'Send a buyer the email that opens the portal',
    description:
      'The answer is the same, after the same time, whether or not the address has bought from the seller; only one that ' +
      'has gets the email. Its link works once, for 60 minutes. An address gets five a day, and after that the ' +
      'first of each client that has requested none, twenty in all.',
    auth: 'visitor',
    body: requestPortalLinkBody,
    response: okResult,
    errors: [],
    run: async ({ app, body, address, ownUrls, called }) => {
      const seller = await app.sellers.find(body.handle);
      if (seller === null) throw invalidField('handle', 'must be the handle of a seller', 'unknown_value');
      called.accountId = seller.accountId;
      const baseUrl = portalUrlOf(ownUrls[0] ?? '', seller.handle);
      const letter = await app.letters.admitOrRefuse('portal_link', { email: body.email, address, baseUrl });
      if (letter === null) return { ok: true };
      await storePortalLetter(app.database, seller.accountId, letter);
      app.letters.wake();
      return { ok: true };
    },
  }),
  defineOperation({
    id: 'openPortal',
    method: 'POST',
    path: '/api/portal/sessions',
    summary: 'Open the portal with the token of a link',
    description:
      'The answer’s `secret` is sent as `x-portal-session` with every later call, for 24 hours; for one hour where the link ' +
      'leads to the card of one subscription, which alone the session then reaches. A link that was used or is too old ' +
      'answers `expired`, with the address to request another one for.',
    auth: 'visitor',
    body: openPortalBody,
    response: portalOpened,
    errors: ['not_found'],
    run: ({ app, body }) => openPortalLink(app, body.token),
  }),
  defineOperation({
    id: 'closePortal',
    method: 'DELETE',
    path: '/api/portal/sessions',
    summary: 'End the buyer’s session',
    description: 'Its secret opens nothing more.',
    auth: 'portal',
    // It locks the session's row alone.
    unlimitedConcurrency: true,
    response: okResult,
    errors: [],
    run: async ({ app, headers }) => {
      await closePortalSession(app.database, portalSecretOf(headers));
      return { ok: true };
    },
  }),
  defineOperation({
    id: 'listPortalOrders',
    method: 'GET',
    path: '/api/portal/orders',
    summary: 'List what the buyer has ordered, newest first',
    description: 'In test mode rehearsals are among them, marked by `test`.',
    auth: 'portal',
    query: portalOrderQuery,
    response: listOf(portalOrder),
    errors: ['not_found'],
    run: (call) => listPortalOrders(call),
  }),
  defineOperation({
    id: 'getPortalOrder',
    method: 'GET',
    path: '/api/portal/orders/{orderId}',
    summary: 'Read one order of the buyer, with what its receipt says',
    description: 'Lines, total, refunds, the card’s last four digits, and where to find what was bought.',
    auth: 'portal',
    params: orderParams,
    response: portalOrderWithReceipt,
    errors: ['order_not_found'],
    run: (call) => getPortalOrder(call),
  }),
  defineOperation({
    id: 'listPortalSubscriptions',
    method: 'GET',
    path: '/api/portal/subscriptions',
    summary: 'List the buyer’s subscriptions, past due ones first',
    description: 'In test mode those of rehearsals are among them, marked by `test`.',
    auth: 'portal',
    query: portalSubscriptionQuery,
    response: listOf(portalSubscription),
    errors: ['not_found'],
    run: (call) => listPortalSubscriptions(call),
  }),
  defineOperation({
    id: 'getPortalSubscription',
    method: 'GET',
    path: '/api/portal/subscriptions/{subscriptionId}',
    summary: 'Read one subscription of the buyer with its renewals',
    description: 'With what was charged when, which card is charged next, and what the buyer may do.',
    auth: 'portal',
    params: subscriptionParams,
    response: portalSubscriptionWithHistory,
    errors: ['subscription_not_found'],
    run: (call) => getPortalSubscription(call),
  }),
  defineOperation({
    ...onSubscription,
    id: 'cancelPortalSubscription',
    path: '/api/portal/subscriptions/{subscriptionId}/cancel',
    summary: 'Cancel a subscription of the buyer, now or at the end of its period',
    description:
      'As `cancelSubscription`, where the seller lets buyers cancel (`portalCancel`). One that is past due or paused is ' +
      'canceled `now`; for `period_end` the answer is 409 `invalid_transition`, and it stays.',
    body: portalCancelBody,
    run: (call) => cancelPortalSubscription(call),
  }),
  defineOperation({
    ...onSubscription,
    id: 'keepPortalSubscription',
    path: '/api/portal/subscriptions/{subscriptionId}/keep',
    summary: 'Take back a cancellation for the end of the period',
    description: 'As `keepSubscription`, where the seller lets buyers cancel (`portalCancel`).',
    run: (call) => keepPortalSubscription(call),
  }),
  defineOperation({
    ...onSubscription,
    id: 'pausePortalSubscription',
    path: '/api/portal/subscriptions/{subscriptionId}/pause',
    summary: 'Pause a subscription of the buyer',
    description: 'As `pauseSubscription`, where the seller lets buyers pause (`portalPause`).',
    run: (call) => pausePortalSubscription(call),
  }),
  defineOperation({
    ...onSubscription,
    id: 'resumePortalSubscription',
    path: '/api/portal/subscriptions/{subscriptionId}/resume',
    summary: 'Resume a paused subscription of the buyer',
    description:
      'As `resumeSubscription`, where the seller lets buyers pause (`portalPause`). What the seller has paused the seller alone ' +
      'resumes: then the answer is 403 `not_allowed_by_seller`.',
    run: (call) => resumePortalSubscription(call),
  }),
  defineOperation({
    ...ofCard,
    id: 'putPortalPaymentMethod',
    method: 'PUT',
    path: '/api/portal/subscriptions/{subscriptionId}/payment-method',
    summary: 'Replace the card of a subscription of the buyer',
    description:
      'As `putPaymentMethod`, and a payment that is past due is charged to the new card at once. A bank that asks the buyer ' +
      'to confirm the card, or then the charge, leads them back to the card’s page of the portal. With `saved` and ' +
      '`renewal_under_way`, `continue` says how the charge stands. Declined cards and saved ones count towards the ' +
      'limits of declined attempts: over them the answer is 429, and no processor is called.',
    body: portalPaymentMethodBody,
    errors: ['subscription_not_found', 'invalid_transition', 'no_payment_processor', 'card_declined'],
    longestMs: putPaymentMethod.timeoutMs,
    run: (call) => putPortalPaymentMethod(call),
  }),
  defineOperation({
    ...ofCard,
    id: 'continuePortalPaymentMethod',
    method: 'POST',
    path: '/api/portal/subscriptions/{subscriptionId}/payment-method/continue',
    summary: 'Get the state of a subscription’s newest card',
    description:
      'After `requires_action`, when the buyer is back from the bank, and after `processing`. Also while a renewal is under way: ' +
      '`renewal_confirmation` says where the buyer confirms it; once it is null and `renewal_under_way` false, `status` is the outcome.',
    errors: ['subscription_not_found', 'invalid_transition', 'card_declined'],
    idempotencyScope: ofSession,
    longestMs: continuePaymentMethod.timeoutMs,
    isUnderWay: ({ payment_method, renewal_under_way, renewal_confirmation }) =>
      payment_method?.status !== 'saved' || renewal_under_way !== false || renewal_confirmation !== null,
    run: (call) => continuePortalPaymentMethod(call),
  }),
]);
