import type { DomainError } from '@app/contracts/errors';
import type { RequestContext } from '@app/messaging/request-headers';
import { type PricingDeps, priceRefusal } from '../commands/price-for-processor.ts';
import { requireProduct } from './require-product.ts';

/**
 * `priceRefusal` for a new price or currency of a product, or a price of its offers; undefined where neither is given. The rest is
 * read without a lock: of two changes at once to a draft, the price of one and the currency of the other may pass, and payments of such a
 * price end as declined.
 * @throws DomainError product_not_found
 */
export async function newPriceRefusal(
  { database, requester }: PricingDeps,
  context: RequestContext,
  productId: string,
  { priceCents, currency }: { readonly priceCents?: number | undefined; readonly currency?: string | undefined },
  { isAddedTo = false } = {},
): Promise<DomainError | undefined> {
  if (priceCents === undefined && currency === undefined) return undefined;
  const product = await requireProduct(database.fork(), context.accountId, productId);
  const price = { priceCents: priceCents ?? product.priceCents, currency: currency ?? product.currency, isAddedTo };
  return await priceRefusal(requester, context, price, currency === undefined ? 'priceCents' : 'currency');
}
