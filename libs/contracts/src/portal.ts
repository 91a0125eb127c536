import { z } from 'zod';
import { walletOfCard } from './card-wallets.ts';
import { emailAddress, listOf, pageQueryOf, rawText, slug, timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { orderItemKind } from './order-items.ts';
import { cardFields } from './payment-processors.ts';
import { declineReason, paymentMethodToken } from './payments.ts';
import { billingInterval } from './products.ts';
import { cardChange } from './subscriptions.ts';

/** What the buyer's own site and the hosted pages request. The answer is the same whether or not the address has bought. */
export const requestPortalLinkBody = z
  .strictObject({ handle: slug.describe('The seller’s handle.'), email: emailAddress })
  .meta({ id: 'PortalLinkRequest' });

export const openPortalBody = z
  .strictObject({ token: rawText(100, 1).describe('The last part of the link’s address.') })
  .meta({ id: 'PortalOpen' });

/**
 * `expired`: the link was used or is too old; `email` is whom it was made for, so that a page can offer to send another. A
 * link to one subscription's card (`subscriptionId`) opens that alone, and works until it expires.
 */
export const portalOpened = z
  .discriminatedUnion('status', [
    z.object({
      status: z.literal('opened'),
      secret: z.string().describe('Sent as `x-portal-session` with every later call.'),
      handle: z.string(),
      email: z.string(),
      subscriptionId: idSchema('subscription').nullable(),
      expiresAt: timestamp,
    }),
    z.object({ status: z.literal('expired'), handle: z.string(), email: z.string() }),
  ])
  .meta({ id: 'PortalOpened' });

/** A link for a buyer whom the seller's own site knows, or whom the seller helps. */
export const createPortalLinkBody = z
  .strictObject({
    email: emailAddress,
    subscriptionId: idSchema('subscription')
      .optional()
      .describe('A subscription of this buyer: the link then leads to its card alone.'),
  })
  .meta({ id: 'PortalLinkCreate' });

export const portalLinkResource = z.object({
  url: z.string().describe('Opens the buyer’s purchases without a password: shown once, and stored as a hash.'),
  expires_at: timestamp,
});

/** The dispatcher requests it when it builds an email. @throws DomainError buyer_not_found, validation_failed */
export const createPortalLink = defineRequest('command', 'gateway', 'portal-links.create', {
  input: z.object({
    email: emailAddress,
    /** Null for the whole portal; else the link leads to that subscription's card and may be used again. */
    subscriptionId: idSchema('subscription').nullable(),
    /** Of a card's link; it works at least 72 hours. */
    validUntil: timestamp.nullable(),
  }),
  output: z.object({ url: z.string(), expiresAt: timestamp }),
});

const orderLine = z.object({
  kind: orderItemKind,
  label: z.string(),
  amount_cents: z.int(),
  access_url: z
    .string()
    .default('')
    .describe(
      'Where the buyer finds it, as it was at the sale; empty where it has none, and unless the order is `paid`.',
    ),
});

/** An order as its buyer sees it: nothing that is the seller's alone (campaign, affiliate, the processor's words). */
export const portalOrder = z
  .object({
    id: idSchema('order'),
    product_name: z.string(),
    total_cents: z.int(),
    refunded_cents: z.int(),
    currency: z.string(),
    status: z.enum(['paid', 'refunded', 'authorized']),
    created_at: timestamp,
    test: z.boolean(),
  })
  .meta({ id: 'PortalOrder' });
export type PortalOrder = z.infer<typeof portalOrder>;

export const portalOrderWithReceipt = portalOrder
  .extend({
    customer_email: z.string(),
    customer_name: z.string(),
    items: z.array(orderLine),
    access_url: z
      .string()
      .describe(
        'Where the buyer finds what was bought; empty where the product has none, and unless the order is `paid`.',
      ),
    last_four: z.string().nullable().describe('Of the card that was charged; null where none was, or it is not known.'),
    wallet: walletOfCard,
    immediate_access: z
      .string()
      .nullable()
      .describe(
        'The sentence by which the buyer gave up the right to withdraw for immediate access; null where none was asked.',
      ),
    refunds: z
      .array(z.object({ amount_cents: z.int(), refunded_at: timestamp }))
      .describe('What went back of the order itself, oldest first.'),
    seller: z.object({ name: z.string(), support_email: z.string() }),
  })
  .meta({ id: 'PortalOrderWithReceipt' });
export type PortalReceipt = z.infer<typeof portalOrderWithReceipt>;

export const portalSubscription = z
  .object({
    id: idSchema('subscription'),
    order_id: idSchema('order'),
    product_name: z.string(),
    amount_cents: z.int(),
    currency: z.string(),
    billing_interval: billingInterval,
    status: z.enum(['active', 'past_due', 'paused', 'canceled']),
    collection: z
      .enum(['automatic', 'external'])
      .describe('`external`: the seller collects it, and no card is stored.'),
    started_at: timestamp,
    current_period_end: timestamp,
    cancel_at: timestamp.nullable().describe('When it ends, where it was canceled at the period’s end.'),
    canceled_at: timestamp.nullable(),
    next_charge_at: timestamp.nullable(),
    failed_reason: z
      .enum([...declineReason.options, 'confirmation_required'])
      .nullable()
      .describe(
        'Why the last attempt to charge failed; null unless `past_due`. `confirmation_required`: the bank wants the buyer to confirm; ' +
          'the same card, given once more, is confirmed and charged.',
      ),
    last_four: z.string().nullable(),
    wallet: walletOfCard,
    may_cancel: z.boolean().describe('Whether the seller lets buyers cancel it, and it can be canceled now.'),
    may_pause: z.boolean().describe('Whether the seller lets buyers pause it, and it can be paused now.'),
    may_resume: z.boolean().describe('Whether the seller lets buyers pause it, and the buyer has paused it.'),
    test: z.boolean(),
  })
  .meta({ id: 'PortalSubscription' });
export type PortalSubscription = z.infer<typeof portalSubscription>;

export const portalSubscriptionWithHistory = portalSubscription
  .extend({
    seller: z.object({ name: z.string(), support_email: z.string() }),
    processor: cardFields.processor,
    publishable_key: cardFields.publishableKey,
    card_change: cardChange,
    awaits_confirmation: z
      .boolean()
      .describe(
        'A renewal was charged on the card page, and waits for an hour until the buyer confirms it at the bank: `continuePortalPaymentMethod` says where.',
      ),
    charges: z
      .array(
        z.object({
          amount_cents: z.int(),
          refunded_cents: z.int(),
          status: z.enum(['paid', 'declined', 'processing']),
          last_four: z.string().nullable(),
          wallet: walletOfCard,
          charged_at: timestamp,
        }),
      )
      .describe('Renewals, newest first; 100 at most.'),
  })
  .meta({ id: 'PortalSubscriptionWithHistory' });
export type PortalSubscriptionWithHistory = z.infer<typeof portalSubscriptionWithHistory>;

export const changedPortalSubscription = portalSubscription
  .extend({
    renewal_under_way: z
      .boolean()
      .describe('A renewal was sent to the payment processor before this took effect: it may still be charged.'),
  })
  .meta({ id: 'ChangedPortalSubscription' });
export type ChangedPortalSubscription = z.infer<typeof changedPortalSubscription>;

/** The answer to a new card. */
export const portalSubscriptionWithNewCard = changedPortalSubscription
  .extend({
    payment_method: z.object({
      status: z.enum(['saved', 'requires_action', 'processing']),
      url: z.string().nullable().describe('Where the buyer confirms the card at the bank, with `requires_action`.'),
      client_secret: z
        .string()
        .optional()
        .describe(
          'Of `continue`, with `requires_action` and without `url`: run `stripe.handleNextAction({ clientSecret })`, then `continue`.',
        ),
    }),
    renewal_confirmation: z
      .object({
        url: z.string().nullable().describe('Where the buyer confirms the charge at the bank.'),
        client_secret: z.string().optional().describe('Without `url`: as that of `payment_method`.'),
      })
      .nullable()
      .describe(
        'Of `continue`: the past-due payment was charged to the saved card, and the bank wants the buyer to confirm it. Null while none waits.',
      ),
  })
  .meta({ id: 'PortalSubscriptionWithNewCard' });
export type PortalSubscriptionWithNewCard = z.infer<typeof portalSubscriptionWithNewCard>;

export const portalPaymentMethodBody = z
  .strictObject({
    paymentMethod: paymentMethodToken.describe('The processor’s token for the new card.'),
    confirmsByScript: z.boolean().optional().describe('As of `payCheckout`.'),
  })
  .meta({ id: 'PortalPaymentMethodPut' });

export const portalCancelBody = z
  .strictObject({ at: z.enum(['now', 'period_end']) })
  .meta({ id: 'PortalSubscriptionCancel' });

export const portalOrderQuery = pageQueryOf(idSchema('order'));
export const portalSubscriptionQuery = pageQueryOf(idSchema('subscription'));

/** The orders of one buyer, whose email compares lower-cased and whole. */
const ofBuyer = z.object({
  email: emailAddress,
  /** Whether rehearsals are among them. */
  test: z.boolean(),
});

/** Newest first, without orders whose hold was lost. Another buyer's order is as unknown to `before` as one that never was. */
export const listBuyerOrders = defineRequest('read', 'checkout', 'buyer-orders.list', {
  input: portalOrderQuery.extend(ofBuyer.shape),
  output: listOf(portalOrder),
});

/** @throws DomainError order_not_found, for an order of another buyer as well */
export const getBuyerOrder = defineRequest('read', 'checkout', 'buyer-orders.get', {
  input: ofBuyer.extend({ orderId: z.string() }),
  output: portalOrder.extend({
    product_id: z.string(),
    customer_email: z.string(),
    customer_name: z.string(),
    items: z.array(orderLine),
    immediate_access: z.string().nullable().default(null),
    /** What went back of the order and of its renewals, oldest first. */
    refunds: z.array(
      z.object({ payment_id: z.string(), renewal: z.boolean(), amount_cents: z.int(), refunded_at: timestamp }),
    ),
  }),
});

/** Whether the address has bought from this seller, and whether in a rehearsal. */
export const findBuyer = defineRequest('read', 'checkout', 'buyer-orders.find', {
  input: z.object({ email: emailAddress }),
  output: z.object({ bought: z.boolean(), rehearsed: z.boolean() }),
});
