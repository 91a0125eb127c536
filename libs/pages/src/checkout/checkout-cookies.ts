import { daySeconds } from '@app/contracts/durations';
import type { PageCookie } from '../page.ts';

/** A checkout that this browser has opened. */
export interface OwnCheckout {
  readonly productId: string;
  readonly checkoutId: string;
  readonly secret: string;
  /** `handle/slug` of the page that opened it: it is found there after a slug has changed. */
  readonly address: string;
}

const prefix = 'fnl_checkout_';
/** As long as a checkout that stays unpaid. */
const openSeconds = 30 * daySeconds;
/** A browser sends all of them with each request; servers refuse headers of more than 16 KB. */
const ownMax = 20;
const form = /^(cko_[a-z0-9]{26})\.([A-Za-z0-9_-]{40,100})\.([a-z0-9-]{1,100}\/[a-z0-9-]{1,100})$/;
/** A checkout whose product's address is gone stands for its product. */
const productForm = /^(prd|cko)_[a-z0-9]{26}$/;

/** The checkouts of this browser. Cookies that are none of ours are passed over. */
export function ownCheckouts(cookies: ReadonlyMap<string, string>): OwnCheckout[] {
  return [...cookies].flatMap(([name, value]) => {
    const productId = name.slice(prefix.length);
    const [, checkoutId, secret, address] = form.exec(value) ?? [];
    const isOwn = name.startsWith(prefix) && productForm.test(productId);
    return isOwn && checkoutId && secret && address ? [{ productId, checkoutId, secret, address }] : [];
  });
}

export const isProductId = (text: string): boolean => productForm.test(text);

/** Keeps a checkout in this browser, and takes the oldest away beyond what a request can carry. */
export function keepCheckout(cookies: ReadonlyMap<string, string>, own: OwnCheckout): PageCookie[] {
  const others = ownCheckouts(cookies).filter(({ productId }) => productId !== own.productId);
  // Ids begin with the time.
  const oldest = others
    .toSorted((one, other) => one.checkoutId.localeCompare(other.checkoutId))
    .slice(0, -(ownMax - 1));
  return [
    {
      name: `${prefix}${own.productId}`,
      value: `${own.checkoutId}.${own.secret}.${own.address}`,
      path: '/c',
      maxAgeSeconds: openSeconds,
    },
    ...(others.length < ownMax ? [] : oldest.map(({ productId }) => forgetCheckout(productId))),
  ];
}

export const forgetCheckout = (productId: string): PageCookie => ({
  name: `${prefix}${productId}`,
  value: null,
  path: '/c',
  maxAgeSeconds: 0,
});

/** Of the release before, under the path of a handle. */
const affiliateOfHandle = 'ref';
const affiliateCookie = /^ref_[\w-]{16}$/;
const affiliateSeconds = 30 * daySeconds;
const affiliatesMax = 20;

/** The affiliate who sent the buyer: credited for 30 days at this shop, under whatever handle. @param key of the seller */
export const keptAffiliate = (cookies: ReadonlyMap<string, string>, key: string): string =>
  cleanText(cookies.get(`ref_${key}`), 64) || cleanText(cookies.get(affiliateOfHandle), 64);

/** Whether any shop's affiliate is kept. */
export const keepsAffiliates = (cookies: ReadonlyMap<string, string>): boolean =>
  [...cookies.keys()].some((name) => name === affiliateOfHandle || affiliateCookie.test(name));

/**
 * Keeps an affiliate who exists, else the one whom the release before kept. Of those of other shops the oldest give way: browsers
 * send the cookies of a path in the order in which they were made.
 */
export function keepAffiliate(
  cookies: ReadonlyMap<string, string>,
  key: string,
  existing: string | null,
): PageCookie[] {
  const own = `ref_${key}`;
  const code = existing ?? (cookies.has(own) ? '' : keptAffiliate(cookies, key));
  if (code === '') return [];
  const others = [...cookies.keys()].filter((name) => name !== own && affiliateCookie.test(name));
  const oldest = others.slice(0, Math.max(0, others.length - affiliatesMax + 1));
  return [
    { name: own, value: code, path: '/c', maxAgeSeconds: affiliateSeconds },
    ...oldest.map((name) => ({ name, value: null, path: '/c', maxAgeSeconds: 0 })),
  ];
}

/** What an address or a cookie says, as far as the API takes it: no control characters, no half of a character. */
export function cleanText(text: string | null | undefined, lengthMax: number): string {
  const plain = (text ?? '').replaceAll(/[\p{Cc}\p{Cs}]/gu, '').slice(0, lengthMax);
  return plain.replace(/\p{Cs}$/u, '').trim();
}

/** Null where a part is not of its form: a cookie of it would not be read. */
export function ownCheckoutOf(own: OwnCheckout): OwnCheckout | null {
  const [cookie] = keepCheckout(new Map(), own);
  return cookie === undefined ? null : (ownCheckouts(new Map([[cookie.name, cookie.value ?? '']]))[0] ?? null);
}
