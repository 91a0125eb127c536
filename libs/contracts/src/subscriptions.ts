import { z } from 'zod';
import { walletOfCard } from './card-wallets.ts';
import { emailAddress, listOf, pageQueryOf, timestamp } from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { paymentMethodToken, paymentResource } from './payments.ts';
import { billingInterval } from './products.ts';
import { processorCalls } from './time-outs.ts';

const subscriptionStatus = z.enum(['active', 'past_due', 'paused', 'canceled']);

/** `automatic` renews by itself; `external` is collected by the seller and never charged by us. */
const collectionMethod = z.enum(['automatic', 'external']);

/** Whose act it is. */
const actBy = z.enum(['seller', 'buyer']);

export const subscriptionResource = z
  .object({
    id: idSchema('subscription'),
    order_id: idSchema('order'),
    product_id: idSchema('product'),
    product_name: z.string(),
    customer_email: z.string(),
    amount_cents: z
      .int()
      .describe('What each renewal costs: the price of the product at the sale, without bumps and discount.'),
    currency: z.string(),
    billing_interval: billingInterval,
    status: subscriptionStatus,
    collection: collectionMethod,
    started_at: timestamp,
    current_period_end: timestamp.describe(
      'Of an `external` one the end of the period that it is in now, or was in when it was paused or canceled: the seller collects its periods, so each counts as paid.',
    ),
    canceled_at: timestamp.nullable(),
    paused_at: timestamp.nullable(),
    paused_by: actBy
      .nullable()
      .default(null)
      .describe('Who paused it: a buyer does not resume what the seller has paused. Null: it is not paused.'),
    cancel_at: timestamp
      .nullable()
      .describe(
        'When it is canceled for the end of its period: that end. The next daily run from then on ends it; until then it is `active`.',
      ),
    next_charge_at: timestamp
      .nullable()
      .describe(
        'When the next daily run charges it; after a decline the beginning of the third UTC day. Null when it has a `cancel_at`, or is paused, canceled or `external`.',
      ),
    failed_tries: z.int().describe('Failed attempts of the current renewal; the fourth cancels.'),
    last_four: z.string().nullable().describe('Of the card that renewals are charged to, where known.'),
    wallet: walletOfCard,
    test: z.boolean(),
  })
  .meta({ id: 'Subscription' });
export type SubscriptionResource = z.infer<typeof subscriptionResource>;

/** The answer to an action on a subscription. */
const changedSubscription = subscriptionResource
  .extend({
    renewal_under_way: z
      .boolean()
      .describe(
        'A charge for a renewal was sent to the payment processor before this took effect, and its outcome is not known yet: it may take the money, and is recorded as it ends. `false`: none was.',
      ),
  })
  .meta({ id: 'ChangedSubscription' });

/** A period, newest first. The first one was paid with the order. */
const subscriptionPeriod = z.object({
  period: z.int(),
  starts_at: timestamp,
  ends_at: timestamp,
  amount_cents: z.int(),
  status: z.enum(['paid', 'processing', 'failed']),
  paid_at: timestamp.nullable(),
});

export const cardChange = z
  .object({
    status: z.enum(['requires_action', 'processing', 'declined']),
    url: z.string().nullable().describe('Where the buyer confirms the card at the bank.'),
  })
  .nullable()
  .describe('The newest card that was given, while it is not saved; for an hour after it was declined.');

/** `periods` and `payments`: the latest 100 each. */
export const subscriptionWithHistory = subscriptionResource
  .extend({
    periods: z.array(subscriptionPeriod),
    payments: z.array(paymentResource).describe('Every attempt to charge a renewal, newest first.'),
    card_change: cardChange,
  })
  .meta({ id: 'SubscriptionWithHistory' });
export type SubscriptionWithHistory = z.infer<typeof subscriptionWithHistory>;

export const listSubscriptions = defineRequest('read', 'billing', 'subscriptions.list', {
  input: pageQueryOf(idSchema('subscription')).extend({
    status: subscriptionStatus.optional(),
    collection: collectionMethod.optional(),
    productId: idSchema('product').optional(),
    email: emailAddress.optional(),
    test: z.enum(['true', 'false']).optional().describe('`true`: only those of rehearsals.'),
  }),
  output: listOf(subscriptionResource),
});
export const getSubscription = defineRequest('read', 'billing', 'subscriptions.get', {
  input: z.object({ subscriptionId: z.string() }),
  output: subscriptionWithHistory,
});

