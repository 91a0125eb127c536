import { type NatsPasswordVariable, natsNames, natsPasswordVariable } from '@app/messaging/nats-config';
import { startMinuteOf } from '@app/runs/start-time';
import {
  ConfigError,
  integerSetting,
  parseConfig,
  streamSettings,
  switchSetting,
  telemetrySettings,
} from '@app/service-kit/config';
import { z } from 'zod';
import { isLoopbackHost } from './loopback.ts';

/** An existing nats-server's users, as `deploy/nats/nats.conf` names their passwords. */
const natsPasswords = Object.fromEntries(
  natsNames.map((name) => [natsPasswordVariable(name), z.string().min(1).optional()]),
) as Record<NatsPasswordVariable, z.ZodOptional<z.ZodString>>;

export const configSchema = z.object({
  ...natsPasswords,
  PORT: integerSetting(0, 65_535, 3000),
  HOST: z.string().min(1).default('127.0.0.1'),
  DATA_DIR: z.string().min(1).default('.data'),
  CLOCK_CONTROL: switchSetting('disabled'),
  /** When the daily job of all accounts runs, in UTC; off where a scheduler of your own calls it. */
  DAILY_AT: z
    .string()
    .refine(
      (time) => time === 'off' || startMinuteOf(time) !== undefined,
      'must be a time of day in UTC, such as 03:00, or off',
    )
    .default('03:00'),
  /** Left out: made of the machine and where DATA_DIR is on it. */
  INSTALLATION_ID: z.string().min(1).max(200).optional(),
  /** Left out: enabled while HOST and the host of PUBLIC_URL are loopback, because only this machine's users sign up then. */
  WEBHOOKS_ALLOW_LOOPBACK: z.enum(['enabled', 'disabled']).optional(),
  /** Deliveries of one account to one host; 0: no bound. */
  WEBHOOKS_PER_SECOND: integerSetting(0, 1_000_000, 100),
  APPLE_PAY_DOMAIN_FILE: z.string().min(1).optional(),
  SECURITY_CONTACT: z.string().min(1).optional(),
  SIGNUP: z.enum(['open', 'closed']).default('open'),
  SIGNUPS_PER_HOUR: integerSetting(0, 1_000_000, 20),
  IDEMPOTENCY_MB_PER_DAY: integerSetting(0, 1_000_000, 200),
  RATE_LIMIT_PER_MINUTE: integerSetting(0, 1_000_000, 600),
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** Proxies before the gateway; left out: one where HOST is loopback and PUBLIC_URL is not, because nothing else could reach it. */
  TRUST_PROXY: z.coerce.number().int().min(0).max(10).optional(),
  SMTP_URL: z.string().min(1).optional(),
  EMAIL_FROM: z.string().min(1).optional(),
  EMAIL_DIR: z.string().min(1).optional(),
  /** Whether automations, built-in ones among them, use the mail server. */
  AUTOMATION_EMAILS: switchSetting('enabled'),
  /** How many emails the automations of one account may send in a day. */
  EMAILS_PER_DAY: integerSetting(0, 1_000_000, 2_000),
  /** The same of all accounts together; 0 for no bound. */
  DEPLOYMENT_EMAILS_PER_DAY: integerSetting(0, 100_000_000, 20_000),
  LETTERS_PER_DAY: integerSetting(0, 1_000_000, 2_000),
  /** How many reminders one account may send in 24 hours. */
  REMINDERS_PER_DAY: integerSetting(0, 1_000_000, 500),
  /** The same of all accounts together; 0 for no bound. */
  DEPLOYMENT_REMINDERS_PER_DAY: integerSetting(0, 100_000_000, 20_000),
  /** How many open checkouts one account may have. */
  OPEN_CHECKOUTS_PER_ACCOUNT: integerSetting(100, 10_000_000, 50_000),
  /** Whether accounts may sell live through the simulated processor, which moves no money. */
  SIMULATED_PROCESSOR: z.enum(['default', 'enabled', 'disabled']).default('default'),
  /** How long the simulated processor takes for `sim_slow`, in milliseconds. */
  SIMULATED_SLOW_MS: integerSetting(0, 60_000, 3_000),
  /** Whether accounts may choose Stripe, how fast each calls it, and where its API is. */
  STRIPE_PROCESSOR: switchSetting('enabled'),
  STRIPE_REQUESTS_PER_SECOND: integerSetting(1, 1_000, 20),
  STRIPE_API_URL: z.url({ protocol: /^https?$/ }).default('https://api.stripe.com'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']).default('info'),
  /** Existing servers instead of embedded ones; the PostgreSQL user must be allowed to create roles and databases. */
  NATS_URL: z.string().min(1).optional(),
  POSTGRES_URL: z.url({ protocol: /^postgres(ql)?$/ }).optional(),
  HEALTH_PORT: integerSetting(0, 65_535, 0),
  HEALTH_HOST: z.string().min(1).default('127.0.0.1'),
  ...streamSettings,
  ...telemetrySettings,
});
type Settings = z.infer<typeof configSchema>;
export type StandaloneConfig = Settings & {
  readonly WEBHOOKS_ALLOW_LOOPBACK: 'enabled' | 'disabled';
  readonly TRUST_PROXY: number;
  /** The environment, for the settings of single services: each takes those that it knows. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** Settings of services that `npm start` makes itself. */
export const madeHere = [
  'DATABASE_URL',
  'KEY_PEPPER',
  'KEY_PEPPER_PREVIOUS',
  'NATS_PASSWORD',
  'NATS_USER',
  'PLATFORM_KEY',
  'SECRETS_KEY',
  'SECRETS_KEY_PREVIOUS',
] as const;

/** What the start says of variables that it ignores; undefined where there are none. */
export function ignoredVariables({ environment }: StandaloneConfig): string | undefined {
  const ignored = madeHere.filter((name) => Boolean(environment[name]));
  if (ignored.length === 0) return undefined;
  return `${ignored.join(', ')}: ignored, npm start makes ${ignored.length === 1 ? 'it' : 'them'} itself (docs/settings.md).`;
}

/** Whether accounts belong to users of this machine: other machines reach neither the address nor a proxy before it. */
const isLocal = ({ HOST, PUBLIC_URL }: Pick<Settings, 'HOST' | 'PUBLIC_URL'>): boolean =>
  isLoopbackHost(HOST) && (PUBLIC_URL === undefined || isLoopbackHost(new URL(PUBLIC_URL).hostname));

/** What the start says of webhooks to loopback addresses; undefined while only this machine's users have accounts. */
export function loopbackWarning(config: StandaloneConfig): string | undefined {
  if (config.WEBHOOKS_ALLOW_LOOPBACK === 'disabled' || isLocal(config)) return undefined;
  return (
    'WEBHOOKS_ALLOW_LOOPBACK=enabled with a public HOST or PUBLIC_URL: every account that signs up can send requests ' +
    'to every port of this machine and read the responses. Leave the setting out to refuse them.'
  );
}

/** What the start says of test cards that pay where buyers come from other machines, unless somebody has set it so. */
function simulatedWarning(config: StandaloneConfig): string | undefined {
  if (config.SIMULATED_PROCESSOR !== 'default' || config.environment.SIMULATED_PROCESSOR || isLocal(config))
    return undefined;
  return (
    'A public HOST or PUBLIC_URL without SIMULATED_PROCESSOR: an account that has chosen no payment processor gives its products away for test ' +
    'cards. Set SIMULATED_PROCESSOR=enabled, with which it sells nothing before it chooses; default says that this is meant.'
  );
}

/** An existing nats-server has the platform's accounts, and a user for each service in them: there is no other way in. */
function requirePasswords(config: Settings): void {
  if (config.NATS_URL === undefined) return;
  const missing = natsNames.map(natsPasswordVariable).filter((name) => config[name] === undefined);
  if (missing.length > 0)
    throw new ConfigError(
      missing.map((name) => `${name}: is required with NATS_URL (deploy/README.md, NATS of your own)`),
    );
}

/** What commands beside a running process need of their own environment; the rest that process has written. */
export const dataDirOf = (env: Record<string, string | undefined> = process.env): string => env.DATA_DIR || '.data';

/** What the start says of settings that are ignored or dangerous. */
export const settingWarnings = (config: StandaloneConfig): string[] =>
  [loopbackWarning(config), simulatedWarning(config), ignoredVariables(config)].filter(
    (warning) => warning !== undefined,
  );

/** Minutes after midnight, UTC, at which this process runs the daily job of all accounts; undefined where it does not. */
export const dailyStartMinute = ({ CLOCK_CONTROL, DAILY_AT }: StandaloneConfig): number | undefined =>
  CLOCK_CONTROL === 'enabled' ? undefined : startMinuteOf(DAILY_AT);

export function readConfig(env: Record<string, string | undefined> = process.env): StandaloneConfig {
  const config = parseConfig(configSchema, env);
  requirePasswords(config);
  const { HOST, WEBHOOKS_ALLOW_LOOPBACK, TRUST_PROXY } = config;
  return {
    ...config,
    WEBHOOKS_ALLOW_LOOPBACK: WEBHOOKS_ALLOW_LOOPBACK ?? (isLocal(config) ? 'enabled' : 'disabled'),
    TRUST_PROXY: TRUST_PROXY ?? (isLoopbackHost(HOST) && !isLocal(config) ? 1 : 0),
    environment: env,
  };
}
