import { z } from 'zod';
import {
  amountCents,
  besideFields,
  ifVersion,
  instant,
  limits,
  listOf,
  okResult,
  pageQueryOf,
  timestamp,
  typedCode,
  version,
} from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { ofProduct } from './products.ts';

const discountCode = typedCode
  .min(1)
  .regex(/^[A-Za-z0-9_-]+$/, 'must be letters, digits, hyphens and underscores')
  .overwrite((code) => code.toUpperCase());

export const discountResource = z
  .object({
    id: idSchema('discount'),
    code: z.string(),
    percent_off: z.int().nullable(),
    amount_off_cents: z.int().nullable(),
    expires_at: timestamp.nullable(),
    max_uses: z.int().nullable(),
    created_at: timestamp,
    version,
  })
  .meta({ id: 'Discount' });

/** As the API shows it: catalog has the discount, checkout its uses. */
export const usedDiscountResource = discountResource.extend({
  uses: z
    .int()
    .nullable()
    .describe('Orders that used it and open checkouts that pay with it; no rehearsals. Null while that is not known.'),
});

const discountFields = {
  percentOff: z.int().min(1).max(100).optional(),
  amountOffCents: amountCents.min(1).optional(),
  expiresAt: instant.nullable().optional().describe('In the future.'),
  maxUses: z.int().min(1).max(1_000_000_000).nullable().optional(),
};
export const createDiscountBody = z
  .strictObject({ code: discountCode, ...discountFields })
  .refine((body) => (body.percentOff === undefined) !== (body.amountOffCents === undefined), {
    ...besideFields,
    path: ['percentOff'],
    message: 'is required where amountOffCents is not given, and cannot be given together with it',
  })
  .meta({ id: 'DiscountCreate' });
const updateDiscountBody = z
  .strictObject(discountFields)
  .refine((body) => body.percentOff === undefined || body.amountOffCents === undefined, {
    ...besideFields,
    path: ['percentOff'],
    message: 'cannot be given together with amountOffCents',
  })
  .meta({ id: 'DiscountUpdate' });

export const listDiscounts = defineRequest('read', 'catalog', 'discounts.list', {
  input: pageQueryOf(idSchema('discount')).extend(ofProduct.shape),
  output: listOf(discountResource),
});
export const getDiscount = defineRequest('read', 'catalog', 'discounts.get', {
  input: ofProduct.extend({ discountId: z.string() }),
  output: discountResource,
});
export const createDiscount = defineRequest('command', 'catalog', 'discounts.create', {
  input: ofProduct.extend({ body: createDiscountBody }),
  output: discountResource,
});
export const updateDiscount = defineRequest('command', 'catalog', 'discounts.update', {
  input: ofProduct.extend({ discountId: z.string(), body: updateDiscountBody, ...ifVersion }),
  output: discountResource,
});
export const deleteDiscount = defineRequest('command', 'catalog', 'discounts.delete', {
  input: ofProduct.extend({ discountId: z.string() }),
  output: okResult,
});

/** How often discounts were used, in the order of the ids; rehearsals are not counted. */
export const readDiscountUses = defineRequest('read', 'checkout', 'discounts.read-uses', {
  input: z.object({ discountIds: z.array(z.string()).max(limits.listMax) }),
  output: z.object({ uses: z.array(z.int()) }),
});
