import { z } from 'zod';
import {
  amountCents,
  besideFields,
  currency,
  httpUrl,
  ifVersion,
  limits,
  listOf,
  newCurrency,
  okResult,
  pageQueryOf,
  slug,
  text,
  timestamp,
  version,
} from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { putImageBody, storedImage } from './images.ts';

export const pricingType = z.enum(['onetime', 'subscription']);
export const billingInterval = z.enum(['month', 'year']);
export const productStatus = z.enum(['draft', 'live', 'archived']);

const productName = text(limits.name, 1);
const description = text(limits.description).nullable().optional().describe('Plain text for the product’s page.');

const listed = z
  .boolean()
  .optional()
  .describe(
    '`false`: the page of the shop does not show it. Whoever has its link buys it all the same. `true` unless said.',
  );

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
    description: z.string().nullable(),
    image_url: z.string().nullable().describe('The picture on the product’s page; see `putProductImage`.'),
    listed: z.boolean().default(true).describe('Whether the page of the shop shows it while it is live.'),
    checkout_url: z.string().describe('The product’s hosted page. It sells while the product is live.'),
    created_at: timestamp,
    updated_at: timestamp,
    version,
  })
  .meta({ id: 'Product' });
export type ProductResource = z.infer<typeof productResource>;

export const createProductBody = z
  .strictObject({
    name: productName,
    slug,
    priceCents: amountCents,
    currency: newCurrency.optional().describe('Defaults to the account’s default currency.'),
    pricingType,
    billingInterval: billingInterval.nullable().optional().describe('Required for subscriptions, absent otherwise.'),
    status: productStatus.exclude(['archived']).optional().describe('`draft` unless said otherwise.'),
    accessUrl: httpUrl.nullable().optional().describe('Where buyers find what they bought.'),
    description,
    listed,
  })
  .superRefine(checkInterval, besideFields)
  .meta({ id: 'ProductCreate' });
export type CreateProductBody = z.infer<typeof createProductBody>;

function checkInterval(
  body: { pricingType: 'onetime' | 'subscription'; billingInterval?: 'month' | 'year' | null | undefined },
  context: z.RefinementCtx,
): void {
  // Of another type nothing can be said.
  if (!pricingType.safeParse(body.pricingType).success) return;
  if ((body.pricingType === 'subscription') !== Boolean(body.billingInterval)) {
    const message =
      body.pricingType === 'subscription' ? 'is required for a subscription' : 'is for subscriptions only';
    context.addIssue({ code: 'custom', path: ['billingInterval'], message });
  }
}

const draftOnly = 'Changes while the product is a draft: what was sold relies on it.';

const updateProductBody = z
  .strictObject({
    name: productName.optional(),
    slug: slug.optional(),
    priceCents: amountCents.optional(),
    currency: newCurrency.optional().describe(`${draftOnly} Amounts stay the numbers that they are.`),
    pricingType: pricingType.optional().describe(draftOnly),
    billingInterval: billingInterval.nullable().optional().describe(draftOnly),
    status: productStatus.optional(),
    accessUrl: httpUrl.nullable().optional(),
    description,
    listed,
  })
  .meta({ id: 'ProductUpdate' });

/** What requests about a product name. */
export const ofProduct = z.object({ productId: z.string() });

/**
 * Addresses that a product's slug and the name of an image are appended to: catalog knows neither the seller's handle nor the
 * deployment's address. An older gateway leaves them out, and passes on whatever comes instead.
 */
const productUrls = z.object({ checkout: z.string(), images: z.string() });
export type ProductUrls = z.infer<typeof productUrls>;
export const withUrls = { urls: productUrls.optional() };

export const listProducts = defineRequest('read', 'catalog', 'products.list', {
  input: pageQueryOf(idSchema('product')).extend({
    status: productStatus.optional(),
    /** With a status alone: without those that the page of the shop does not show. */
    listed: z.literal(true).optional(),
    ...withUrls,
  }),
  output: listOf(productResource),
});
export const getProduct = defineRequest('read', 'catalog', 'products.get', {
  input: ofProduct.extend(withUrls),
  output: productResource,
});
export const createProduct = defineRequest('command', 'catalog', 'products.create', {
  input: z.object({ body: createProductBody, defaultCurrency: currency, ...withUrls }),
  output: productResource,
});
export const updateProduct = defineRequest('command', 'catalog', 'products.update', {
  input: ofProduct.extend({ body: updateProductBody, ...ifVersion, ...withUrls }),
  output: productResource,
});

/** Replaces the picture on the product's page. */
export const putProductImage = defineRequest('command', 'catalog', 'products.put-image', {
  input: ofProduct.extend({ body: putImageBody }),
  output: storedImage,
});
export const deleteProductImage = defineRequest('command', 'catalog', 'products.delete-image', {
  input: ofProduct,
  output: okResult,
});

const namedProduct = z.object({ productId: z.string(), name: z.string(), pricingType });

/** There is a product. Those that were there before this kind of event were reported afterwards, with the name they had. */
export const productCreated = defineEvent('catalog', 'product.created', 1, namedProduct);

/** A product got another name or, as a draft, another pricing type. */
export const productRenamed = defineEvent('catalog', 'product.renamed', 1, namedProduct);
