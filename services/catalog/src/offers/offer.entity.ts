import type { offerResource } from '@app/contracts/funnels';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { z } from 'zod';
import { partKey } from '../products/part-key.ts';

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
    version: p.integer(),
  },
});
export type Offer = InferEntity<typeof Offer>;

export function offerResourceOf(offer: Offer): z.infer<typeof offerResource> {
  const { id, headline, priceCents, active, accessUrl, description, version } = offer;
  return { id, headline, price_cents: priceCents, active: active ? 1 : 0, access_url: accessUrl, description, version };
}
