import { createKeyedDigest } from '@app/service-kit/keyed-digest';
import { buyerTokenOf } from './buyer-cookie.rules.ts';

/**
 * What identifies a buyer who pays beside the email: digests of the browser's cookie, of the client's address and of the card's
 * token, as far as they are there. Without the pepper nothing can be tried out against them.
 */
export type BuyerDigests = (call: PayingCall, paymentMethod: string) => string[];

interface PayingCall {
  readonly address: string;
  readonly headers: { readonly cookie?: string | undefined };
}

export function createBuyerDigests(pepper: string): BuyerDigests {
  const digest = createKeyedDigest(pepper, 'checkout-buyers');
  return ({ address, headers }, paymentMethod) =>
    [
      ['browser', buyerTokenOf(headers.cookie)],
      ['address', address],
      ['card', paymentMethod],
    ].flatMap(([kind, value]) => (value === undefined || value === '' ? [] : [digest(JSON.stringify([kind, value]))]));
}
