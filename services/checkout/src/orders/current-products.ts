import type { PricedProduct } from '@app/contracts/products-for-sale';
import type { Requester } from '@app/messaging/requester';
import { productsForSale } from '../products/products-for-sale.ts';
import { storedCode } from './order.rules.ts';
import type { OrderCommand } from './order-command.ts';

/**
 * The product that each order names, as the catalog has it right now, in the order of `commands`; null for a slug its account
 * does not have. The request is sent after every order of the batch arrived, so each order sees every catalog change
 * that was acknowledged before it.
 */
export async function currentProducts(
  requester: Requester,
  commands: readonly OrderCommand[],
): Promise<(PricedProduct | null)[]> {
  const wanted = commands.map(({ context: { accountId, requestId }, body }) => ({
    accountId,
    requestId,
    productId: null,
    slug: body.productSlug,
    bumpIds: body.bumpIds ?? [],
    discountCodes: body.discountCode ? [storedCode(body.discountCode)] : [],
  }));
  return await productsForSale(requester, wanted);
}
