import { z } from 'zod';
import {
  amountCents,
  currency,
  flag,
  httpUrl,
  instant,
  limits,
  listOf,
  okResult,
  pageQueryOf,
  rawText,
  slug,
  text,
  timestamp,
} from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

export const pricingType = z.enum(['onetime', 'subscription']);
export const billingInterval = z.enum(['month', 'year']);
export const productStatus = z.enum(['draft', 'live', 'archived']);

const productName = text(limits.name, 1);

/** The published shape of a product. */
export const productResource = z
  .object({
    id: idSchema('product'),
    name: z.string(),
    slug: z.string(),
    price_cents: z.int(),
    currency: z.string(),
    pricing_type: pricingType,
    billing_interval: billingInterval.nullable(),
    status: productStatus,
    access_url: z.string().nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'Product' });
export type ProductResource = z.infer<typeof productResource>;

export const createProductBody = z
  .strictObject({
    name: productName,
    slug,
    priceCents: amountCents,
    currency: currency.optional().describe('Defaults to the account’s default currency.'),
    pricingType,
    billingInterval: billingInterval.nullable().optional().describe('Required for subscriptions, absent otherwise.'),
    status: productStatus.exclude(['archived']).optional().describe('`draft` unless said otherwise.'),
    accessUrl: httpUrl.nullable().optional().describe('Where buyers find what they bought.'),
  })
  .superRefine(checkInterval)
  .meta({ id: 'ProductCreate' });
export type CreateProductBody = z.infer<typeof createProductBody>;

function checkInterval(
  body: { pricingType: 'onetime' | 'subscription'; billingInterval?: 'month' | 'year' | null | undefined },
  context: z.RefinementCtx,
): void {
  if ((body.pricingType === 'subscription') !== Boolean(body.billingInterval)) {
    const message =
      body.pricingType === 'subscription' ? 'is required for a subscription' : 'is for subscriptions only';
    context.addIssue({ code: 'custom', path: ['billingInterval'], message });
  }
}

/** Pricing type and interval cannot change: subscriptions that were sold rely on them. */
export const updateProductBody = z
  .strictObject({
    name: productName.optional(),
    slug: slug.optional(),
    priceCents: amountCents.optional(),
    status: productStatus.optional(),
    accessUrl: httpUrl.nullable().optional(),
  })
  .meta({ id: 'ProductUpdate' });

export const offerResource = z
  .object({ id: z.string(), headline: z.string(), price_cents: z.int(), active: flag })
  .meta({ id: 'Offer' });
export const funnelEmailResource = z
  .object({ id: idSchema('email'), position: z.int(), send_day: z.int(), subject: z.string(), body: z.string() })
  .meta({ id: 'FunnelEmail' });

export const funnelResource = z
  .object({
    bumps: z.array(offerResource),
    upsells: z.array(offerResource),
    downsells: z.array(offerResource),
    emails: z.array(funnelEmailResource),
  })
  .meta({ id: 'Funnel' });

const active = z.union([flag, z.boolean()]).overwrite((value) => (value ? 1 : 0));

export const createOfferBody = z
  .strictObject({ headline: text(limits.name, 1), priceCents: amountCents, active: active.optional() })
  .meta({ id: 'OfferCreate' });
export const updateOfferBody = createOfferBody.partial().meta({ id: 'OfferUpdate' });

const emailBody = rawText(limits.emailBodyBytes).refine(
  (body) => Buffer.byteLength(body) <= limits.emailBodyBytes,
  `must be at most ${limits.emailBodyBytes} bytes`,
);
export const createFunnelEmailBody = z
  .strictObject({
    position: z.int().min(1).max(1000),
    sendDay: z.int().min(0).max(3650),
    subject: text(limits.name, 1),
    body: emailBody,
  })
  .meta({ id: 'FunnelEmailCreate' });
export const updateFunnelEmailBody = createFunnelEmailBody.partial().meta({ id: 'FunnelEmailUpdate' });

const discountCode = z
  .string()
  .trim()
  .min(1)
  .max(50)
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
  })
  .meta({ id: 'Discount' });

