import type { ServiceName } from '@app/contracts/services';
import { serviceNames } from '@app/contracts/services';
import { type NatsPasswordVariable, natsPasswordVariable } from '@app/messaging/permissions';
import { integerSetting, parseConfig, switchSetting, telemetrySettings } from '@app/service-kit/config';
import { z } from 'zod';

/** An existing nats-server's users, as `deploy/nats/nats.conf` names their passwords. */
const natsPasswords = Object.fromEntries(
  serviceNames.map((service) => [natsPasswordVariable(service), z.string().min(1).optional()]),
) as Record<NatsPasswordVariable, z.ZodOptional<z.ZodString>>;

export const configSchema = z.object({
  ...natsPasswords,
  PORT: integerSetting(0, 65_535, 3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('.data'),
  CLOCK_CONTROL: switchSetting('disabled'),
  WEBHOOKS_ALLOW_LOOPBACK: switchSetting('enabled'),
  SIGNUP: z.enum(['open', 'closed']).default('open'),
  RATE_LIMIT_PER_MINUTE: integerSetting(0, 1_000_000, 600),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  SMTP_URL: z.string().min(1).optional(),
  EMAIL_FROM: z.string().min(1).optional(),
  EMAIL_DIR: z.string().min(1).optional(),
  /** Whether automations, built-in ones among them, use the mail server. */
  AUTOMATION_EMAILS: switchSetting('enabled'),
  /** How many emails the automations of one account may send in a day. */
  EMAILS_PER_DAY: integerSetting(0, 1_000_000, 2_000),
  /** How many reminders one account may send in 24 hours. */
  REMINDERS_PER_DAY: integerSetting(0, 1_000_000, 500),
  /** Whether accounts may sell live through the simulated processor, which moves no money. */
  SIMULATED_PROCESSOR: z.enum(['default', 'enabled', 'disabled']).default('default'),
  /** How long the simulated processor takes for `sim_slow`, in milliseconds. */
  SIMULATED_SLOW_MS: integerSetting(0, 60_000, 3_000),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Existing servers instead of embedded ones; the PostgreSQL user must be allowed to create roles and databases. */
  NATS_URL: z.string().min(1).optional(),
  POSTGRES_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  HEALTH_PORT: integerSetting(0, 65_535, 0),
  HEALTH_HOST: z.string().min(1).default('127.0.0.1'),
  ...telemetrySettings,
});
export type StandaloneConfig = z.infer<typeof configSchema>;

export const databaseName = (service: ServiceName): string => service.replaceAll('-', '_');

export function readConfig(env: Record<string, string | undefined> = process.env): StandaloneConfig {
  return parseConfig(configSchema, env);
}
