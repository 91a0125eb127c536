import { z } from 'zod';
import { walletOfCard } from './card-wallets.ts';
import { offerLooks, shownBump } from './checkout-offers.ts';
import { emailAddress, limits, rawText, slug, text, timestamp, typedCode } from './common.ts';
import { countryCode } from './countries.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { withImagesUrl } from './images.ts';
import { orderItemKind } from './order-items.ts';
import { cardFields, cardProcessor, savesCard } from './payment-processors.ts';
import { declineReason, paymentAction, paymentMethodToken, settleHold, startPayment } from './payments.ts';
import { billingInterval, pricingType } from './products.ts';
import { findProductsForSale } from './products-for-sale.ts';
import { around, slow, usualWaiting } from './time-outs.ts';
import { immediateAccessText } from './withdrawals.ts';

/**
 * - `open`: the buyer may change it and pay. `processing`: a payment is under way or unknown.
 * - `requires_action`: the buyer has to confirm at the bank, then `continue`.
 * - `authorized`: the card is held; the buyer decides on the upsell.
 * - `expired`: the hold was lost, or it was not paid within 30 days.
 */
export const checkoutStatus = z.enum([
  'open',
  'processing',
  'requires_action',
  'authorized',
  'paid',
  'refunded',
  'expired',
]);
export type CheckoutStatus = z.infer<typeof checkoutStatus>;

const line = z.object({
  kind: orderItemKind,
  label: z.string(),
  amountCents: z.int(),
  accessUrl: z
    .string()
    .nullable()
    .default(null)
    .describe('Where the buyer finds it; null until paid, and where there is no such address.'),
});

/** The upsell as the buyer sees it. `card_declined`: accepted, but the card was not charged for it. */
const shownUpsell = z.object({
  id: z.string(),
  headline: z.string(),
  description: z.string().nullable().default(null),
  amountCents: z.int(),
  status: z.enum(['offered', 'accepted', 'declined', 'card_declined', 'not_decided']),
  expiresAt: timestamp
    .nullable()
    .describe('Until when the buyer may decide; the order is paid without the upsell then. Null once it is decided.'),
});

/** A checkout as its buyer sees it. Prices are the server's, as they are right now. */
export const checkoutResource = z
  .object({
    id: idSchema('checkout'),
    status: checkoutStatus,
    product: z.object({
      name: z.string(),
      slug: z.string(),
      pricingType,
      billingInterval: billingInterval.nullable(),
    }),
    seller: z.object({ name: z.string(), supportEmail: z.string() }),
    bumps: z.array(shownBump).describe('Order bumps on offer.'),
    lines: z.array(line),
    totalCents: z.int(),
    quote: z
      .string()
      .describe(
        'Stands for the lines, the total and the renewal as shown here. Send it with pay: nothing else is charged.',
      ),
    currency: z.string(),
    email: z.string().nullable(),
    name: z.string().nullable(),
    country: z.string().nullable(),
    discountCode: z.string().nullable(),
    orderId: idSchema('order').nullable().describe('Set once the card is held or charged.'),
    upsell: shownUpsell.extend(offerLooks).nullable().describe('Set once the card is held.'),
    action: paymentAction.nullable(),
    reason: declineReason
      .nullable()
      .describe('Why the last attempt to pay was declined; null once the order was changed since.'),
    accessUrl: z
      .string()
      .nullable()
      .describe('Where the buyer finds the product; null until paid. That of a bump or an upsell is at its line.'),
    paidAt: timestamp.nullable().describe('When the order was paid; null until then.'),
    lastFour: z
      .string()
      .nullable()
      .describe('Of the card that is held or was charged; null before, and where nothing was charged.'),
    wallet: walletOfCard,
    processor: cardProcessor
      .nullable()
      .describe(
        'Whose card fields the page shows, in the mode of the checkout. `none`: the seller takes no payments yet. Null once no card is requested, and while it is not known: read it again then.',
      ),
    publishableKey: cardFields.publishableKey,
    savesCard,
    test: z.boolean(),
    createdAt: timestamp,
  })
  .meta({ id: 'Checkout' });
export type CheckoutResource = z.infer<typeof checkoutResource>;

export const openedCheckoutResource = checkoutResource
  .extend({
    secret: z
      .string()
      .describe(
        'Sent as `x-checkout-secret` with every later call. Keep it in the buyer’s browser and put it in no link: whoever has it reads and decides what the buyer does.',
      ),
  })
  .meta({ id: 'CheckoutOpened' });

