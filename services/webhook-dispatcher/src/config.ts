import { commonSettings, integerSetting, parseConfig, switchSetting } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...commonSettings,
    /** One connection holds the lock that shows that this process lives; the others run the statements. */
    DATABASE_POOL_MAX: integerSetting(3, 100, 10),
    /** Signing secrets are stored encrypted under a key derived from this. */
    SECRETS_KEY: z.string().min(32),
    /** Allows deliveries to loopback addresses; for development. */
    WEBHOOKS_ALLOW_LOOPBACK: switchSetting('disabled'),
    /** Covers the whole exchange: look-up, connection, request and response. */
    ATTEMPT_TIMEOUT_SECONDS: integerSetting(1, 60, 15),
    /** How long a claimed delivery belongs to its process: four times an attempt, so that it may wait in a queue. */
    LEASE_SECONDS: integerSetting(2, 600, 60),
  })
  .refine((config) => config.LEASE_SECONDS > config.ATTEMPT_TIMEOUT_SECONDS, {
    path: ['LEASE_SECONDS'],
    message: 'must be longer than ATTEMPT_TIMEOUT_SECONDS',
  });
export type WebhookDispatcherConfig = z.infer<typeof configSchema>;

export function readConfig(env: Record<string, string | undefined> = process.env): WebhookDispatcherConfig {
  return parseConfig(configSchema, env);
}
