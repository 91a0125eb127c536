import {
  type CheckoutOutcome,
  type CheckoutResource,
  checkoutOutcome,
  checkoutOwner,
  checkoutResource,
  continueCheckout as continueRequest,
  decideUpsell as decideRequest,
  decideUpsellBody,
  getCheckout,
  type OpenCheckoutBody,
  openCheckoutBody,
  openCheckout as openCheckoutRequest,
  openedCheckoutResource,
  payCheckoutBody,
  payCheckout as payRequest,
  restoreCheckoutBody,
  restoreCheckout as restoreRequest,
  updateCheckout,
  updateCheckoutBody,
} from '@app/contracts/checkouts';
import { secretNotice } from '@app/contracts/common';
import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { invalidField } from '@app/contracts/validation';
import { z } from 'zod';
import { productImagesUrlOf } from '../../edge/public-urls.ts';
import { checkoutNotFound, checkoutSecretOf } from '../../identity/checkout-secret.ts';
import { windowSeconds } from '../../limits/attempt-capacity.ts';
import { tooManyAttempts } from '../../limits/too-many-attempts.ts';
import { defineOperation, type OperationCall, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

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

/** A call of an operation that the secret of its checkout opens. */
type BuyersCall<Body = unknown> = OperationCall<{ checkoutId: string }, unknown, Body>;

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
      '`x-checkout-secret`, and the lines and total that the buyer pays. After ten different wrong codes of an address within ten ' +
      'minutes one with a code is 429 with `Retry-After` and an error at `discountCode`; without a code it opens all the same.',
    auth: 'visitor',
    body: openCheckoutBody,
    response: opened,
    secret,
    errors: ['unknown_product', 'product_not_live', 'bump_not_found', 'discount_invalid'],
    idempotencyScope: ({ body }) => body.handle,
    run: (call) => openCheckout(call),
  }),
  defineOperation({
    id: 'restoreCheckout',
    method: 'POST',
    path: '/api/checkout/restore',
    summary: 'Restore the checkout of a reminder’s link',
    description:
      'Copies the open checkout, with all that its buyer had filled in and chosen, under a new id and a new secret: who has the ' +
      'link reads nothing of what others pay. The link works until a copy is paid, 100 times at most. Call it when the buyer asks ' +
      'for it: mail scanners open links, and some run scripts.',
    auth: 'visitor',
    body: restoreCheckoutBody,
    response: opened,
    secret,
    errors: ['checkout_not_found', 'invalid_transition', 'no_longer_for_sale'],
    idempotencyScope: ({ body }) => body.token,
    run: async (call) => {
      const { app, body, context } = call;
      return notingOwner(call, await app.requester.request(restoreRequest, { ...body, ...imagesFor(call) }, context));
    },
  }),
  defineOperation({
    auth: 'buyer',
    id: 'getCheckout',
    method: 'GET',
    path,
    summary: 'Read a checkout',
    description:
      'What is chosen, what it costs, how far its payment is, and the upsell that the buyer is to decide on.',
    params,
    response: checkoutResource,
    errors: ['checkout_not_found', 'no_longer_for_sale'],
    run: async (call) =>
      notingOwner(call, await requestCheckout(call, getCheckout, { ...buyerOf(call), ...imagesFor(call) })),
  }),
  defineOperation({
    auth: 'buyer',
    id: 'updateCheckout',
    method: 'PATCH',
    path,
    summary: 'Change what the buyer has filled in or chosen',
    description:
      'The fields that are given, while nothing is being paid. Answers the new lines and total. Wrong codes are limited as by openCheckout: ' +
      'without `discountCode` the same change is made.',
    params,
    body: updateCheckoutBody,
    response: checkoutResource,
    errors: ['checkout_not_found', 'invalid_transition', 'no_longer_for_sale', 'bump_not_found', 'discount_invalid'],
    run: (call) => changeCheckout(call),
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
    isIdempotent: true,
    longestMs: payRequest.timeoutMs,
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
    isIdempotent: true,
    longestMs: continueRequest.timeoutMs,
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
    isIdempotent: true,
    isUnderWay,
    run: (call) => decideUpsell(call),
  }),
]);

/**
 * Opens a checkout at the seller whom the handle names.
 * @throws what the checkout service refuses it with
 */
