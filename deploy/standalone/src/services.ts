import { join } from 'node:path';
import type { ServiceName } from '@app/contracts/services';
import type { AdjustableClock } from '@app/service-kit/clock';
import { parseConfig } from '@app/service-kit/config';
import type { Logger } from '@app/service-kit/logger';
import type { ResourceStack } from '@app/service-kit/resource-stack';
import type { Check, RunningService, ServiceDeps } from '@app/service-kit/service';
import type { z } from 'zod';
import type { StandaloneConfig } from './config.ts';
import type { Infrastructure } from './infrastructure.ts';
import type { Secrets } from './secrets.ts';

type Environment = { DATABASE_URL: string } & Record<string, string | undefined>;

interface Module {
  readonly migrate: (url: string) => Promise<string[]>;
  readonly create: (env: Environment, deps: ServiceDeps) => Promise<RunningService>;
}

/** Loads what a service exports: its settings, its migrations, and the function that creates it. */
async function load(
  name: string,
  parts: {
    config: Promise<{ configSchema: z.ZodType }>;
    migrate: Promise<{ migrate: Module['migrate'] }>;
    create: Promise<(config: never, deps: ServiceDeps) => Promise<RunningService>>;
  },
): Promise<[string, Module]> {
  const [{ configSchema }, { migrate }, create] = await Promise.all([parts.config, parts.migrate, parts.create]);
  // Each service's schema makes exactly the settings that the service takes.
  return [name, { migrate, create: (env, deps) => create(parseConfig(configSchema, env) as never, deps) }];
}

/** Begun while the servers start: reading the code takes about as long as they do. */
export function loadServices(
  clock: AdjustableClock,
  writeRefusal: () => string | undefined,
): Promise<[string, Module][]> {
  const clockControl = {
    set: async (offsetMs: number): Promise<void> => {
      clock.moveTo(new Date(Date.now() + offsetMs));
    },
  };
  return Promise.all([
    load('catalog', {
      config: import('@app/catalog/config'),
      migrate: import('@app/catalog/migrate'),
      create: import('@app/catalog/service').then((module) => module.createCatalog),
    }),
    load('checkout', {
      config: import('@app/checkout/config'),
      migrate: import('@app/checkout/migrate'),
      create: import('@app/checkout/service').then((module) => module.createCheckout),
    }),
    load('billing', {
      config: import('@app/billing/config'),
      migrate: import('@app/billing/migrate'),
      create: import('@app/billing/service').then((module) => module.createBilling),
    }),
    load('affiliate', {
      config: import('@app/affiliate/config'),
      migrate: import('@app/affiliate/migrate'),
      create: import('@app/affiliate/service').then((module) => module.createAffiliate),
    }),
    load('metrics', {
      config: import('@app/metrics/config'),
      migrate: import('@app/metrics/migrate'),
      create: import('@app/metrics/service').then((module) => module.createMetrics),
    }),
    load('webhook-dispatcher', {
      config: import('@app/webhook-dispatcher/config'),
      migrate: import('@app/webhook-dispatcher/migrate'),
      create: import('@app/webhook-dispatcher/service').then((module) => module.createWebhookDispatcher),
    }),
    load('gateway', {
      config: import('@app/gateway/config'),
      migrate: import('@app/gateway/migrate'),
      create: import('@app/gateway/service').then(
        ({ createGateway }) =>
          (config, deps) =>
            createGateway(config, { ...deps, clockControl, writeRefusal }),
      ),
    }),
  ]);
}

export interface StartOptions {
  readonly config: StandaloneConfig;
  readonly secrets: Secrets;
  readonly infrastructure: Infrastructure;
  readonly clock: AdjustableClock;
  readonly logger: Logger;
  readonly resources: ResourceStack;
  readonly say: (line: string) => void;
}

/**
 * Migrates and starts all services side by side, the gateway last: it lets requests in.
 * @param beforeGateway runs when all others are up and nobody can send requests yet
 */
