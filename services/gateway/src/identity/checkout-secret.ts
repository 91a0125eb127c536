import { DomainError } from '@app/contracts/errors';

/** The header in which a buyer's page sends the secret of its checkout. */
export const checkoutSecretHeader = 'x-checkout-secret';

/** 256 random bits are 43 characters of Base64 or 64 of hex. A header that came twice has a comma and does not match. */
const form = /^[A-Za-z0-9_-]{40,100}$/;

/**
 * The secret that a buyer's request carries.
 * @throws DomainError checkout_not_found when it carries none of the right form: no checkout has such a secret
 */
export function checkoutSecretOf(headers: Readonly<Record<string, unknown>>): string {
  const secret = headers[checkoutSecretHeader];
  if (typeof secret !== 'string' || !form.test(secret)) throw checkoutNotFound();
  return secret;
}

/** One error for an unknown id, a malformed id, a wrong secret and none: no caller learns which checkouts exist. */
export function checkoutNotFound(): DomainError {
  return new DomainError('checkout_not_found', 'No checkout has this id and this secret.');
}
