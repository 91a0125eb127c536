import { limits } from '@app/contracts/common';
import {
  findProductsForSale,
  offersForSaleMax,
  type ProductForSale,
  productsForSaleMax,
  type WantedForSale,
} from '@app/contracts/products-for-sale';
import type { Requester } from '@app/messaging/requester';

/** The product that a checkout or an order sells, and the codes (upper-case) whose discounts its buyer wants. */
export interface WantedProduct extends WantedForSale {
  readonly requestId: string;
}

/**
 * The product of each checkout or order, as the catalog has it right now, in their order; null for one that the account
 * does not have. Those of one product share an entry: it has the discounts of all codes, and the bumps, that they name.
 */
export async function productsForSale(
  requester: Requester,
  all: readonly WantedProduct[],
): Promise<(ProductForSale | null)[]> {
  const entries = new Map<string, Entry>();
  for (const wanted of all) addTo(entries, wanted);
  const call = { accountId: '', requestId: all[0]?.requestId ?? '' };
  const wanted = [...entries.values()].map(wantedOf);
  const requests = partsOf(wanted).map((part) => requester.request(findProductsForSale, { wanted: part }, call));
  const products = (await Promise.all(requests)).flatMap((response) => response.products);
  const byKey = new Map([...entries.keys()].map((key, index) => [key, products[index] ?? null]));
  return all.map((each) => byKey.get(wantedKey(each)) ?? null);
}

/** The most offers that a product is answered with: 100 bumps and an upsell, or the bumps that are named. */
const offersOf = ({ bumpIds }: WantedForSale): number => bumpIds?.length ?? limits.offersPerProduct + 1;

/** In their order, each part small enough for one response. */
function partsOf(all: readonly WantedForSale[]): WantedForSale[][] {
  const parts: WantedForSale[][] = [];
  let offers = Number.POSITIVE_INFINITY;
  for (const wanted of all) {
    offers += offersOf(wanted);
    const part = parts.at(-1);
    if (part !== undefined && part.length < productsForSaleMax && offers <= offersForSaleMax) part.push(wanted);
    else {
      parts.push([wanted]);
      offers = offersOf(wanted);
    }
  }
  return parts;
}

/** One product of one account, and all codes and bumps that are named with it. */
interface Entry extends Pick<WantedForSale, 'accountId' | 'productId' | 'slug'> {
  readonly discountCodes: Set<string>;
  /** Undefined where all that its checkout offers are wanted. */
  readonly bumpIds: Set<string> | undefined;
  withPage: boolean;
}

function addTo(entries: Map<string, Entry>, wanted: WantedForSale): void {
  const { accountId, productId, slug, discountCodes, bumpIds } = wanted;
  const key = wantedKey(wanted);
  const bumps = bumpIds === undefined ? undefined : new Set<string>();
  const entry = entries.get(key) ?? {
    accountId,
    productId,
    slug,
    discountCodes: new Set(),
    bumpIds: bumps,
    withPage: false,
  };
  entries.set(key, entry);
  entry.withPage ||= wanted.withPage ?? false;
  for (const code of discountCodes) entry.discountCodes.add(code);
  for (const id of bumpIds ?? []) entry.bumpIds?.add(id);
}

function wantedOf({ accountId, productId, slug, discountCodes, bumpIds, withPage }: Entry): WantedForSale {
  const wanted = { accountId, productId, slug, discountCodes: [...discountCodes], ...(withPage && { withPage }) };
  return bumpIds === undefined ? wanted : { ...wanted, bumpIds: [...bumpIds] };
}

function wantedKey({ accountId, productId, slug, bumpIds }: WantedForSale): string {
  const product = productId === null ? `slug/${slug}` : `id/${productId}`;
  return `${accountId}/${bumpIds === undefined ? 'offered' : 'named'}/${product}`;
}
