import type { CheckoutOffer } from '@app/contracts/checkout-offers';
import type { PageRequest } from '../page.ts';
import { cleanText, keptAffiliate } from './checkout-cookies.ts';

/** Where a product is sold, as the address has it. */
export interface ProductAddress {
  readonly handle: string;
  readonly slug: string;
}

const utmNames = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'] as const;

export const pathOf = ({ handle, slug }: ProductAddress): string =>
  `/c/${encodeURIComponent(handle)}/${encodeURIComponent(slug)}`;

/** Where a shop's buyers look after their purchases. */
export const portalPathOf = ({ handle }: Pick<ProductAddress, 'handle'>): string => `/p/${encodeURIComponent(handle)}`;

/** The same as a whole address. */
export const portalUrlAt = (baseUrl: string, handle: string): string => `${baseUrl}${portalPathOf({ handle })}`;

/** The address to which the forms post: it keeps where the buyer comes from. */
export function actionOf(address: ProductAddress, query: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const name of [...utmNames, 'ref']) {
    const value = cleanText(query.get(name), 200);
    if (value !== '') kept.set(name, value);
  }
  return kept.size === 0 ? pathOf(address) : `${pathOf(address)}?${kept}`;
}

/** What the address says of where the buyer comes from: all of it, or null where it says nothing. */
export function utmOf(query: URLSearchParams): Record<string, string | null> | null {
  const given = utmNames.map((name) => [name, cleanText(query.get(name), 200) || null] as const);
  return given.every(([, value]) => value === null) ? null : Object.fromEntries(given);
}

/** Of a link that names an affiliate alone. */
export const noUtm: Readonly<Record<string, null>> = Object.fromEntries(utmNames.map((name) => [name, null]));

export const refOf = (query: URLSearchParams): string => cleanText(query.get('ref'), 64);

/**
 * Where the buyer comes from, for `openCheckout`. A code that no affiliate has replaces none who exists; where there is none, the
 * seller learns of it by the order.
 * @param offer of the product, where an affiliate may be known; else null
 */
export function sourcesOf(
  { query, cookies }: Pick<PageRequest, 'query' | 'cookies'>,
  offer: Pick<CheckoutOffer, 'affiliateCode' | 'seller'> | null,
): Record<string, string> {
  const given = utmNames.map((name) => [name, cleanText(query.get(name), 200)] as const);
  const kept = offer === null ? '' : keptAffiliate(cookies, offer.seller.key);
  const affiliateCode = offer?.affiliateCode || kept || refOf(query);
  const sources = Object.fromEntries(given.filter(([, value]) => value !== ''));
  return affiliateCode === '' ? sources : Object.assign(sources, { affiliateCode });
}
