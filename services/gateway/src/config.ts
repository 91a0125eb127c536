import { emailSettings, hasSender, senderMissing } from '@app/email/settings';
import { commonSettings, configReader, integerSetting } from '@app/service-kit/config';
import { z } from 'zod';

const secret = z.string().min(32, 'must be at least 32 characters');

/** As RFC 9116 has it. */
const contactSetting = z
  .string()
  .regex(/^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+|tel:\+?[\d-]+)$/, 'must be a mailto:, https: or tel: address');

export const configSchema = z
  .object({
    ...commonSettings,
    ...emailSettings,
    PORT: integerSetting(0, 65_535, 3000),
    HOST: z.string().default('127.0.0.1'),
    /** How the outside reaches this deployment; left out, it is where each connection ends. */
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .transform((url) => url.replace(/\/+$/, ''))
      .optional(),
    /** Number of proxies in front whose X-Forwarded-For is believed. */
    TRUST_PROXY: integerSetting(0, 10, 0),
    /** Connections at once; half of what the process may have open when that is less. */
    MAX_CONNECTIONS: integerSetting(10, 100_000, 4_000),
    /** A file for Apple, by which it knows that wallets may be shown at this deployment's domain. */
    APPLE_PAY_DOMAIN_FILE: z.string().min(1).optional(),
    /** Who takes reports of security problems, for security.txt. */
    SECURITY_CONTACT: contactSetting.optional(),
    SIGNUP: z.enum(['open', 'closed']).default('open'),
    /** Attempts to make an account from one IP address in an hour; 0 for no bound. */
    SIGNUPS_PER_HOUR: integerSetting(0, 1_000_000, 20),
    /** Requests a minute for each account; 0 switches every rate limit off. */
    RATE_LIMIT_PER_MINUTE: integerSetting(0, 1_000_000, 600),
    /** What the answers under an account's Idempotency-Keys may take in a day, in MiB; 0 for no bound. */
    IDEMPOTENCY_MB_PER_DAY: integerSetting(0, 1_000_000, 200),
    /** Emails that verify an address or reset a password, of all accounts together in a day. */
    LETTERS_PER_DAY: integerSetting(0, 1_000_000, 2_000),
    /** Secret under which API keys are stored; changing it makes every key unknown. */
    KEY_PEPPER: secret,
    /** The one before, while it is being rotated. */
    KEY_PEPPER_PREVIOUS: secret.optional(),
    /** Key of the deployment itself, for the daily job of all accounts. */
    PLATFORM_KEY: secret.optional(),
  })
  .refine(hasSender, senderMissing)
  .refine((config) => config.KEY_PEPPER_PREVIOUS !== config.KEY_PEPPER, {
    path: ['KEY_PEPPER_PREVIOUS'],
    message: 'must be another value than KEY_PEPPER',
  });
export type GatewayConfig = z.infer<typeof configSchema>;
export const readConfig = configReader(configSchema);
