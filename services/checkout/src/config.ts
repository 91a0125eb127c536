import { emailSettings, hasSender, senderMissing } from '@app/email/settings';
import { commonSettings, configReader, integerSetting } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...commonSettings,
    ...emailSettings,
    /** How the outside reaches the gateway: links in emails begin with it. */
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .transform((url) => url.replace(/\/+$/, ''))
      .default('http://127.0.0.1:3000'),
    /** How many reminders one account may send in 24 hours: a stolen or hostile account writes to no more people. */
    REMINDERS_PER_DAY: z.coerce.number().int().min(0).max(1_000_000).default(500),
    /** The same of all accounts together; 0 for no bound. */
    DEPLOYMENT_REMINDERS_PER_DAY: integerSetting(0, 100_000_000, 20_000),
    /** How many open checkouts one account may have: the oldest give way to new ones, those without an email first. */
    OPEN_CHECKOUTS_PER_ACCOUNT: integerSetting(100, 10_000_000, 50_000),
  })
  .refine(hasSender, senderMissing);
export type CheckoutConfig = z.infer<typeof configSchema>;
export const readConfig = configReader(configSchema);
