import type { offerResource } from '@app/contracts/funnels';
import type { ProductUrls } from '@app/contracts/products';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { z } from 'zod';
import { partKey } from '../products/part-key.ts';
import { imageUrlOf } from '../products/product.entity.ts';

/** What a funnel offers beside the product. Downsells are retired: the funnel shows imported ones, and they are not for sale. */
export const Offer = defineEntity({
  name: 'Offer',
  tableName: 'offers',
  properties: {
    ...partKey(),
    kind: p.enum(['bump', 'upsell', 'downsell'] as const),
    headline: p.string(),
    priceCents: p.bigint('number'),
    active: p.boolean(),
    accessUrl: p.string().strictNullable(),
    description: p.string().strictNullable(),
    compareAtCents: p.bigint('number').strictNullable(),
    imageName: p.string().strictNullable(),
    version: p.integer(),
  },
});
export type Offer = InferEntity<typeof Offer>;

export function offerResourceOf(offer: Offer, urls?: ProductUrls): z.infer<typeof offerResource> {
  return {
    id: offer.id,
    headline: offer.headline,
    price_cents: offer.priceCents,
    active: offer.active ? 1 : 0,
    access_url: offer.accessUrl,
    description: offer.description,
    compare_at_cents: offer.compareAtCents,
    image_url: imageUrlOf(offer.imageName, urls),
    version: offer.version,
  };
}