const ofSubscription = z.object({ subscriptionId: z.string() });
/** Who acts, the seller unless given; no caller of the API sets it. */
const by = actBy.optional();

const cancelSubscriptionBody = z
  .strictObject({
    at: z
      .enum(['now', 'period_end'])
      .optional()
      .describe('`now` unless given. At `period_end` one that is not `active`, or whose period is over, ends now too.'),
  })
  .meta({ id: 'SubscriptionCancellation' });
/** Ends it now, or at the end of its period. A repeated request answers the same, and publishes no second event. */
export const cancelSubscription = defineRequest('command', 'billing', 'subscriptions.cancel', {
  input: ofSubscription.extend({
    body: cancelSubscriptionBody.optional(),
    by,
  }),
  output: changedSubscription,
});
/**
 * Takes back a cancellation for the end of the period. One that renews stays as it is.
 * @throws DomainError invalid_transition for a canceled one
 */
export const keepSubscription = defineRequest('command', 'billing', 'subscriptions.keep', {
  input: ofSubscription,
  output: changedSubscription,
});
/**
 * Stops renewals and their attempts.
 * @throws DomainError invalid_transition for one that is canceled, also for the end of its period
 */
export const pauseSubscription = defineRequest('command', 'billing', 'subscriptions.pause', {
  input: ofSubscription.extend({ by }),
  output: changedSubscription,
});
/**
 * Before its date it keeps that; later it is due now, with a new anchor. One whose renewal had failed is past due again.
 * @throws DomainError invalid_transition for a canceled one, not_allowed_by_seller for a buyer where the seller has paused it
 */
export const resumeSubscription = defineRequest('command', 'billing', 'subscriptions.resume', {
  input: ofSubscription.extend({ by }),
  output: changedSubscription,
});

const putPaymentMethodBody = z
  .strictObject({ paymentMethod: paymentMethodToken.describe('The processor’s token for the buyer’s new card.') })
  .meta({ id: 'SubscriptionPaymentMethod' });
/** The answer to a new card. Until it is saved renewals go to the card before it. */
const subscriptionWithNewCard = changedSubscription
  .extend({
    payment_method: z.object({
      status: z
        .enum(['saved', 'requires_action', 'processing'])
        .describe(
          '`requires_action`: saved once the buyer confirms it at `url`, within a day. `processing`: the payment processor has not answered yet.',
        ),
      url: z.string().nullable(),
    }),
  })
  .meta({ id: 'SubscriptionWithNewCard' });

/** While payment is past due, a saved card is charged at once; otherwise the next daily run does it. No caller of the API sets it. */
const chargeNow = z.boolean().optional();

/**
 * Saves a card at the payment processor, and replaces the one before it once it is saved. While payment is past due, the new
 * card gets one attempt that does not count. An `external` subscription becomes `automatic` by it, charged from its next period on.
 * @throws DomainError card_declined at the field `paymentMethod`: the card before it stays. The field's code is a `declineReason`
 */
export const putPaymentMethod = defineRequest('command', 'billing', 'subscriptions.put-payment-method', {
  input: ofSubscription.extend({
    body: putPaymentMethodBody,
    /** Where the bank sends the buyer back to; no caller of the API sets it. */
    returnUrl: z.string().nullable().optional(),
    /** The buyer's page runs the processor's script, which shows the bank over it; no caller of the API sets it. */
    confirmsByScript: z.boolean().optional(),
    chargeNow,
  }),
  output: subscriptionWithNewCard,
  // The card; a renewal that waits for its buyer, which is looked up, released and looked up again where it is for the card before this one.
  // With `chargeNow` the processor's newest payments are read as well, for as long as that takes, and what is past due is charged: whoever waits
  // longer than this may get `outcome_unknown`, and a repetition the outcome.
  ...processorCalls(4),
});
/**
 * How the newest card stands that was given: the processor is queried once the buyer is back from the bank.
 * @throws DomainError card_declined as above; invalid_transition where no card was given
 */
export const continuePaymentMethod = defineRequest('command', 'billing', 'subscriptions.continue-payment-method', {
  input: ofSubscription.extend({ chargeNow }),
  output: subscriptionWithNewCard.extend({
    /** With `requires_action` and without `url`: what the processor's script confirms with, whose alone it is. */
    clientSecret: z.string().optional(),
    /**
     * Where the buyer confirms the charge of a renewal that the bank wants confirmed; null while none waits. Without `url` the
     * processor's script confirms, with `clientSecret`. Both are the buyer's alone.
     */
    renewalConfirmation: z.object({ url: z.string().nullable(), clientSecret: z.string().optional() }).nullable(),
  }),
  // The card, the reading and the charge as above, and what the buyer confirms the charge with.
  ...processorCalls(4),
});

