import { z } from 'zod';
import { amountCents, flag, httpUrl, ifVersion, limits, okResult, rawText, text, version } from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { putImageBody, storedImage } from './images.ts';
import { ofProduct, withUrls } from './products.ts';

export const offerResource = z
  .object({
    id: z.string(),
    headline: z.string(),
    price_cents: z.int(),
    active: flag,
    access_url: z.string().nullable().default(null),
    description: z.string().nullable().default(null),
    compare_at_cents: z
      .int()
      .nullable()
      .default(null)
      .describe('An earlier, higher price: struck through beside the price. It changes nothing of what is charged.'),
    image_url: z.string().nullable().default(null).describe('Its picture; see `putBumpImage` and `putUpsellImage`.'),
    version,
  })
  .meta({ id: 'Offer' });
export const funnelEmailResource = z
  .object({
    id: idSchema('email'),
    position: z.int(),
    send_day: z.int(),
    subject: z.string(),
    body: z.string(),
    version,
  })
  .meta({ id: 'FunnelEmail' });

const funnelResource = z
  .object({
    bumps: z.array(offerResource),
    upsells: z.array(offerResource),
    downsells: z.array(offerResource),
    emails: z.array(funnelEmailResource),
  })
  .meta({ id: 'Funnel' });

const active = z.union([flag, z.boolean()]).overwrite((value) => (value ? 1 : 0));

export const createOfferBody = z
  .strictObject({
    headline: text(limits.name, 1),
    priceCents: amountCents,
    active: active.optional(),
    accessUrl: httpUrl.nullable().optional().describe('Where buyers find it. An order keeps it as it was at the sale.'),
    description: text(limits.offerDescription)
      .nullable()
      .optional()
      .describe('Plain text under the headline, of a few lines.'),
    compareAtCents: amountCents
      .nullable()
      .optional()
      .describe(
        'An earlier price that you asked, above `priceCents`. Buyers see it struck through; it changes nothing of what is charged. ' +
          'In the EU it is the lowest of the 30 days before the reduction.',
      ),
  })
  .meta({ id: 'OfferCreate' });
const updateOfferBody = createOfferBody.partial().meta({ id: 'OfferUpdate' });

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
const updateFunnelEmailBody = createFunnelEmailBody.partial().meta({ id: 'FunnelEmailUpdate' });

const offerKind = z.enum(['bump', 'upsell']);
export type OfferKind = z.infer<typeof offerKind>;

export const getFunnel = defineRequest('read', 'catalog', 'funnels.get', {
  input: ofProduct.extend(withUrls),
  output: funnelResource,
});

/** The id says of which kind it is. */
export const getFunnelOffer = defineRequest('read', 'catalog', 'offers.get', {
  input: ofProduct.extend({ offerId: z.string(), ...withUrls }),
  output: offerResource,
});
export const createOffer = defineRequest('command', 'catalog', 'offers.create', {
  input: ofProduct.extend({ kind: offerKind, body: createOfferBody, ...withUrls }),
  output: offerResource,
});
export const updateOffer = defineRequest('command', 'catalog', 'offers.update', {
  input: ofProduct.extend({ kind: offerKind, offerId: z.string(), body: updateOfferBody, ...ifVersion, ...withUrls }),
  output: offerResource,
});
export const deleteOffer = defineRequest('command', 'catalog', 'offers.delete', {
  input: ofProduct.extend({ kind: offerKind, offerId: z.string() }),
  output: okResult,
});
/** Replaces the picture of an offer. Its id says of which kind it is. */
export const putOfferImage = defineRequest('command', 'catalog', 'offers.put-image', {
  input: ofProduct.extend({ offerId: z.string(), body: putImageBody }),
  output: storedImage,
});
export const deleteOfferImage = defineRequest('command', 'catalog', 'offers.delete-image', {
  input: ofProduct.extend({ offerId: z.string() }),
  output: okResult,
});
export const createFunnelEmail = defineRequest('command', 'catalog', 'emails.create', {
  input: ofProduct.extend({ body: createFunnelEmailBody }),
  output: funnelEmailResource,
});
export const updateFunnelEmail = defineRequest('command', 'catalog', 'emails.update', {
  input: ofProduct.extend({ emailId: z.string(), body: updateFunnelEmailBody, ...ifVersion }),
  output: funnelEmailResource,
});
export const deleteFunnelEmail = defineRequest('command', 'catalog', 'emails.delete', {
  input: ofProduct.extend({ emailId: z.string() }),
  output: okResult,
});
/** The catalog counts the events it published; the API answers 0 when no endpoint takes them. */
export const pushResult = z.object({ ok: z.literal(true), sent: z.int() }).meta({ id: 'EmailPushResult' });
export const pushFunnelEmails = defineRequest('command', 'catalog', 'emails.push', {
  input: ofProduct,
  output: pushResult,
});

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
