import type { DomainError } from '@app/contracts/errors';
import type { RequestContext } from '@app/messaging/request-headers';
import { type PricingDeps, priceRefusal } from '../commands/price-for-processor.ts';
import { requireProduct } from './require-product.ts';

/**
 * `priceRefusal` for a new price of a product or of its offers; undefined where no price is given. A product keeps its currency,
 * so it is read without a lock.
 * @throws DomainError product_not_found
 */
export async function newPriceRefusal(
  { database, requester }: PricingDeps,
  context: RequestContext,
  productId: string,
  priceCents: number | undefined,
  { isAddedTo = false } = {},
): Promise<DomainError | undefined> {
  if (priceCents === undefined) return undefined;
  const { currency } = await requireProduct(database.fork(), context.accountId, productId);
  return await priceRefusal(requester, context, { priceCents, currency, isAddedTo });
}
