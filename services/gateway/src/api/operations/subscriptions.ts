import {
  cancelSubscription,
  getSubscription,
  keepSubscription,
  listSubscriptions,
  pauseSubscription,
  putPaymentMethod,
  resumeSubscription,
} from '@app/contracts/subscriptions';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

const params = z.object({ subscriptionId: pathId('subscription', 'subscription_not_found') });

export const subscriptionOperations = tagged('Subscriptions', [
  forwardOperation(listSubscriptions, {
    id: 'listSubscriptions',
    method: 'GET',
    path: '/api/v1/subscriptions',
    summary: 'List subscriptions, newest first',
    description:
      'Those of test orders are excluded, or with `test=true` the only ones. The latest 100; with `limit` or `before` it pages back, and says whether more ' +
      'follow. Filters narrow it down together.',
    errors: [],
  }),
  forwardOperation(getSubscription, {
    id: 'getSubscription',
    method: 'GET',
    path: '/api/v1/subscriptions/{subscriptionId}',
    summary: 'Read one subscription with its periods and payments',
    description:
      'Of whatever status, test ones too: every period with how it was paid, and every attempt to charge a renewal.',
    params,
    errors: ['subscription_not_found'],
  }),
  forwardOperation(cancelSubscription, {
    id: 'cancelSubscription',
    audit: false,
    method: 'POST',
    path: '/api/v1/subscriptions/{subscriptionId}/cancel',
    summary: 'Cancel a subscription, now or at the end of its period',
    description:
      'It ends now, for good, and fires `subscription.canceled`; or, with `at: period_end`, the first daily run after the ' +
      'end of its period ends it instead of charging, and fires the event then. Until then it stays `active`, has a ' +
      '`cancel_at`, and may be kept. Only an `active` one whose period is not over ends later. Canceling again does nothing more. ' +
      'No renewal is charged after it, ' +
      'but for one that is under way at the payment processor: then the answer has `renewal_under_way`, and the charge is ' +
      'recorded as it ends; a later end moves to that of the period that it pays.',
    params,
    errors: ['subscription_not_found'],
  }),
  forwardOperation(keepSubscription, {
    id: 'keepSubscription',
    audit: false,
    method: 'POST',
    path: '/api/v1/subscriptions/{subscriptionId}/keep',
    summary: 'Take back a cancellation for the end of the period',
    description: 'It renews on its date again. One that has no `cancel_at` stays as it is.',
    params,
    errors: ['subscription_not_found', 'invalid_transition'],
  }),
  forwardOperation(pauseSubscription, {
    id: 'pauseSubscription',
    audit: false,
    method: 'POST',
    path: '/api/v1/subscriptions/{subscriptionId}/pause',
    summary: 'Pause a subscription',
    description:
      'Stops its renewals, and the attempts of one that failed, and fires `subscription.paused`. A renewal that is under way ' +
      'at the payment processor (`renewal_under_way`) is recorded as it ends. One that is canceled for the end of its ' +
      'period has to be kept first.',
    params,
    errors: ['subscription_not_found', 'invalid_transition'],
  }),
  forwardOperation(resumeSubscription, {
    id: 'resumeSubscription',
    audit: false,
    method: 'POST',
    path: '/api/v1/subscriptions/{subscriptionId}/resume',
    summary: 'Resume a paused subscription',
    description:
      'Before the end of the paid period it renews on its date. Later it is due now, and renews from today on: paused ' +
      'time is not billed. One that was past due is past due again, with its failed attempts. Fires `subscription.resumed`.',
    params,
    errors: ['subscription_not_found', 'invalid_transition'],
  }),
  forwardOperation(putPaymentMethod, {
    id: 'putPaymentMethod',
    audit: false,
    method: 'PUT',
    path: '/api/v1/subscriptions/{subscriptionId}/payment-method',
    summary: 'Replace the card that renewals are charged to',
    description:
      'The card is saved at the payment processor, without a charge. Where the bank asks the buyer to confirm it ' +
      '(`payment_method.status` is `requires_action`), it is saved once the buyer has done so at `payment_method.url`, within a day; until ' +
      'then, and when it is declined, renewals go to the card before it. While payment is past due the new card gets one attempt that does not ' +
      'count, made by the next daily run. An `external` subscription becomes `automatic`: its next period is charged.',
    params,
    // Each locks its own subscription, and waits for a payment processor without a connection in its hands.
    unlimitedConcurrency: true,
    longestMs: putPaymentMethod.timeoutMs,
    errors: ['subscription_not_found', 'invalid_transition', 'no_payment_processor', 'card_declined'],
  }),
]);
