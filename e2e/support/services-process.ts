/*
 * Several services in one process, each with settings of its own (SERVICES, a JSON object): for tests that end none of them.
 * A process for each costs six times as much. Deploy/standalone does the same, with servers of its own.
 */

import { configSchema as affiliate } from '@app/affiliate/config';
import { createAffiliate } from '@app/affiliate/service';
import { configSchema as billing } from '@app/billing/config';
import { createBilling } from '@app/billing/service';
import { configSchema as catalog } from '@app/catalog/config';
import { createCatalog } from '@app/catalog/service';
import { configSchema as checkout } from '@app/checkout/config';
import { createCheckout } from '@app/checkout/service';
import type { ServiceName } from '@app/contracts/services';
import { version } from '@app/contracts/version';
import { configSchema as gateway } from '@app/gateway/config';
import { createGateway } from '@app/gateway/service';
import { configSchema as metrics } from '@app/metrics/config';
import { createMetrics } from '@app/metrics/service';
import { AdjustableClock } from '@app/service-kit/clock';
import { commonSettings, parseConfig } from '@app/service-kit/config';
import { addHealthServer } from '@app/service-kit/health-server';
import { createLogger } from '@app/service-kit/logger';
import { ResourceStack } from '@app/service-kit/resource-stack';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import { startProcessTelemetry } from '@app/service-kit/telemetry';
import { configSchema as dispatcher } from '@app/webhook-dispatcher/config';
import { createWebhookDispatcher } from '@app/webhook-dispatcher/service';
import { z } from 'zod';

type Settings = Record<string, string>;

/** A third of a second of CPU for each password would be a tenth of what these tests take; `login-flood` of gateway is about it. */
const passwordCost = { N: 16, r: 1, p: 1 };

const creators: Record<ServiceName, (settings: Settings, deps: ServiceDeps) => Promise<RunningService>> = {
  gateway: (settings, deps) => createGateway(parseConfig(gateway, settings), { ...deps, passwordCost }),
  catalog: (settings, deps) => createCatalog(parseConfig(catalog, settings), deps),
  checkout: (settings, deps) => createCheckout(parseConfig(checkout, settings), deps),
  billing: (settings, deps) => createBilling(parseConfig(billing, settings), deps),
  affiliate: (settings, deps) => createAffiliate(parseConfig(affiliate, settings), deps),
  metrics: (settings, deps) => createMetrics(parseConfig(metrics, settings), deps),
  'webhook-dispatcher': (settings, deps) => createWebhookDispatcher(parseConfig(dispatcher, settings), deps),
};

const settings = JSON.parse(process.env.SERVICES ?? '') as Partial<Record<ServiceName, Settings>>;
const names = Object.keys(settings) as ServiceName[];
const [common] = Object.values(settings);
const config = parseConfig(z.object(commonSettings), common ?? {});
const logger = createLogger({ service: names.join(), level: config.LOG_LEVEL });
const resources = new ResourceStack(logger);
const leave = async (): Promise<void> => {
  await resources.close(9_500);
  process.exit(0);
};
process.once('SIGTERM', () => void leave());
// The test's process is gone.
process.once('disconnect', () => process.exit(1));
const telemetry = await startProcessTelemetry(config, { name: 'services', version, logger: logger });
resources.add('telemetry', telemetry, (started) => started.shutdown());
const start = async (name: ServiceName): Promise<RunningService> => {
  const deps = { logger: logger.child({ service: name }), clock: new AdjustableClock() };
  return resources.add(name, await creators[name](settings[name] ?? {}, deps), (service) => service.close());
};
const services = await Promise.all(names.map(start));
await addHealthServer(
  config,
  services.flatMap(({ checks }) => checks),
  resources,
);
process.stdout.write('services ready\n');
