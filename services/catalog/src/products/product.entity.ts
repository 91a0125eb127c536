import {
  billingInterval,
  type ProductResource,
  type ProductUrls,
  pricingType,
  productStatus,
} from '@app/contracts/products';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

export const Product = defineEntity({
  name: 'Product',
  tableName: 'products',
  properties: {
    accountId: p.string().primary(),
    id: p.string().primary(),
    name: p.string(),
    slug: p.string(),
    priceCents: p.bigint('number'),
    currency: p.string(),
    pricingType: p.enum(pricingType.options),
    billingInterval: p.enum(billingInterval.options).strictNullable(),
    status: p.enum(productStatus.options),
    accessUrl: p.string().strictNullable(),
    description: p.string().strictNullable(),
    imageName: p.string().strictNullable(),
    listed: p.boolean(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
    version: p.integer(),
  },
});
export type Product = InferEntity<typeof Product>;

/** Of an older gateway, which leaves addresses out. */
export const noUrls: ProductUrls = { checkout: '', images: '' };

export const imageUrlOf = (imageName: string | null, { images }: ProductUrls = noUrls): string | null =>
  imageName === null ? null : `${images}/${imageName}`;

/** The published shape. `list-products.ts` builds the same shape in SQL. */
export function productResourceOf(product: Product, urls: ProductUrls = noUrls): ProductResource {
  return {
    id: product.id,
    name: product.name,
    slug: product.slug,
    price_cents: product.priceCents,
    currency: product.currency,
    pricing_type: product.pricingType,
    billing_interval: product.billingInterval,
    status: product.status,
    access_url: product.accessUrl,
    description: product.description,
    image_url: imageUrlOf(product.imageName, urls),
    listed: product.listed,
    checkout_url: `${urls.checkout}/${product.slug}`,
    created_at: product.createdAt.toISOString(),
    updated_at: product.updatedAt.toISOString(),
    version: product.version,
  };
}
