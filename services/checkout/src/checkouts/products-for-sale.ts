import { findProductsForSale, type ProductForSale, type WantedForSale } from '@app/contracts/products-for-sale';
import type { Requester } from '@app/messaging/requester';

/** The product that a checkout sells, and the code (upper-case) whose discount its buyer wants. */
export interface WantedProduct extends Omit<WantedForSale, 'discountCodes'> {
  readonly discountCode: string | null;
  readonly requestId: string;
}

/**
 * The product of each checkout, as the catalog has it right now, in the checkouts' places; null for one that the account
 * does not have. Checkouts of one product share an entry: it has the discounts of all codes that they name.
 */
export async function productsForSale(
  requester: Requester,
  all: readonly WantedProduct[],
): Promise<(ProductForSale | null)[]> {
  const entries = new Map<string, WantedForSale>();
  for (const { accountId, productId, slug, discountCode } of all) {
    const key = keyOf({ accountId, productId, slug });
    const entry = entries.get(key) ?? { accountId, productId, slug, discountCodes: [] };
    entries.set(key, entry);
    if (discountCode !== null && !entry.discountCodes.includes(discountCode)) entry.discountCodes.push(discountCode);
  }
  const call = { accountId: '', requestId: all[0]?.requestId ?? '' };
  const { products } = await requester.request(findProductsForSale, { wanted: [...entries.values()] }, call);
  const byKey = new Map([...entries.keys()].map((key, index) => [key, products[index] ?? null]));
  return all.map((wanted) => byKey.get(keyOf(wanted)) ?? null);
}

const keyOf = ({ accountId, productId, slug }: Pick<WantedForSale, 'accountId' | 'productId' | 'slug'>): string =>
  productId === null ? `${accountId}/slug/${slug}` : `${accountId}/id/${productId}`;
