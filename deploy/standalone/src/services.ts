import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@app/contracts/services';
import type { GatewayDeps, GatewayParts, RunningGateway } from '@app/gateway/gateway-deps';
import { nextStartMs } from '@app/runs/start-time';
import type { AdjustableClock } from '@app/service-kit/clock';
import { parseConfig } from '@app/service-kit/config';
import type { Logger } from '@app/service-kit/logger';
import type { ResourceStack } from '@app/service-kit/resource-stack';
import type { Check, RunningService } from '@app/service-kit/service';
import type { z } from 'zod';
import { dailyStartMinute, type StandaloneConfig } from './config.ts';
import { type Infrastructure, startOrder } from './infrastructure.ts';
import { type Secrets, secretSettingsOf } from './secrets.ts';

type Environment = { DATABASE_URL: string } & Record<string, string | undefined>;

interface Module {
  readonly migrate: (url: string) => Promise<string[]>;
  readonly create: (env: Environment, deps: GatewayDeps) => Promise<RunningService>;
}

/** Each service's code, as soon as it has been read. */
export type Modules = readonly (readonly [ServiceName, Promise<Module>])[];

/** What a service exports: its settings, its migrations, and the function that creates it. */
interface Source {
  readonly config: () => Promise<{ configSchema: z.ZodType }>;
  readonly migrate: () => Promise<Pick<Module, 'migrate'>>;
  readonly create: () => Promise<(config: never, deps: GatewayDeps) => Promise<RunningService>>;
}

const sources: Readonly<Record<ServiceName, Source>> = {
  catalog: {
    config: () => import('@app/catalog/config'),
    migrate: () => import('@app/catalog/migrate'),
    create: () => import('@app/catalog/service').then((module) => module.createCatalog),
  },
  checkout: {
    config: () => import('@app/checkout/config'),
    migrate: () => import('@app/checkout/migrate'),
    create: () => import('@app/checkout/service').then((module) => module.createCheckout),
  },
  billing: {
    config: () => import('@app/billing/config'),
    migrate: () => import('@app/billing/migrate'),
    create: () => import('@app/billing/service').then((module) => module.createBilling),
  },
  affiliate: {
    config: () => import('@app/affiliate/config'),
    migrate: () => import('@app/affiliate/migrate'),
    create: () => import('@app/affiliate/service').then((module) => module.createAffiliate),
  },
  metrics: {
    config: () => import('@app/metrics/config'),
    migrate: () => import('@app/metrics/migrate'),
    create: () => import('@app/metrics/service').then((module) => module.createMetrics),
  },
  'webhook-dispatcher': {
    config: () => import('@app/webhook-dispatcher/config'),
    migrate: () => import('@app/webhook-dispatcher/migrate'),
    create: () => import('@app/webhook-dispatcher/service').then((module) => module.createWebhookDispatcher),
  },
  gateway: {
    config: () => import('@app/gateway/config'),
    migrate: () => import('@app/gateway/migrate'),
    create: () => import('@app/gateway/service').then((module) => module.createGateway),
  },
};

/** Enough for the round trips in which PostgreSQL lets a client in: they wait for nothing but this process. */
const betweenPartsMs = 2;

/**
 * Called while the servers start: reading the code takes longer than they do. One service after the other, so that the
 * first ones migrate meanwhile; and part by part, because Node handles between two parts what the servers have come to.
 * @param serversUp the gateway's routes, the largest part, are read after it, while the databases are made
 */
export function loadServices(serversUp: Promise<unknown>): Modules {
  let previous: Promise<unknown> = Promise.resolve();
  const modules = startOrder.map((name) => {
    const loading = previous.then(() => loadService(sources[name]));
    previous = loading;
    // The start of the service fails with it, though not before the servers have started.
    loading.catch(() => undefined);
    return [name, loading] as const;
  });
  // Read ahead: the start of the gateway imports it too, and fails with it.
  void Promise.all([previous, serversUp])
    .then(() => import('@app/gateway/create-server'))
    .catch(() => undefined);
  return modules;
}

async function loadService(source: Source): Promise<Module> {
  const { configSchema } = await source.config();
  await sleep(betweenPartsMs);
  const { migrate } = await source.migrate();
  await sleep(betweenPartsMs);
  const create = await source.create();
  await sleep(betweenPartsMs);
  // Each service's schema makes exactly the settings that the service takes.
  return { migrate, create: (env, deps) => create(parseConfig(configSchema, env) as never, deps) };
}

export interface StartOptions {
  readonly config: StandaloneConfig;
  readonly installationId: string;
  readonly secrets: Secrets;
  readonly infrastructure: Infrastructure;
  readonly clock: AdjustableClock;
  readonly logger: Logger;
  readonly resources: ResourceStack;
  readonly writeRefusal: () => string | undefined;
  readonly say: (line: string) => void;
}

/**
 * Migrates and starts each service as soon as its code has been read; the gateway lets requests in last.
 * @param beforeRequests runs while requests cannot come in yet; it gets parts of the gateway's, and when the others are up
 */
