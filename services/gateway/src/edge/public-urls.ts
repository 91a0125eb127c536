import type { ProductUrls } from '@app/contracts/products';

/** Addresses of this deployment that others pass on. @param baseUrl as `baseUrlOf` gives it */

/** The pages of a seller's products: a product's slug follows it. */
export const checkoutUrlOf = (baseUrl: string, handle: string): string => `${baseUrl}/c/${handle}`;

/** What catalog appends a product's slug and names of pictures to. */
export const productUrlsOf = (baseUrl: string, handle: string): ProductUrls => ({
  checkout: checkoutUrlOf(baseUrl, handle),
  images: productImagesUrlOf(baseUrl),
});

/** The pages on which the seller's buyers manage what they bought. */
export const portalUrlOf = (baseUrl: string, handle: string): string => `${baseUrl}/p/${handle}`;

/** Pictures of products and their offers: their names follow it. */
export const productImagesUrlOf = (baseUrl: string): string => `${baseUrl}/images/products`;

export function logoUrlOf(baseUrl: string, logoName: string): string;
export function logoUrlOf(baseUrl: string, logoName: string | null): string | null;
export function logoUrlOf(baseUrl: string, logoName: string | null): string | null {
  return logoName === null ? null : `${baseUrl}/images/logos/${logoName}`;
}
