import { z } from 'zod';
import { okResult, slug } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { withImagesUrl } from './images.ts';
import { orderItemKind } from './order-items.ts';
import { cardFields, savesCard } from './payment-processors.ts';
import { billingInterval, pricingType } from './products.ts';

/** A shop as its pages show it. */
export const sellerResource = z
  .object({
    key: z.string().describe('Stands for the seller in names of cookies: another handle leaves it as it is.'),
    handle: z.string().describe('The current one; an earlier one still leads here.'),
    name: z.string(),
    supportEmail: z.string(),
    logoUrl: z.string().nullable(),
    accentColor: z.string().nullable().describe('`#rrggbb`; null is the pages’ own.'),
    termsUrl: z.string().nullable(),
    refundPolicyUrl: z.string().nullable(),
    portalCancel: z.boolean().describe('Buyers may cancel their subscriptions in the portal.'),
    withdrawalDays: z
      .int()
      .describe('For so many days buyers may withdraw from a purchase; 0 where the shop takes no withdrawals.'),
    immediateAccessConsent: z
      .boolean()
      .describe('Whether `payCheckout` takes `immediateAccess` alone: the buyer agrees to lose the right to withdraw.'),
  })
  .meta({ id: 'Seller' });
export type SellerResource = z.infer<typeof sellerResource>;

/** A product in the list of its shop, as buyers see it. */
export const shownProduct = z
  .object({
    id: idSchema('product'),
    name: z.string(),
    priceCents: z.int(),
    currency: z.string(),
    pricingType,
    billingInterval: billingInterval.nullable(),
    imageUrl: z.string().nullable(),
    checkoutUrl: z.string().describe('The page that sells it.'),
  })
  .meta({ id: 'ShownProduct' });
export type ShownProduct = z.infer<typeof shownProduct>;

/** Why a discount code takes nothing off. */
export const discountRefusal = z.enum(['unknown', 'expired', 'used_up', 'frees_subscription', 'too_many_attempts']);
export type DiscountRefusal = z.infer<typeof discountRefusal>;

const offeredProduct = z.object({
  id: z.string(),
  name: z.string(),
  slug: z.string(),
  description: z.string().nullable(),
  pricingType,
  billingInterval: billingInterval.nullable(),
  priceCents: z.int(),
});

/** What buyers see of a bump or an upsell beside its words and its price. */
export const offerLooks = {
  compareAtCents: z.int().nullable().default(null).describe('An earlier, higher price, which is shown struck through.'),
  imageUrl: z.string().nullable().default(null),
};

/** A bump as buyers see it. */
export const shownBump = z.object({
  id: z.string(),
  headline: z.string(),
  description: z.string().nullable().default(null),
  priceCents: z.int(),
  ...offerLooks,
  chosen: z.boolean(),
});

/** What checkout knows of an offer. */
const pricedOffer = z.object({
  product: offeredProduct.extend({ image: z.string().nullable() }),
  bumps: z.array(shownBump),
  hasDiscountCodes: z.boolean(),
  discount: z
    .object({
      code: z.string(),
      refusal: discountRefusal.nullable(),
      retryAfterSeconds: z
        .int()
        .optional()
        .describe('Only with `too_many_attempts`: in so many seconds codes are looked at again.'),
    })
    .nullable()
    .describe('The code that was given. `refusal` says why it takes nothing off; null when it does.'),
  lines: z.array(z.object({ kind: orderItemKind, label: z.string(), amountCents: z.int() })),
  totalCents: z.int(),
  quote: z
    .string()
    .describe('Stands for the lines, the total and the renewal as shown here, as a checkout’s `quote` does.'),
  currency: z.string(),
  savesCard,
});

/** What a product's page shows before a checkout is opened: prices as they are right now, for a choice. */
export const checkoutOfferResource = pricedOffer
  .extend({
    product: offeredProduct.extend({
      imageUrl: z.string().nullable(),
      checkoutUrl: z.string().describe('The page’s current address.'),
    }),
    seller: sellerResource,
    ...cardFields,
    test: z.boolean().describe('The shop is in test mode: no card is charged.'),
    affiliateCode: z
      .string()
      .nullable()
      .describe('The code that was given, as its affiliate has it; null where none was given or no affiliate has it.'),
  })
  .meta({ id: 'CheckoutOffer' });
export type CheckoutOffer = z.infer<typeof checkoutOfferResource>;

/** Prices a product for a choice. It writes nothing. What the product does not have is left out of the price. */
export const getOffer = defineRequest('read', 'checkout', 'offers.get', {
  input: z.object({
    slug: z.string(),
    bumpIds: z.array(z.string()),
    discountCode: z.string().nullable(),
    testMode: z.boolean(),
    ...withImagesUrl,
  }),
  output: pricedOffer,
});

export const recordVisitBody = z
  .strictObject({
    handle: slug.describe('The seller’s handle.'),
    slug: slug.describe('The product’s slug.'),
  })
  .meta({ id: 'CheckoutVisit' });

/** Counts a visitor of a product's page: once a UTC day, however often the visitor comes or opens checkouts. */
export const recordVisit = defineRequest('command', 'checkout', 'visits.record', {
  input: z.object({ slug: z.string(), testMode: z.boolean(), visitor: z.string() }),
  output: okResult,
});