/** An order of a subscription product started a subscription. */
export const subscriptionStarted = defineEvent(
  'billing',
  'subscription.started',
  1,
  z.object({
    subscriptionId: z.string(),
    orderId: z.string(),
    productId: z.string(),
    customerEmail: z.string(),
    amountCents: z.int(),
    currency: z.string(),
    billingInterval,
    startedAt: timestamp,
    test: z.boolean(),
  }),
);

/** What events of a subscription say of it; `amountCents` is the price of a period. */
const aboutSubscription = {
  subscriptionId: z.string(),
  orderId: z.string(),
  productId: z.string(),
  productName: z.string(),
  customerEmail: z.string(),
  amountCents: z.int(),
  currency: z.string(),
  billingInterval,
  /** What the subscription is worth a month: a yearly price ÷ 12, half up. */
  mrrCents: z.int(),
  test: z.boolean(),
};

/** The states that a subscription leaves; monthly recurring revenue counts active ones. */
const livingStatus = z.enum(['active', 'past_due', 'paused']);

/**
 * A subscription ended: by the seller or the buyer, with the refund of its order, with a lost dispute of a payment of it, or after
 * the fourth failed attempt.
 */
export const subscriptionCanceled = defineEvent(
  'billing',
  'subscription.canceled',
  1,
  z.object({
    ...aboutSubscription,
    canceledAt: timestamp,
    /** Which state it left. */
    statusBefore: livingStatus,
    /** Who ended it. */
    reason: z.enum(['seller', 'buyer', 'refund', 'dispute', 'payment_failed']),
    /** False: it is in numbers and not sent to webhooks, as published. */
    sendWebhook: z.boolean(),
  }),
);

/**
 * A renewal was charged, or its period costs nothing. The published name is `rebilled`; the code says renewal.
 * `statusBefore`: `past_due` when earlier attempts of it had failed.
 */
export const subscriptionRebilled = defineEvent(
  'billing',
  'subscription.rebilled',
  1,
  z.object({
    ...aboutSubscription,
    /** Null for a period that costs nothing. */
    paymentId: z.string().nullable(),
    /** Its number; the period that the order paid is 1. */
    period: z.int(),
    periodStart: timestamp,
    periodEnd: timestamp,
    /** The number of the attempt. */
    attempt: z.int(),
    statusBefore: livingStatus,
    /** `canceled` or `paused` when the charge was under way at that moment. */
    statusAfter: z.enum(['active', 'paused', 'canceled']),
    chargedAt: timestamp,
    /** Of the card that was charged; null where none was or it is not known. Earlier versions did not say. */
    lastFour: z.string().nullable().optional(),
    wallet: walletOfCard,
    /** Whether the buyer's order named an affiliate: only then does an affiliate earn. */
    affiliateNamed: z.boolean(),
  }),
);

/** A renewal was declined. `nextTryDays` is 0 after the fourth attempt, which cancels, and while paused; 1 when the card was replaced meanwhile. */
export const subscriptionPaymentFailed = defineEvent(
  'billing',
  'subscription.payment-failed',
  1,
  z.object({
    ...aboutSubscription,
    /** Null when the processor was not called: the card is lost, stolen or expired, and was not replaced. */
    paymentId: z.string().nullable(),
    period: z.int(),
    attempt: z.int(),
    nextTryDays: z.int(),
    statusBefore: livingStatus,
    statusAfter: z.enum(['past_due', 'paused', 'canceled']),
    /** The processor's code. */
    reason: z.string(),
    failedAt: timestamp,
  }),
);

export const subscriptionPaused = defineEvent(
  'billing',
  'subscription.paused',
  1,
  z.object({ ...aboutSubscription, statusBefore: livingStatus, pausedAt: timestamp }),
);

export const subscriptionResumed = defineEvent(
  'billing',
  'subscription.resumed',
  1,
  z.object({
    ...aboutSubscription,
    /** `past_due`: a renewal had failed before it was paused, or was under way then and failed. */
    statusAfter: z.enum(['active', 'past_due']).default('active'),
    nextChargeAt: timestamp.nullable(),
    resumedAt: timestamp,
  }),
);
