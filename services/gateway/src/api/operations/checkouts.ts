import {
  checkoutOutcome,
  checkoutResource,
  decideUpsellBody,
  getCheckout,
  openCheckoutBody,
  openedCheckoutResource,
  payCheckoutBody,
  updateCheckout,
  updateCheckoutBody,
} from '@app/contracts/checkouts';
import { secretNotice } from '@app/contracts/common';
import { z } from 'zod';
import { defineOperation, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { openCheckout } from './open-checkout.ts';
import { continueCheckout, decideUpsell, payCheckout } from './pay-checkout.ts';
import { buyerOf, requestCheckoutBytes } from './request-checkout.ts';

const path = '/api/checkout/{checkoutId}';
const params = z.object({ checkoutId: pathId('checkout', 'checkout_not_found') });
const secret = {
  name: 'secret',
  notice:
    'The secret was shown once, in the first answer. Only with it can this checkout be paid: if the answer never arrived, ' +
    'nothing was paid on it, and another one may be opened.',
};

/** A repeated answer lacks the secret. */
const opened = openedCheckoutResource
  .partial({ secret: true })
  .extend({ secret_notice: secretNotice })
  .meta({ id: 'CheckoutOpened' });

/** An Idempotency-Key belongs to the caller that has the checkout's secret. */
const idempotencyScope = (of: Parameters<typeof buyerOf>[0]): string => Object.values(buyerOf(of)).join(' ');

/** The outcome is still to come: from the processor, or from the buyer at the bank. */
const isUnderWay = ({ status }: { readonly status?: unknown }): boolean =>
  status === 'processing' || status === 'requires_action';

/** What buyers' pages use. None of it is a tool: models act for sellers. */
export const checkoutOperations = tagged('Checkout', [
  defineOperation({
    id: 'openCheckout',
    method: 'POST',
    path: '/api/checkout',
    summary: 'Open a checkout for a product',
    description:
      'For the buyer’s page: no key, from any origin. The answer holds the secret that every later call sends as ' +
      '`x-checkout-secret`, and the lines and total that the buyer pays.',
    auth: 'visitor',
    body: openCheckoutBody,
    response: opened,
    secret,
    errors: ['unknown_product', 'product_not_live', 'bump_not_found', 'discount_invalid'],
    idempotencyScope: ({ body }) => body.handle,
    run: (call) => openCheckout(call),
  }),
  defineOperation({
    auth: 'buyer',
    id: 'getCheckout',
    method: 'GET',
    path,
    summary: 'Read a checkout',
    params,
    response: checkoutResource,
    errors: ['checkout_not_found', 'no_longer_for_sale'],
    run: (call) => requestCheckoutBytes(call, getCheckout, buyerOf(call)),
  }),
  defineOperation({
    auth: 'buyer',
    id: 'updateCheckout',
    method: 'PATCH',
    path,
    summary: 'Change what the buyer has filled in or chosen',
    description: 'The fields that are given, while nothing is being paid. Answers the new lines and total.',
    params,
    body: updateCheckoutBody,
    response: checkoutResource,
    errors: ['checkout_not_found', 'invalid_transition', 'no_longer_for_sale', 'bump_not_found', 'discount_invalid'],
    run: (call) => requestCheckoutBytes(call, updateCheckout, { ...buyerOf(call), body: call.body }),
  }),
  defineOperation({
    auth: 'buyer',
    id: 'payCheckout',
    method: 'POST',
    path: `${path}/pay`,
    summary: 'Pay a checkout',
    description:
      'Charges the total that was shown last, or holds the card while an upsell is offered. A repeat gives the same ' +
      'outcome and charges nothing; after `declined` it is a new attempt, and after `requires_action` another card ' +
      'may pay instead of the confirmation. What the buyer has bought within the hour, subscribes to or is paying for ' +
      'already is charged only with `confirmRepeat: true`. After too many declined attempts of an address, an account or a ' +
      'checkout the answer is 429 with `Retry-After`, and no processor is called.',
    params,
    body: payCheckoutBody,
    response: checkoutOutcome,
    errors: [
      'checkout_not_found',
      'invalid_transition',
      'price_changed',
      'already_bought',
      'test_mode_changed',
      'total_too_large',
      'no_longer_for_sale',
      'bump_not_found',
      'discount_invalid',
    ],
    idempotencyScope,
    isUnderWay,
    run: (call) => payCheckout(call),
  }),
  defineOperation({
    auth: 'buyer',
    id: 'continueCheckout',
    method: 'POST',
    path: `${path}/continue`,
    summary: 'Get the state of a payment',
    description: 'After `requires_action`, when the buyer is back from the bank, and after `processing`.',
    params,
    response: checkoutOutcome,
    errors: ['checkout_not_found', 'invalid_transition'],
    idempotencyScope,
    isUnderWay,
    run: (call) => continueCheckout(call),
  }),
  defineOperation({
    auth: 'buyer',
    id: 'decideUpsell',
    method: 'POST',
    path: `${path}/upsell`,
    summary: 'Accept or decline the upsell',
    description:
      'Captures the card’s hold, and charges the upsell by itself when it is accepted. The first decision counts; a ' +
      'later one gets its outcome.',
    params,
    body: decideUpsellBody,
    response: checkoutOutcome,
    errors: ['checkout_not_found', 'invalid_transition'],
    idempotencyScope,
    isUnderWay,
    run: (call) => decideUpsell(call),
  }),
]);