const utm = text(limits.utm).nullable().optional();
const sources = { utm_source: utm, utm_medium: utm, utm_campaign: utm, utm_term: utm, utm_content: utm };
const buyerFields = {
  email: emailAddress,
  name: text(limits.name),
  country: countryCode,
  bumpIds: z.array(rawText(64)).max(limits.bumpIds),
};

export const openCheckoutBody = z
  .strictObject({
    handle: slug.describe('The seller’s handle.'),
    slug: slug.describe('The product’s slug.'),
    email: buyerFields.email.optional(),
    name: buyerFields.name.optional(),
    country: buyerFields.country.optional(),
    bumpIds: buyerFields.bumpIds.optional(),
    discountCode: typedCode.optional(),
    affiliateCode: text(64).optional(),
    ...sources,
  })
  .meta({ id: 'CheckoutOpen' });
export type OpenCheckoutBody = z.infer<typeof openCheckoutBody>;

export const updateCheckoutBody = z
  .strictObject({
    ...buyerFields,
    discountCode: typedCode.nullable(),
    affiliateCode: text(64).nullable().describe('Who sent the buyer last; it takes the place of an earlier one.'),
    ...sources,
  })
  .partial()
  .meta({ id: 'CheckoutUpdate' });
export type UpdateCheckoutBody = z.infer<typeof updateCheckoutBody>;

export const payCheckoutBody = z
  .strictObject({
    paymentMethod: paymentMethodToken.describe('The processor’s token for the buyer’s card.'),
    returnUrl: z
      .url({ protocol: /^https?$/ })
      .max(limits.url)
      .optional()
      .describe(
        'Where the bank sends the buyer back to, when it wants a confirmation on a page of its own: an address under this deployment’s own, or ' +
          'under the seller’s `checkoutUrl`.',
      ),
    confirmsByScript: z
      .boolean()
      .optional()
      .describe(
        '`true`: your page runs Stripe’s script, which shows the bank over your page. Otherwise the bank’s page is at `action.url`, ' +
          'and what Stripe confirms by its script alone is declined.',
      ),
    totalCents: z
      .int()
      .min(0)
      .optional()
      .describe(
        'The total on the buyer’s page. Another total is answered with `price_changed`, and nothing is charged.',
      ),
    quote: rawText(100)
      .optional()
      .describe(
        'The `quote` of the checkout on the buyer’s page. Other lines, another total or another renewal are answered with ' +
          '`price_changed`, and nothing is charged.',
      ),
    immediateAccess: z
      .literal(true)
      .optional()
      .describe(
        'The buyer ticked “' +
          immediateAccessText +
          '” Required where `getSeller` says `immediateAccessConsent`. The order keeps the sentence.',
      ),
    confirmRepeat: z.boolean().optional().describe('`true`: the buyer wants it once more, after `already_bought`.'),
  })
  .meta({ id: 'CheckoutPay' });
export type PayCheckoutBody = z.infer<typeof payCheckoutBody>;
export const decideUpsellBody = z.strictObject({ accept: z.boolean() }).meta({ id: 'CheckoutUpsell' });

/** What pay, continue and upsell answer. A repeat gives the same outcome and charges nothing. */
export const checkoutOutcome = z
  .object({
    status: z.enum(['paid', 'authorized', 'declined', 'requires_action', 'processing', 'refunded', 'expired']),
    orderId: idSchema('order').optional(),
    totalCents: z.int().describe('What is charged or held; with the upsell once that is charged.'),
    upsell: shownUpsell.optional(),
    action: paymentAction.optional(),
    clientSecret: z
      .string()
      .optional()
      .describe(
        'Of `continue`, with `requires_action` and without `action`: run `stripe.handleNextAction({ clientSecret })`, then ' +
          '`continue`.',
      ),
    anotherCard: z
      .literal(true)
      .optional()
      .describe('With `requires_action`: pay may be called with another card, which gives the confirmation up.'),
    reason: declineReason.optional(),
  })
  .meta({ id: 'CheckoutOutcome' });
export type CheckoutOutcome = z.infer<typeof checkoutOutcome>;

