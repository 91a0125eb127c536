import type { PageRequest } from '../page.ts';
import { affiliateOf, cleanText } from './checkout-cookies.ts';

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

/** Where the buyer comes from, for `openCheckout`. */
export function sourcesOf({ query, cookies }: Pick<PageRequest, 'query' | 'cookies'>): Record<string, string> {
  const given = utmNames.map((name) => [name, cleanText(query.get(name), 200)] as const);
  const affiliateCode = affiliateOf(query, cookies);
  const sources = Object.fromEntries(given.filter(([, value]) => value !== ''));
  return affiliateCode === '' ? sources : Object.assign(sources, { affiliateCode });
}
