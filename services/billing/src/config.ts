import { processorDeadlineMs } from '@app/contracts/time-outs';
import { commonSettings, configReader, integerSetting, switchSetting } from '@app/service-kit/config';
import { z } from 'zod';
import { simulatedModes } from './processors/processor-registry.ts';

export const configSchema = z
  .object({
    ...commonSettings,
    /** How long a call of a payment processor may take; after that its outcome is unknown until the processor is queried. */
    PROCESSOR_DEADLINE_MS: integerSetting(100, 60_000, processorDeadlineMs),
    /** A daily run holds one connection for its lock beside those that its work takes; the run over all accounts two. */
    DATABASE_POOL_MAX: integerSetting(3, 100, 10),
    /** Accounts' API keys of payment processors are stored encrypted under a key derived from this. */
    SECRETS_KEY: z.string().min(32),
    /** The one before, while it is being rotated. */
    SECRETS_KEY_PREVIOUS: z.string().min(32).optional(),
    /** Whether accounts may sell live through the simulated processor: see `SimulatedMode`. */
    SIMULATED_PROCESSOR: z.enum(simulatedModes).default('enabled'),
    /** Whether accounts may choose Stripe. */
    STRIPE_PROCESSOR: switchSetting('enabled'),
    /** Requests of an account to one endpoint of Stripe, over all replicas. Stripe allows 25. */
    STRIPE_REQUESTS_PER_SECOND: integerSetting(1, 1_000, 20),
    /** Where Stripe's API is. */
    STRIPE_API_URL: z.url({ protocol: /^https?$/ }).default('https://api.stripe.com'),
    /** The gateway's address, to which Stripe sends events. */
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    /** How long the simulated processor takes for `sim_slow`, in milliseconds. */
    SIMULATED_SLOW_MS: integerSetting(0, 60_000, 3_000),
  })
  .refine((config) => config.SECRETS_KEY_PREVIOUS !== config.SECRETS_KEY, {
    path: ['SECRETS_KEY_PREVIOUS'],
    message: 'must be another value than SECRETS_KEY',
  });
export type BillingConfig = z.infer<typeof configSchema>;
export const readConfig = configReader(configSchema);
