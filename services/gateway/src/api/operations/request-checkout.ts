import type { RequestDefinition, RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { checkoutNotFound, checkoutSecretOf } from '../../identity/checkout-secret.ts';
import type { OperationCall } from '../operation.ts';

/** A call of an operation that the secret of its checkout opens. */
export type BuyersCall<Body = unknown> = OperationCall<{ checkoutId: string }, unknown, Body>;

/** Whose checkout it is, as every request to the service says it. */
export function buyerOf({ params, headers }: Pick<BuyersCall, 'params' | 'headers'>) {
  return { checkoutId: params.checkoutId, secret: checkoutSecretOf(headers) };
}

/** Sends a request for a buyer's checkout to checkout. An unknown one is refused in the same words, whatever the reason. */
export async function requestCheckout<R extends RequestDefinition>(
  { app, context }: BuyersCall,
  definition: R,
  input: RequestInput<R>,
): Promise<RequestOutput<R>> {
  return await app.requester.request(definition, input, context).catch(orNotFound);
}

/** As `requestCheckout`, for a reply that is passed on as it is. */
export async function requestCheckoutBytes<R extends RequestDefinition>(
  { app, context }: BuyersCall,
  definition: R,
  input: RequestInput<R>,
): Promise<Uint8Array> {
  return await app.requester.requestBytes(definition, input, context).catch(orNotFound);
}

/** A checkout that its service does not know is refused as one whose secret is wrong. */
function orNotFound(err: unknown): never {
  throw err instanceof DomainError && err.code === 'checkout_not_found' ? checkoutNotFound() : err;
}