export async function startServices<T>(
  modules: readonly [string, Module][],
  options: StartOptions,
  beforeGateway: () => Promise<T>,
): Promise<{ url: string; prepared: T; checks: readonly Check[] }> {
  const start = async ([name, module]: [string, Module], ready: Promise<unknown>): Promise<RunningService> => {
    const env = environmentOf(name as ServiceName, options);
    const [applied] = await Promise.all([module.migrate(env.DATABASE_URL), ready]);
    const deps = { logger: options.logger.child({ service: name }), clock: options.clock };
    const service = options.resources.add(name, await module.create(env, deps), (created) => created.close());
    options.say(`${name} ready${applied.length > 0 ? ` (${applied.length} migrations applied)` : ''}`);
    return service;
  };
  const isGateway = ([name]: [string, Module]): boolean => name === 'gateway';
  const others = modules.filter((entry) => !isGateway(entry)).map((entry) => start(entry, Promise.resolve()));
  const prepared = Promise.all(others).then(beforeGateway);
  const [gateway] = await Promise.all(modules.filter(isGateway).map((entry) => start(entry, prepared)));
  const { url, checks } = gateway as RunningService & { url: string };
  const all = [...(await Promise.all(others)).flatMap((service) => service.checks), ...checks];
  return { url, prepared: await prepared, checks: all };
}

function environmentOf(service: ServiceName, { config, secrets, infrastructure }: StartOptions): Environment {
  const common = {
    DATABASE_URL: infrastructure.databaseUrl(service),
    NATS_URL: infrastructure.natsUrl,
    ...infrastructure.natsUser(service),
    LOG_LEVEL: config.LOG_LEVEL,
    CLOCK_CONTROL: config.CLOCK_CONTROL,
  };
  if (service === 'checkout') return { ...common, ...emailSettingsOf(config) };
  // The purpose goes into each service's key, so that one secret is enough for both.
  if (service === 'billing') {
    const { SIMULATED_PROCESSOR, SIMULATED_SLOW_MS } = config;
    const simulated = { SIMULATED_PROCESSOR, SIMULATED_SLOW_MS: String(SIMULATED_SLOW_MS) };
    return { ...common, SECRETS_KEY: secrets.secretsKey, ...simulated };
  }
  if (service === 'webhook-dispatcher') {
    const { WEBHOOKS_ALLOW_LOOPBACK, SMTP_URL, EMAIL_FROM, AUTOMATION_EMAILS } = config;
    const emails = { SMTP_URL, EMAIL_FROM, AUTOMATION_EMAILS, EMAILS_PER_DAY: String(config.EMAILS_PER_DAY) };
    return { ...common, SECRETS_KEY: secrets.secretsKey, WEBHOOKS_ALLOW_LOOPBACK, ...emails };
  }
  if (service !== 'gateway') return common;
  return {
    ...common,
    PORT: String(config.PORT),
    HOST: config.HOST,
    PUBLIC_URL: config.PUBLIC_URL,
    SIGNUP: config.SIGNUP,
    RATE_LIMIT_PER_MINUTE: String(config.RATE_LIMIT_PER_MINUTE),
    KEY_PEPPER: secrets.keyPepper,
    PLATFORM_KEY: secrets.platformKey,
  };
}

/** Links in emails lead to the gateway; without a mail server emails are files beside the data. */
function emailSettingsOf(config: StandaloneConfig) {
  const { PUBLIC_URL, HOST, PORT, SMTP_URL, EMAIL_FROM, EMAIL_DIR, DATA_DIR, REMINDERS_PER_DAY } = config;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  return {
    PUBLIC_URL: PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`,
    SMTP_URL,
    EMAIL_FROM,
    EMAIL_DIR: EMAIL_DIR ?? join(DATA_DIR, 'emails'),
    REMINDERS_PER_DAY: String(REMINDERS_PER_DAY),
  };
}
