import { z } from 'zod';
import { defineRequest } from './define.ts';
import { billingInterval, pricingType, productStatus } from './products.ts';

/** A product with its price, and the bumps and discounts that orders name, as they are right now. */
export const pricedProduct = z.object({
  productId: z.string(),
  name: z.string(),
  slug: z.string(),
  priceCents: z.int(),
  currency: z.string(),
  pricingType,
  billingInterval: billingInterval.nullable(),
  status: productStatus,
  accessUrl: z.string().nullable(),
  /** The active ones of the bumps asked for. */
  bumps: z.array(z.object({ id: z.string(), headline: z.string(), priceCents: z.int() })),
  /** The ones of the codes asked for that the product has. */
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

/** A product that orders name, with the bumps and discount codes (upper-case) that they name beside it. */
const wantedProduct = z.object({
  accountId: z.string(),
  slug: z.string(),
  bumpIds: z.array(z.string()),
  discountCodes: z.array(z.string()),
});
export type WantedProduct = z.infer<typeof wantedProduct>;

/**
 * Products for many orders at once, across accounts: orders that wait together share one request. `offers[i]` belongs to
 * `wanted[i]`; it is null for a slug that the account does not have. The response has nothing that was not asked for, so
 * its size is bounded by the orders and not by what one account has in its catalog. Subject and field say `offers`
 * because replicas of two versions exchange them during an update.
 */
export const resolveProducts = defineRequest('read', 'catalog', 'offers.resolve', {
  input: z.object({ wanted: z.array(wantedProduct) }),
  output: z.object({ offers: z.array(pricedProduct.nullable()) }),
});

/** A product as its checkout sells it: every active bump, the discounts asked for, and the upsell offered after it. */
export const productForSale = pricedProduct.extend({
  /** The first of the active upsells, in the order they were made. */
  upsell: z.object({ id: z.string(), headline: z.string(), priceCents: z.int() }).nullable(),
});
export type ProductForSale = z.infer<typeof productForSale>;

/** A product that checkouts sell: by its id, or by its slug while they are being opened. Codes are upper-case. */
const wantedForSale = z.object({
  accountId: z.string(),
  productId: z.string().nullable(),
  /** Counts when there is no id. */
  slug: z.string(),
  discountCodes: z.array(z.string()),
});
export type WantedForSale = z.infer<typeof wantedForSale>;

/** 50 products of 100 bumps each fit a message: see catalog's statement. */
export const productsForSaleMax = 50;

/**
 * Products for many checkouts at once, across accounts: checkouts that wait together share one request. `products[i]`
 * belongs to `wanted[i]`; it is null for one that the account does not have.
 */
export const findProductsForSale = defineRequest('read', 'catalog', 'products.find-for-sale', {
  input: z.object({ wanted: z.array(wantedForSale).max(productsForSaleMax) }),
  output: z.object({ products: z.array(productForSale.nullable()) }),
});
