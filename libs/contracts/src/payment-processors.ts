import { z } from 'zod';
import { ifVersion, limits, rawText, timestamp, version } from './common.ts';
import { defineRequest } from './define.ts';
import { processorCalls } from './time-outs.ts';

export const processorName = z.enum(['simulated', 'stripe']);
/** Whose card fields a buyer’s page shows. `none`: the seller takes no payments. */
export const cardProcessor = z.enum([...processorName.options, 'none']);

const walletStatus = z.enum(['active', 'inactive']);

/** A key pair of the account's own Stripe account, for one mode. Its secret key is never shown. */
const stripeKeys = z
  .object({
    account: z.string().describe('The Stripe account that the keys are of.'),
    account_name: z.string().nullable().describe('Null also where a restricted key may not read it.'),
    publishable_key: z.string().describe('What the buyer’s page needs to take a card.'),
    stored_at: timestamp.describe('When this pair was stored.'),
    settlement_currency: z
      .string()
      .nullable()
      .describe(
        'The default currency that the Stripe account is paid out in: its smallest charges are in it. Null also where a restricted key may not read it.',
      ),
    missing_permissions: z
      .array(z.string())
      .describe(
        'What a restricted key may not do and would have to, as “Disputes: read”. A key without what renewals need is not stored (422).',
      ),
    charges_enabled: z
      .boolean()
      .nullable()
      .default(null)
      .describe(
        'Whether Stripe takes payments for the account, as read when the keys were stored, daily, and when Stripe says that it changed. Null where a restricted key may not read it, and for rehearsals.',
      ),
    disabled_reason: z.string().nullable().default(null).describe('Why not, in Stripe’s words.'),
    requirements_due: z
      .array(z.string())
      .default([])
      .describe('What Stripe wants of the seller now, in Stripe’s words, as `company.tax_id`.'),
    account_checked_at: timestamp.nullable().default(null).describe('When that was read.'),
    webhooks: z
      .enum(['active', 'by_hand', 'pending', 'not_permitted', 'no_public_url', 'refused'])
      .describe(
        'The endpoint at Stripe whose events make outcomes known sooner. `active`: the platform made it. `by_hand`: you did, and stored its signing secret. `pending`: it is being made. `not_permitted`: the key may not; give it the permission “Webhook Endpoints: write” and store it again. `no_public_url`: Stripe does not reach this deployment. `refused`: Stripe refuses the endpoint.',
      ),
    left_endpoints: z
      .array(z.string())
      .describe(
        'Endpoints that the platform made, as `we_… (acct_…)`, and may not delete any more: delete them at Stripe.',
      ),
    last_event_at: timestamp.nullable(),
    wallets: z
      .object({
        status: z
          .enum(['registered', 'pending', 'not_permitted', 'no_public_url'])
          .describe(
            '`registered`: the platform has registered the domains at Stripe. `pending`: it is about to. `not_permitted`: the key may not; give it the permission “Payment Method Domains: write” and store it again. `no_public_url`: no page of this deployment has a public https address.',
          ),
        domains: z.array(
          z.object({
            domain: z.string(),
            apple_pay: walletStatus,
            google_pay: walletStatus,
            detail: z.string().nullable().describe('Stripe’s words where one is not shown.'),
          }),
        ),
      })
      .optional()
      .describe('Where Apple Pay and Google Pay are shown: at this deployment’s domain, and at that of `checkoutUrl`.'),
  })
  .meta({ id: 'StripeKeys' });
export type StripeKeys = z.infer<typeof stripeKeys>;

const paymentProcessorResource = z
  .object({
    processor: cardProcessor.describe('`none`: the account takes no live payments until it chooses one.'),
    /** Secrets are sealed and never shown again; this says which are stored. */
    secrets: z.array(z.string()),
    updated_at: timestamp.nullable().describe('Null while nothing was chosen.'),
    version,
    stripe: z
      .object({
        live: stripeKeys.nullable().describe('For live payments.'),
        test: stripeKeys.nullable().describe('For rehearsals, which are simulated without it.'),
      })
      .nullable()
      .describe('The Stripe accounts that new payments go to, once `stripe` was chosen; null before.'),
  })
  .meta({ id: 'PaymentProcessor' });

