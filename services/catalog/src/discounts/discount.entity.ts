import type { discountResource } from '@app/contracts/discounts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { z } from 'zod';
import { partKey } from '../products/part-key.ts';

/** A code that takes a percentage or an amount off. Checkout counts its uses. */
export const Discount = defineEntity({
  name: 'Discount',
  tableName: 'discounts',
  properties: {
    ...partKey(),
    code: p.string(),
    percentOff: p.integer().strictNullable(),
    amountOffCents: p.bigint('number').strictNullable(),
    expiresAt: p.datetime(3).strictNullable(),
    maxUses: p.bigint('number').strictNullable(),
    createdAt: p.datetime(3),
    version: p.integer(),
  },
});
export type Discount = InferEntity<typeof Discount>;

/** Of a product that is known. */
export type DiscountRow = Pick<
  Discount,
  'id' | 'code' | 'percentOff' | 'amountOffCents' | 'expiresAt' | 'maxUses' | 'createdAt' | 'version'
>;

export function discountResourceOf(discount: DiscountRow): z.infer<typeof discountResource> {
  return {
    id: discount.id,
    code: discount.code,
    percent_off: discount.percentOff,
    amount_off_cents: discount.amountOffCents,
    expires_at: discount.expiresAt?.toISOString() ?? null,
    max_uses: discount.maxUses,
    created_at: discount.createdAt.toISOString(),
    version: discount.version,
  };
}
