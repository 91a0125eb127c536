import { readSettingsOf } from '@app/account-settings/read-settings';
import { invalidField } from '@app/contracts/validation';
import type { Database } from '@app/service-kit/database';
import { isUnder } from './return-url.rules.ts';

/**
 * The bank sends the buyer to this address with the platform's word for it: it is the deployment's or the seller's own.
 * @throws DomainError validation_failed for any other
 */
export async function requireOwnReturnUrl(
  { pool }: Database,
  accountId: string,
  returnUrl: string,
  ownUrls: readonly string[],
): Promise<void> {
  if (ownUrls.some((own) => isUnder(returnUrl, own))) return;
  const { checkoutUrl } = await readSettingsOf(pool, accountId);
  if (checkoutUrl !== null && isUnder(returnUrl, checkoutUrl)) return;
  const allowed = 'must be an address under this deployment’s own or under the seller’s checkoutUrl';
  throw invalidField('returnUrl', allowed, 'foreign_address');
}
