import { commonSettings, integerSetting, parseConfig, switchSetting } from '@app/service-kit/config';
import { z } from 'zod';

export const configSchema = z
  .object({
    ...commonSettings,
    /** One connection tells others that this process lives; the rest do the work. */
    DATABASE_POOL_MAX: integerSetting(3, 100, 10),
    /** Signing secrets are stored encrypted under a key derived from this. */
    SECRETS_KEY: z.string().min(32),
    /** Lets deliveries reach this very machine; for development. */
    WEBHOOKS_ALLOW_LOOPBACK: switchSetting('disabled'),
    /** The whole exchange: look-up, connection, request, answer. */
    ATTEMPT_TIMEOUT_SECONDS: integerSetting(1, 60, 15),
    /** How long a delivery belongs to the process that took it; four times an attempt leaves room for a queue. */
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