async function openCheckout(call: OperationCall<unknown, unknown, OpenCheckoutBody>): Promise<Uint8Array> {
  const { app, body, address, headers, context, called } = call;
  const seller = await app.sellers.find(body.handle);
  if (seller === null) throw invalidField('handle', 'must be the handle of a seller', 'unknown_value');
  const visitor = app.visitorOf(app.clock.now(), address, headers['user-agent'] ?? '');
  const { accountId, account } = seller;
  called.accountId = accountId;
  const input = { body, account, visitor, ...imagesFor(call) };
  const open = () => app.requester.requestBytes(openCheckoutRequest, input, { ...context, accountId });
  const code = body.discountCode || null;
  const reply = await (code === null ? open() : app.discountLimit.attempt({ address, accountId, code }, open, never));
  app.declineLimit.opened(idOfCommand('checkout', context.commandId), accountId);
  return reply;
}

/** A wrong code is an error. */
const never = (): boolean => false;

/**
 * Changes an open checkout.
 * @throws what the checkout service refuses it with
 */
async function changeCheckout(
  call: BuyersCall<RequestInput<typeof updateCheckout>['body']>,
): Promise<CheckoutResource> {
  const { app, address, body } = call;
  const buyer = buyerOf(call);
  const input = { ...buyer, body, ...imagesFor(call) };
  const change = async () => notingOwner(call, await requestCheckout(call, updateCheckout, input));
  const code = body.discountCode || null;
  if (code === null) return await change();
  const { accountId } = await requestCheckout(call, checkoutOwner, buyer);
  call.called.accountId = accountId;
  return await app.discountLimit.attempt({ address, accountId, code }, change, never);
}

// Buyers do not learn whose account it is: the outcome alone is the response.

/**
 * Attempts to pay.
 * @throws DomainError rate_limited before a processor is called
 */
async function payCheckout(call: BuyersCall<RequestInput<typeof payRequest>['body']>): Promise<CheckoutOutcome> {
  const { address, body } = call;
  const { checkoutId } = call.params;
  const buyerDigests = call.app.buyerDigests(call, body.paymentMethod);
  const buyer = buyerOf(call);
  const input = { ...buyer, body, buyerDigests, ownUrls: [...call.ownUrls] };
  const attempting = { address, checkoutId, owner: () => requestCheckout(call, checkoutOwner, buyer) };
  const pay = () => requestCheckout(call, payRequest, input).catch(orTooManyAttempts);
  return outcomeOf(call, await call.app.declineLimit.attempt(attempting, pay));
}

/** Queries the state of a payment that the buyer had to confirm at the bank, or that was under way. */
async function continueCheckout(call: BuyersCall): Promise<CheckoutOutcome> {
  const { app, address, params } = call;
  const reply = await requestCheckout(call, continueRequest, buyerOf(call));
  await app.declineLimit.continued({ ...params, address, ...reply });
  return outcomeOf(call, reply);
}

/** Accepts or declines the upsell of a held order. */
async function decideUpsell(call: BuyersCall<RequestInput<typeof decideRequest>['body']>): Promise<CheckoutOutcome> {
  return outcomeOf(call, await requestCheckout(call, decideRequest, { ...buyerOf(call), body: call.body }));
}

/** The log says whose it is and what it came to. */
function outcomeOf({ called }: BuyersCall, { accountId, outcome }: RequestOutput<typeof payRequest>): CheckoutOutcome {
  called.accountId = accountId;
  called.outcome = outcome.status;
  return outcome;
}

/** A checkout that had all its attempts refuses in the words of the other limits. */
function orTooManyAttempts(err: unknown): never {
  throw err instanceof DomainError && err.code === 'rate_limited' ? tooManyAttempts(windowSeconds) : err;
}

/** Whose checkout it is, as every request to the service says it. */
function buyerOf({ params, headers }: Pick<BuyersCall, 'params' | 'headers'>) {
  return { checkoutId: params.checkoutId, secret: checkoutSecretOf(headers) };
}

/** Where the pictures of its offers are. */
const imagesFor = ({ baseUrl }: Pick<BuyersCall, 'baseUrl'>) => ({ imagesUrl: productImagesUrlOf(baseUrl) });

/** Sends a request for a buyer's checkout to checkout. An unknown one is refused in the same words, whatever the reason. */
async function requestCheckout<R extends RequestDefinition>(
  { app, context }: BuyersCall,
  definition: R,
  input: RequestInput<R>,
): Promise<RequestOutput<R>> {
  return await app.requester.request(definition, input, context).catch(orNotFound);
}

/** The log says whose it is, and the buyer does not read it. */
function notingOwner<Checkout extends { readonly accountId?: string | undefined }>(
  { called }: Pick<BuyersCall, 'called'>,
  { accountId, ...checkout }: Checkout,
): Omit<Checkout, 'accountId'> {
  if (accountId !== undefined) called.accountId = accountId;
  return checkout;
}

/** A checkout that its service does not know is refused as one whose secret is wrong. */
function orNotFound(err: unknown): never {
  throw err instanceof DomainError && err.code === 'checkout_not_found' ? checkoutNotFound() : err;
}
