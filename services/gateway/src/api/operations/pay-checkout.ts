import {
  type CheckoutOutcome,
  checkoutOwner,
  continueCheckout as continueRequest,
  decideUpsell as decideRequest,
  payCheckout as payRequest,
} from '@app/contracts/checkouts';
import type { RequestInput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { windowSeconds } from '../../limits/attempt-capacity.ts';
import { tooManyAttempts } from '../../limits/too-many-attempts.ts';
import { type BuyersCall, buyerOf, requestCheckout } from './request-checkout.ts';

// Buyers do not learn whose account it is: the outcome alone is the response.

/**
 * Attempts to pay.
 * @throws DomainError rate_limited before a processor is called
 */
export async function payCheckout(call: BuyersCall<RequestInput<typeof payRequest>['body']>): Promise<CheckoutOutcome> {
  const { address, body } = call;
  const { checkoutId } = call.params;
  const buyerDigests = call.app.buyerDigests(call, body.paymentMethod);
  const buyer = buyerOf(call);
  const input = { ...buyer, body, buyerDigests, ownUrls: [...call.ownUrls] };
  const attempting = { address, checkoutId, owner: () => requestCheckout(call, checkoutOwner, buyer) };
  const pay = () => requestCheckout(call, payRequest, input).catch(orTooManyAttempts);
  return (await call.app.declineLimit.attempt(attempting, pay)).outcome;
}

/** Queries the state of a payment that the buyer had to confirm at the bank, or that was under way. */
export async function continueCheckout(call: BuyersCall): Promise<CheckoutOutcome> {
  const { app, address, params } = call;
  const { accountId, outcome } = await requestCheckout(call, continueRequest, buyerOf(call));
  await app.declineLimit.continued({ ...params, address, accountId, outcome });
  return outcome;
}

/** Accepts or declines the upsell of a held order. */
export async function decideUpsell(
  call: BuyersCall<RequestInput<typeof decideRequest>['body']>,
): Promise<CheckoutOutcome> {
  const { outcome } = await requestCheckout(call, decideRequest, { ...buyerOf(call), body: call.body });
  return outcome;
}

/** A checkout that had all its attempts refuses in the words of the other limits. */
function orTooManyAttempts(err: unknown): never {
  throw err instanceof DomainError && err.code === 'rate_limited' ? tooManyAttempts(windowSeconds) : err;
}
