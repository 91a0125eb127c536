import { z } from 'zod';
import { defineRequest } from './define.ts';
import { billingInterval, pricingType, productStatus } from './products.ts';

/** The last fields are left out by a catalog of an earlier version. No buyer sees the link before the order is paid. */
const offerForSale = z.object({
  id: z.string(),
  headline: z.string(),
  priceCents: z.int(),
  accessUrl: z.string().nullable().optional(),
  description: z.string().nullable().optional(),
  compareAtCents: z.int().nullable().optional(),
  /** The name of its picture. */
  image: z.string().nullable().optional(),
});

/** A product with its price, and the bumps and discounts that orders name, as they are right now. */
const pricedProduct = z.object({
  productId: z.string(),
  name: z.string(),
  slug: z.string(),
  priceCents: z.int(),
  currency: z.string(),
  pricingType,
  billingInterval: billingInterval.nullable(),
  status: productStatus,
  accessUrl: z.string().nullable(),
  /** The active ones of the requested bumps, or all active ones. */
  bumps: z.array(offerForSale),
  /** Those of the requested codes that the product has. */
  discounts: z.array(
    z.object({
      id: z.string(),
      code: z.string(),
      percentOff: z.int().nullable(),
      amountOffCents: z.int().nullable(),
      expiresAt: z.string().nullable(),
      maxUses: z.int().nullable(),
    }),
  ),
});
export type PricedProduct = z.infer<typeof pricedProduct>;

/** A product as its checkout sells it, with the upsell offered after it. */
const productForSale = pricedProduct.extend({
  /** The first of the active upsells, in the order they were made; null also where bumps are named. */
  upsell: offerForSale.nullable(),
  /** What its page shows; only where it was requested. */
  page: z
    .object({ description: z.string().nullable(), image: z.string().nullable(), hasDiscountCodes: z.boolean() })
    .nullable()
    .optional(),
});
export type ProductForSale = z.infer<typeof productForSale>;

/** A product that checkouts or orders sell: by its id, or by its slug while they are being opened. Codes are upper-case. */
const wantedForSale = z.object({
  accountId: z.string(),
  productId: z.string().nullable(),
  /** Counts when there is no id. */
  slug: z.string(),
  discountCodes: z.array(z.string()),
  /** The bumps that orders name, which have no upsell; left out, all that a checkout offers. */
  bumpIds: z.array(z.string()).optional(),
  withPage: z.boolean().optional(),
});
export type WantedForSale = z.infer<typeof wantedForSale>;

/** What one request asks for at most, so that its response fits a message: see catalog's statement. */
export const productsForSaleMax = 50;
/** Bumps and upsells together; a checkout's product may have 101 of them. */
export const offersForSaleMax = 700;

/**
 * Products for many checkouts or orders at once, across accounts: those that wait together share one request. `products[i]`
 * belongs to `wanted[i]`; it is null for one that the account does not have.
 */
export const findProductsForSale = defineRequest('read', 'catalog', 'products.find-for-sale', {
  input: z.object({ wanted: z.array(wantedForSale).max(productsForSaleMax) }),
  output: z.object({ products: z.array(productForSale.nullable()) }),
});
