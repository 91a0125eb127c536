import { z } from 'zod';
import { limits, rawText, timestamp } from './common.ts';
import { defineRequest } from './define.ts';

export const processorName = z.enum(['simulated', 'stripe']);

/** A key pair of the account's own Stripe account, for one mode. Its secret key is never shown. */
const stripeKeys = z
  .object({
    account: z.string().describe('The Stripe account that the keys are of.'),
    account_name: z.string().nullable(),
    publishable_key: z.string().describe('What the buyer’s page needs to take a card.'),
    missing_permissions: z.array(z.string()).describe('What a restricted key may not do and would have to.'),
    webhooks: z
      .enum(['active', 'pending', 'not_permitted', 'no_public_url', 'refused'])
      .describe(
        'Whether the signing secret of an endpoint at Stripe is stored, by whose events outcomes are known sooner: `active`. `pending`: it is not.',
      ),
    last_event_at: timestamp.nullable(),
  })
  .meta({ id: 'StripeKeys' });
export type StripeKeys = z.infer<typeof stripeKeys>;

const paymentProcessorResource = z
  .object({
    processor: z
      .enum([...processorName.options, 'none'])
      .describe('`none`: the account takes no live payments until it chooses one.'),
    /** Secrets are sealed and never shown again; this says which are stored. */
    secrets: z.array(z.string()),
    updated_at: timestamp.nullable().describe('Null while nothing was chosen.'),
    stripe: z
      .object({
        live: stripeKeys.nullable().describe('For live payments.'),
        test: stripeKeys.nullable().describe('For rehearsals, which are simulated without it.'),
      })
      .nullable()
      .describe('The Stripe accounts that new payments go to, once `stripe` was chosen; null before.'),
  })
  .meta({ id: 'PaymentProcessor' });

const keyPair = z
  .strictObject({
    secretKey: rawText(limits.url, 1).describe('A secret or a restricted key.'),
    publishableKey: rawText(limits.url, 1),
    webhookSecret: rawText(limits.url, 1)
      .optional()
      .describe(
        'The signing secret of an endpoint that you made at Stripe, where the platform could not. Left out, a stored one stays.',
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
  input: z.object({ body: putPaymentProcessorBody }),
  output: paymentProcessorResource,
});