/** The seller's settings that shape a checkout, as they were when it was opened. */
export const checkoutAccount = z.object({
  testMode: z.boolean(),
  supportEmail: z.string(),
  businessName: z.string(),
  holdDecisionMinutes: z.int(),
  /** The number of the change that made the settings what they are. */
  settingsRevision: z.int(),
});
export type CheckoutAccount = z.infer<typeof checkoutAccount>;

export const openCheckout = defineRequest('command', 'checkout', 'checkouts.open', {
  input: z.object({
    body: openCheckoutBody,
    account: checkoutAccount,
    /** Distinguishes visitors of one day and nothing else: a keyed digest of the day and the caller's address. */
    visitor: z.string(),
    ...withImagesUrl,
  }),
  output: openedCheckoutResource,
});

export const restoreCheckoutBody = z
  .strictObject({
    token: rawText(200).describe(
      'Of the link in a reminder: on your own page what follows `#restore=`, otherwise the part of the path after `/c/restore/`, up to the first dot.',
    ),
  })
  .meta({ id: 'CheckoutRestore' });

/** Whose checkout it is, for the edge's log; buyers do not see it. A checkout service of an earlier release does not say. */
const whose = { accountId: z.string().optional() };

/** A copy of the checkout that a reminder's link is about, under a new id and a new secret. */
export const restoreCheckout = defineRequest('command', 'checkout', 'checkouts.restore', {
  input: restoreCheckoutBody.extend(withImagesUrl),
  output: openedCheckoutResource.extend(whose),
});

/** A buyer has no account: the secret, of which only the hash is stored, says whose checkout it is. */
const ofBuyer = z.object({ checkoutId: z.string(), secret: z.string() });

export const getCheckout = defineRequest('read', 'checkout', 'checkouts.get', {
  input: ofBuyer.extend(withImagesUrl),
  output: checkoutResource.extend(whose),
});
export const updateCheckout = defineRequest('command', 'checkout', 'checkouts.update', {
  input: ofBuyer.extend({ body: updateCheckoutBody, ...withImagesUrl }),
  output: checkoutResource.extend(whose),
  // It is not known by its command's id: one that was made again after a later change would undo that.
  ...slow(usualWaiting.command.timeoutMs),
});
/** The answers of these three also say whose checkout it is, for the edge's limits; buyers do not see it. */
const outcomeOfAccount = z.object({ accountId: z.string(), outcome: checkoutOutcome });
export const payCheckout = defineRequest('command', 'checkout', 'checkouts.pay', {
  input: ofBuyer.extend({
    body: payCheckoutBody,
    /** Addresses of this deployment as the caller reached it: a `returnUrl` may lead there. */
    ownUrls: z.array(z.string()).max(2).optional(),
    /**
     * What identifies the buyer beside the email: a keyed digest each of the browser's cookie, of the client's address and of
     * the card's token. Two purchases that share one are the same buyer's.
     */
    buyerDigests: z.array(z.string().max(100)).max(3).optional(),
  }),
  output: outcomeOfAccount,
  ...around(findProductsForSale, startPayment),
});
export const continueCheckout = defineRequest('command', 'checkout', 'checkouts.continue', {
  input: ofBuyer,
  output: outcomeOfAccount,
  // Instead, where billing has lost the attempt, that is looked up by `startPayment`.
  ...around(startPayment),
});
export const decideUpsell = defineRequest('command', 'checkout', 'checkouts.decide-upsell', {
  input: ofBuyer.extend({ body: decideUpsellBody }),
  output: outcomeOfAccount,
  ...around(settleHold),
});
/** Whose checkout it is, requested before an attempt to pay: the edge counts attempts by account. */
export const checkoutOwner = defineRequest('read', 'checkout', 'checkouts.owner', {
  input: ofBuyer,
  output: z.object({
    accountId: z.string(),
    /** Whether an attempt has succeeded before. */
    paid: z.boolean(),
  }),
});

/** An account has reached its limit of declined payments, for Recent activity: once a UTC day. */
export const paymentsLimited = defineEvent(
  'gateway',
  'payments.limited',
  1,
  z.object({ summary: z.string(), test: z.boolean() }),
);

/** A visitor opened a product's checkout for the first time that day (UTC). */
export const checkoutVisited = defineEvent(
  'checkout',
  'checkout.visited',
  1,
  z.object({ productId: z.string(), productName: z.string(), pricingType, visitedAt: timestamp, test: z.boolean() }),
);