const discountFields = {
  percentOff: z.int().min(1).max(100).optional(),
  amountOffCents: amountCents.min(1).optional(),
  expiresAt: instant.nullable().optional(),
  maxUses: z.int().min(1).max(1_000_000_000).nullable().optional(),
};
export const createDiscountBody = z
  .strictObject({ code: discountCode, ...discountFields })
  .refine((body) => (body.percentOff === undefined) !== (body.amountOffCents === undefined), {
    path: ['percentOff'],
    message: 'must be given unless amountOffCents is, and not with it',
  })
  .meta({ id: 'DiscountCreate' });
export const updateDiscountBody = z
  .strictObject({ expiresAt: discountFields.expiresAt, maxUses: discountFields.maxUses })
  .meta({ id: 'DiscountUpdate' });

const productId = z.object({ productId: z.string() });
const offerKind = z.enum(['bump', 'upsell']);
export type OfferKind = z.infer<typeof offerKind>;

export const listProducts = defineRequest('read', 'catalog', 'products.list', {
  input: pageQueryOf(idSchema('product')),
  output: listOf(productResource),
});
export const getProduct = defineRequest('read', 'catalog', 'products.get', {
  input: productId,
  output: productResource,
});
export const createProduct = defineRequest('command', 'catalog', 'products.create', {
  input: z.object({ body: createProductBody, defaultCurrency: currency }),
  output: productResource,
});
export const updateProduct = defineRequest('command', 'catalog', 'products.update', {
  input: productId.extend({ body: updateProductBody }),
  output: productResource,
});
export const getFunnel = defineRequest('read', 'catalog', 'funnels.get', { input: productId, output: funnelResource });

export const createOffer = defineRequest('command', 'catalog', 'offers.create', {
  input: productId.extend({ kind: offerKind, body: createOfferBody }),
  output: offerResource,
});
export const updateOffer = defineRequest('command', 'catalog', 'offers.update', {
  input: productId.extend({ kind: offerKind, offerId: z.string(), body: updateOfferBody }),
  output: offerResource,
});
export const deleteOffer = defineRequest('command', 'catalog', 'offers.delete', {
  input: productId.extend({ kind: offerKind, offerId: z.string() }),
  output: okResult,
});
export const createFunnelEmail = defineRequest('command', 'catalog', 'emails.create', {
  input: productId.extend({ body: createFunnelEmailBody }),
  output: funnelEmailResource,
});
export const updateFunnelEmail = defineRequest('command', 'catalog', 'emails.update', {
  input: productId.extend({ emailId: z.string(), body: updateFunnelEmailBody }),
  output: funnelEmailResource,
});
export const deleteFunnelEmail = defineRequest('command', 'catalog', 'emails.delete', {
  input: productId.extend({ emailId: z.string() }),
  output: okResult,
});
/** The catalog counts the events it published; the API answers 0 when no endpoint takes them. */
export const pushResult = z.object({ ok: z.literal(true), sent: z.int() }).meta({ id: 'EmailPushResult' });
export const pushFunnelEmails = defineRequest('command', 'catalog', 'emails.push', {
  input: productId,
  output: pushResult,
});
export const listDiscounts = defineRequest('read', 'catalog', 'discounts.list', {
  input: pageQueryOf(idSchema('discount')).extend(productId.shape),
  output: listOf(discountResource),
});
export const createDiscount = defineRequest('command', 'catalog', 'discounts.create', {
  input: productId.extend({ body: createDiscountBody }),
  output: discountResource,
});
export const updateDiscount = defineRequest('command', 'catalog', 'discounts.update', {
  input: productId.extend({ discountId: z.string(), body: updateDiscountBody }),
  output: discountResource,
});
export const deleteDiscount = defineRequest('command', 'catalog', 'discounts.delete', {
  input: productId.extend({ discountId: z.string() }),
  output: okResult,
});

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

const namedProduct = z.object({ productId: z.string(), name: z.string(), pricingType });

/** There is a product. Those that were there before this kind of event were told of afterwards, with the name they had. */
export const productCreated = defineEvent('catalog', 'product.created', 1, namedProduct);

/** A product got another name. The pricing type never changes; consumers that do not know the product yet store it too. */
export const productRenamed = defineEvent('catalog', 'product.renamed', 1, namedProduct);

/** A seller handed a post-purchase email to the tool that sends it. */
export const funnelEmailSynced = defineEvent(
  'catalog',
  'funnel-email.synced',
  1,
  z.object({
    productId: z.string(),
    productSlug: z.string(),
    productName: z.string(),
    position: z.int(),
    sendDay: z.int(),
    subject: z.string(),
    body: z.string(),
  }),
);