export async function startServices<T>(
  modules: Modules,
  options: StartOptions,
  beforeRequests: (gateway: GatewayParts, others: Promise<unknown>) => Promise<T>,
): Promise<{ url: string; prepared: T; checks: readonly Check[] }> {
  const startMinute = dailyStartMinute(options.config);
  const schedule = startMinute === undefined ? {} : { nextDailyRunMs: () => nextStartMs(Date.now(), startMinute) };
  const start = async ([name, loading]: Modules[number], more: Partial<GatewayDeps> = {}): Promise<RunningService> => {
    const module = await loading;
    const env = environmentOf(name, options);
    await options.infrastructure.databaseReady(name);
    const applied = await module.migrate(env.DATABASE_URL);
    const deps = { logger: options.logger.child({ service: name }), clock: options.clock, ...schedule, ...more };
    const service = options.resources.add(name, await module.create(env, deps), (created) => created.close());
    options.say(`${name} ready${applied.length > 0 ? ` (${applied.length} migrations applied)` : ''}`);
    return service;
  };
  const isGateway = ([name]: Modules[number]): boolean => name === 'gateway';
  const others = Promise.all(modules.filter((entry) => !isGateway(entry)).map((entry) => start(entry)));
  let prepared: { value: T } | undefined;
  const more: Partial<GatewayDeps> = {
    clockControl: {
      set: async (offsetMs) => {
        options.clock.moveTo(new Date(Date.now() + offsetMs));
      },
    },
    writeRefusal: options.writeRefusal,
    beforeListening: async (parts) => {
      prepared = { value: await beforeRequests(parts, others) };
      await others;
    },
  };
  const gateways = modules.filter(isGateway).map((entry) => start(entry, more));
  const [started, [gateway]] = await Promise.all([others, Promise.all(gateways)]);
  if (gateway === undefined || prepared === undefined) throw new Error('The gateway listens before all is prepared');
  const { url, checks } = gateway as RunningGateway;
  return { url, prepared: prepared.value, checks: [...started.flatMap((service) => service.checks), ...checks] };
}

function environmentOf(
  service: ServiceName,
  { config, installationId, secrets, infrastructure }: StartOptions,
): Environment {
  const common = {
    ...config.environment,
    DATABASE_URL: infrastructure.databaseUrl(service),
    NATS_URL: infrastructure.natsUrl,
    ...infrastructure.natsUser(service),
    ...secretSettingsOf(service, secrets),
    LOG_LEVEL: config.LOG_LEVEL,
    CLOCK_CONTROL: config.CLOCK_CONTROL,
    INSTALLATION_ID: installationId,
  };
  if (service === 'checkout') {
    const bounds = {
      REMINDERS_PER_DAY: String(config.REMINDERS_PER_DAY),
      DEPLOYMENT_REMINDERS_PER_DAY: String(config.DEPLOYMENT_REMINDERS_PER_DAY),
      OPEN_CHECKOUTS_PER_ACCOUNT: String(config.OPEN_CHECKOUTS_PER_ACCOUNT),
    };
    return { ...common, ...emailSettingsOf(config), ...bounds };
  }
  if (service === 'billing') {
    const { SIMULATED_PROCESSOR, SIMULATED_SLOW_MS, STRIPE_PROCESSOR, STRIPE_API_URL, STRIPE_REQUESTS_PER_SECOND } =
      config;
    const simulated = { SIMULATED_PROCESSOR, SIMULATED_SLOW_MS: String(SIMULATED_SLOW_MS) };
    const perSecond = String(STRIPE_REQUESTS_PER_SECOND);
    const { PUBLIC_URL } = config;
    const stripe = { STRIPE_PROCESSOR, STRIPE_API_URL, STRIPE_REQUESTS_PER_SECOND: perSecond, PUBLIC_URL };
    return { ...common, ...simulated, ...stripe };
  }
  if (service === 'webhook-dispatcher') {
    const { WEBHOOKS_ALLOW_LOOPBACK, WEBHOOKS_PER_SECOND, AUTOMATION_EMAILS } = config;
    const emails = {
      ...emailSettingsOf(config),
      AUTOMATION_EMAILS,
      EMAILS_PER_DAY: String(config.EMAILS_PER_DAY),
      DEPLOYMENT_EMAILS_PER_DAY: String(config.DEPLOYMENT_EMAILS_PER_DAY),
    };
    const webhooks = { WEBHOOKS_ALLOW_LOOPBACK, WEBHOOKS_PER_SECOND: String(WEBHOOKS_PER_SECOND) };
    return { ...common, ...webhooks, ...emails };
  }
  if (service !== 'gateway') return common;
  return {
    ...common,
    PORT: String(config.PORT),
    HOST: config.HOST,
    PUBLIC_URL: config.PUBLIC_URL,
    TRUST_PROXY: String(config.TRUST_PROXY),
    SIGNUP: config.SIGNUP,
    SIGNUPS_PER_HOUR: String(config.SIGNUPS_PER_HOUR),
    SECURITY_CONTACT: config.SECURITY_CONTACT,
    APPLE_PAY_DOMAIN_FILE: config.APPLE_PAY_DOMAIN_FILE,
    IDEMPOTENCY_MB_PER_DAY: String(config.IDEMPOTENCY_MB_PER_DAY),
    RATE_LIMIT_PER_MINUTE: String(config.RATE_LIMIT_PER_MINUTE),
    ...letterSettingsOf(config),
  };
}

/** Letters are files beside the reminders where there is no mail server. */
function letterSettingsOf(config: StandaloneConfig) {
  const { SMTP_URL, EMAIL_FROM, EMAIL_DIR } = emailSettingsOf(config);
  return { SMTP_URL, EMAIL_FROM, EMAIL_DIR, LETTERS_PER_DAY: String(config.LETTERS_PER_DAY) };
}

/** Links in emails lead to the gateway; without a mail server emails are files beside the data. */
function emailSettingsOf(config: StandaloneConfig) {
  const { PUBLIC_URL, HOST, PORT, SMTP_URL, EMAIL_FROM, EMAIL_DIR, DATA_DIR } = config;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  return {
    PUBLIC_URL: PUBLIC_URL ?? `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`,
    SMTP_URL,
    EMAIL_FROM,
    EMAIL_DIR: EMAIL_DIR ?? join(DATA_DIR, 'emails'),
  };
}