/** What a buyer’s page needs to take a card. */
export const cardFields = {
  processor: cardProcessor.describe(
    'Whose card fields the page shows, in the mode of the purchase. `none`: the seller takes no payments yet.',
  ),
  publishableKey: z
    .string()
    .nullable()
    .describe('With which Stripe’s script makes a confirmation token, the `paymentMethod`; null unless `stripe`.'),
};
export const savesCard = z
  .boolean()
  .describe(
    'The card is kept for later charges (renewals, an upsell): the page says so, and Stripe’s element is made with `setupFutureUsage: "off_session"`.',
  );

/** How a buyer of the account gives a card. */
export interface CardProcessor {
  readonly processor: z.infer<typeof cardProcessor>;
  /** Null unless `stripe`. */
  readonly publishableKey: string | null;
}

/** What the chosen processor takes cards with. Rehearsals are simulated where no keys for them are stored. @param test of a rehearsal */
export function cardProcessorOf(
  chosen: Pick<z.infer<typeof paymentProcessorResource>, 'processor' | 'stripe'>,
  test: boolean,
): CardProcessor {
  const keys = chosen.processor === 'stripe' ? (chosen.stripe?.[test ? 'test' : 'live'] ?? null) : null;
  if (keys !== null) return { processor: 'stripe', publishableKey: keys.publishable_key };
  if (test) return { processor: 'simulated', publishableKey: null };
  return { processor: chosen.processor === 'stripe' ? 'none' : chosen.processor, publishableKey: null };
}

const keyPair = z
  .strictObject({
    secretKey: rawText(limits.url, 1).describe('A secret or a restricted key.'),
    publishableKey: rawText(limits.url, 1),
    webhookSecret: rawText(limits.url, 1)
      .nullable()
      .optional()
      .describe(
        'The signing secret of an endpoint that you made at Stripe, where the platform could not. Left out, a stored one stays. `null`: the platform makes the endpoint again; delete yours at Stripe.',
      ),
  })
  .meta({ id: 'StripeKeyPair' });

const putPaymentProcessorBody = z
  .strictObject({
    processor: z
      .enum([...processorName.options, 'none'])
      .describe('`none` takes no new live payments; what is open goes on.'),
    secretKey: rawText(limits.url, 1)
      .optional()
      .describe('Of the simulated processor, which takes any text. Left out, a stored one stays.'),
    live: keyPair.optional().describe('Of Stripe, for live payments. Left out, stored ones stay.'),
    test: keyPair.optional().describe('Of Stripe, for rehearsals. Left out, stored ones stay.'),
  })
  .meta({ id: 'PaymentProcessorPut' });

export const getPaymentProcessor = defineRequest('read', 'billing', 'payment-processor.get', {
  input: z.object({}),
  output: paymentProcessorResource,
});
export const putPaymentProcessor = defineRequest('command', 'billing', 'payment-processor.put', {
  input: z.object({ body: putPaymentProcessorBody, ...ifVersion }),
  output: paymentProcessorResource,
  ...processorCalls(2),
});

/** How an account stands that sells through Stripe, as Stripe says now. */
export const accountAtStripe = z.enum([
  'fine',
  'no_live_key',
  'key_unreadable',
  'key_refused',
  // The key may not show the endpoints of its account.
  'not_permitted',
  'no_answer',
  'no_public_url',
  'no_endpoint',
  'endpoint_disabled',
  // Charges were made, and no event came.
  'no_events',
  // Stripe was not asked: there was no time for it, or this installation may not call it.
  'not_asked',
]);
export type AccountAtStripe = z.infer<typeof accountAtStripe>;

/** Asks Stripe about every account that sells through it: for the operator, who reads counts and some ids, and no key. */
export const examineStripe = defineRequest('read', 'billing', 'payment-processor.examine-stripe', {
  input: z.object({}),
  output: z.object({
    states: z.array(
      z.object({
        state: accountAtStripe,
        accounts: z.int(),
        /** Ids of some of them. */
        examples: z.array(z.string()),
      }),
    ),
    /** Of all their live accounts; null where none ever came. */
    last_event_at: timestamp.nullable(),
  }),
  ...processorCalls(2),
});
export type StripeExamination = z.infer<typeof examineStripe.output>;
