import { hasSender, senderMissing, smtpSettings } from '@app/email/settings';
import { commonSettings, configReader, integerSetting, switchSetting } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...commonSettings,
    /** One connection holds the lock that shows that this process lives; the others run the statements. */
    DATABASE_POOL_MAX: integerSetting(3, 100, 10),
    /** Signing secrets are stored encrypted under a key derived from this. */
    SECRETS_KEY: z.string().min(32),
    /** The one before, while it is being rotated. */
    SECRETS_KEY_PREVIOUS: z.string().min(32).optional(),
    /** Allows deliveries to loopback addresses: every account reaches every port of this machine. For development. */
    WEBHOOKS_ALLOW_LOOPBACK: switchSetting('disabled'),
    /** Covers the whole exchange: look-up, connection, request and response. */
    ATTEMPT_TIMEOUT_SECONDS: integerSetting(1, 60, 15),
    /** How long a claimed delivery belongs to its process: four times an attempt, so that it may wait in a queue. */
    LEASE_SECONDS: integerSetting(2, 600, 60),
    /** How often one replica proves that no event and no delivery is lost. */
    CONSERVATION_SECONDS: integerSetting(1, 3_600, 60),
    /** Deliveries of one account to one host, endpoints and automations together, over all replicas; 0: no bound. */
    WEBHOOKS_PER_SECOND: integerSetting(0, 1_000_000, 100),
    ...smtpSettings,
    /** Where automations write emails as files while there is no SMTP_URL; without both they send none. */
    EMAIL_DIR: z.string().min(1).optional(),
    /** How the outside reaches the gateway: links in emails begin with it, and the address of a shop's logo. */
    PUBLIC_URL: z
      .url({ protocol: /^https?$/, error: 'must be an http:// or https:// URL' })
      .transform((url) => url.replace(/\/+$/, ''))
      .default('http://127.0.0.1:3000'),
    /** Whether automations use the mail server: sellers of an older deployment may send receipts themselves. */
    AUTOMATION_EMAILS: switchSetting('enabled'),
    /** How many emails the automations of one account may send in a UTC day: a stolen account writes to no more people. */
    EMAILS_PER_DAY: integerSetting(0, 1_000_000, 2_000),
    /** The same of all accounts together; 0 for no bound: many accounts of one sender write to no more people. */
    DEPLOYMENT_EMAILS_PER_DAY: integerSetting(0, 100_000_000, 20_000),
  })
  .refine(hasSender, senderMissing)
  .refine((config) => config.SECRETS_KEY_PREVIOUS !== config.SECRETS_KEY, {
    path: ['SECRETS_KEY_PREVIOUS'],
    message: 'must be another value than SECRETS_KEY',
  })
  .refine((config) => config.LEASE_SECONDS > config.ATTEMPT_TIMEOUT_SECONDS, {
    path: ['LEASE_SECONDS'],
    message: 'must be longer than ATTEMPT_TIMEOUT_SECONDS',
  });
/** Bounds of the work in the background. No deployment sets them; tests make them small. */
export interface WorkLimits {
  /** Deliveries of an endpoint that was changed, of one transaction, which takes about 20 ms; a change waits no longer. */
  readonly changeBatchMax: number;
  /** Between two searches for what is held for an endpoint that has taken a delivery since. */
  readonly releaseIntervalMs: number;
}
export const usualLimits: WorkLimits = { changeBatchMax: 1_000, releaseIntervalMs: 5_000 };

export type WebhookDispatcherConfig = z.infer<typeof configSchema> & { readonly limits?: Partial<WorkLimits> };

export const readConfig = configReader(configSchema);
