import { addProduct, type Seller, signUp } from './seller.ts';
import { sharedPlatform } from './shared-platform.ts';

export interface Shop {
  readonly baseUrl: string;
  readonly seller: Seller;
  readonly handle: string;
  readonly slug: string;
  /** Of its product's checkout. */
  readonly path: string;
}

/** A seller on the shared platform with one live product that has a bump. */
export async function startShop(): Promise<Shop> {
  const { baseUrl } = await sharedPlatform();
  const seller = await signUp(baseUrl);
  const settings = await seller.call('PATCH', '/api/v1/settings', { body: { businessName: 'Atelier Ada' } });
  const { handle } = settings.json;
  const { slug } = await addProduct(seller, 'watercolour');
  return { baseUrl, seller, handle, slug, path: `/c/${handle}/${slug}` };
}
