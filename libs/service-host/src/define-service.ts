import type { ServiceName } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { version } from '@app/contracts/version';
import { observeBacklog } from '@app/messaging/backlog-gauges';
import { connectNats, type NatsClient, natsCheck } from '@app/messaging/connect';
import { startConsumers } from '@app/messaging/consume';
import type { EventHandler } from '@app/messaging/event-handler';
import { type NatsSettings, natsOptions } from '@app/messaging/nats-options';
import { startRelay } from '@app/messaging/relay';
import { createRequester, type Requester } from '@app/messaging/requester';
import { messagingRetention } from '@app/messaging/retention';
import { type RequestHandler, serveRequests } from '@app/messaging/serve-requests';
import type { Clock } from '@app/service-kit/clock';
import { type Database, type DatabaseOptions, databaseChecks, openDatabase } from '@app/service-kit/database';
import { type KeyedEmails, keepEmailKeys } from '@app/service-kit/email-keys';
import { type Installation, openInstallation } from '@app/service-kit/installation';
import type { Logger } from '@app/service-kit/logger';
import { observeGauges, serviceGauge } from '@app/service-kit/metrics';
import { refuseLaterData, UnusableDataError } from '@app/service-kit/migrations';
import { ResourceStack } from '@app/service-kit/resource-stack';
import { type RetentionRule, startRetention } from '@app/service-kit/retention';
import type { Check, RunningService, ServiceDeps } from '@app/service-kit/service';

/** The settings that wiring a service takes; `commonSettings` has them. */
export interface HostSettings extends NatsSettings {
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_MAX: number;
  readonly INSTALLATION_ID?: string | undefined;
}

/** What a service is given to build its own parts from. */
export interface ServiceContext<Config> extends ServiceDeps {
  readonly config: Config;
  readonly database: Database;
  readonly nats: NatsClient;
  /** While it is a copy nothing goes out. Commands are refused without asking it. */
  readonly installation: Installation;
  /** As it was given; a copy runs none. */
  readonly nextDailyRunMs: () => number | undefined;
  /**
   * Sends requests to other services.
   * @throws Error for a service that calls none by the topology: NATS would refuse it
   */
  readonly requester: Requester;
  /**
   * Call it after a commit with events.
   * @throws Error for a service that publishes none by the topology
   */
  readonly wakeRelay: () => void;
  /** Takes what the service opens itself; it closes before database and NATS do. */
  readonly resources: ResourceStack;
  /** Database, migrations and NATS; those of the event consumers come after. */
  readonly checks: readonly Check[];
}

/** What use cases work with that write rows and events and need nothing else. */
export type UseCaseDeps = Pick<ServiceContext<unknown>, 'database' | 'clock' | 'wakeRelay'>;

/** What a service does with events and requests. */
export interface ServiceHandlers {
  readonly events?: readonly EventHandler[];
  readonly requests?: readonly RequestHandler[];
  /** Checks of the service's own, beside those of its database, NATS and consumers. */
  readonly checks?: readonly Check[];
  /** Called first when the service closes, while requests under way still have time to finish: work that takes long ends early. */
  readonly closing?: () => void;
}

export interface ServiceDefinition<Config extends HostSettings> {
  readonly name: ServiceName;
  readonly description: string;
  readonly database: (url: string) => DatabaseOptions;
  /** Rows to delete after their time; those of the messaging tables unless given. */
  readonly retention?: (clock: Clock) => readonly RetentionRule[];
  /** The tables whose rows are found by the key of an email address. */
  readonly emailKeys?: readonly KeyedEmails[];
  /** Builds the service's own parts. Requests come in only after it. */
  readonly start: (context: ServiceContext<Config>) => ServiceHandlers | Promise<ServiceHandlers>;
}

/**
 * Returns what starts a service: database, NATS, relay, retention, its own parts, event consumers, and last the requests.
 * Closing goes in reverse. When a part cannot be opened, those opened before it are closed and the error is thrown on.
 */
export function defineService<Config extends HostSettings>(
  definition: ServiceDefinition<Config>,
): (config: Config, deps: ServiceDeps) => Promise<RunningService> {
  return async (config, deps) => {
    const resources = new ResourceStack(deps.logger);
    try {
      return await start(definition, config, deps, resources);
    } catch (err) {
      await resources.close();
      throw err;
    }
  };
}

async function start<Config extends HostSettings>(
  definition: ServiceDefinition<Config>,
  config: Config,
  deps: ServiceDeps,
  resources: ResourceStack,
): Promise<RunningService> {
  const { name, description } = definition;
  const { logger, clock } = deps;
  const options = { ...definition.database(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
  const database = resources.add('database', await openDatabase(options), (opened) => opened.close());
  await refuseLaterSchema(database);
  const opened = await openInstallation(database, config.INSTALLATION_ID, { logger, service: name });
  const installation = resources.add('installation', opened, (known) => known.close());
  const keyChecks = await keepKeys(definition.emailKeys, { database, logger }, resources);
  const connected = await connectNats({ ...natsOptions(config), logger, service: name });
  const nats = resources.add('nats', connected, (opened) => opened.close());
  resources.add('build info', observeBuild(name), (observed) => observed.close());
  resources.add('backlog gauges', observeBacklog(nats, database), (observed) => observed.close());
  const wakeRelay = relayOf(name, config, nats, deps, resources);
  const rules = definition.retention?.(clock) ?? messagingRetention;
  resources.add('retention', startRetention(database, logger, rules), (started) => started.close());
  const checks = [...databaseChecks(database), installation.check, ...keyChecks, natsCheck(nats)];
  const requester = requesterOf(name, nats);
  const handlers = await definition.start({
    ...deps,
    config,
    database,
    nats,
    installation,
    nextDailyRunMs: () => (installation.isCopy() ? undefined : deps.nextDailyRunMs?.()),
    wakeRelay,
    resources,
    checks,
    get requester() {
      return requester();
    },
  });
  const consuming = consumeEvents(handlers.events, { nats, database, logger }, resources);
  if (handlers.requests !== undefined) {
    const { refusal: commandRefusal } = installation;
    const serving = { version, description, handlers: handlers.requests, logger, commandRefusal };
    const served = await serveRequests(nats, serving);
    resources.add('requests', served, (requests) => requests.close());
  }
  resources.add('work that takes long', undefined, () => handlers.closing?.());
  return { name, checks: [...checks, ...consuming, ...(handlers.checks ?? [])], close: () => resources.close() };
}

const build = serviceGauge('build.info', '{build}', 'Always 1, with the version of the platform and of Node');

const observeBuild = (name: ServiceName): { close(): void } =>
  observeGauges(name, [build], async () => [
    { gauge: build, value: 1, attributes: { version, node: process.versions.node } },
  ]);

/** Without its database a service starts all the same, and is not ready: then its readiness says why. */
async function refuseLaterSchema({ pool, migrations }: Database): Promise<void> {
  await refuseLaterData(pool, migrations).catch((err: unknown) => {
    if (err instanceof UnusableDataError) throw err;
  });
}

/** Nothing reads by the keys before they are there. Returns the check that says so. */
async function keepKeys(
  tables: readonly KeyedEmails[] | undefined,
  { database, logger }: { database: Database; logger: Logger },
  resources: ResourceStack,
): Promise<readonly Check[]> {
  if (tables === undefined) return [];
  const kept = await keepEmailKeys(database, logger, tables);
  resources.add('email keys', kept, (keeping) => keeping.close());
  return [kept.check];
}

/** Returns the checks of the consumers. */
function consumeEvents(
  events: ServiceHandlers['events'],
  where: { nats: NatsClient; database: Database; logger: Logger },
  resources: ResourceStack,
): readonly Check[] {
  if (events === undefined) return [];
  const consumers = startConsumers({ ...where, handlers: events });
  resources.add('consumers', consumers, (started) => started.close());
  return consumers.checks;
}

function relayOf(
  name: ServiceName,
  config: HostSettings,
  nats: NatsClient,
  { logger }: ServiceDeps,
  resources: ResourceStack,
): () => void {
  if (!topology[name].publishes) {
    return () => {
      throw new Error(`${name} publishes no events: see topology.ts`);
    };
  }
  const relay = startRelay({ nats, databaseUrl: config.DATABASE_URL, logger });
  resources.add('relay', relay, (started) => started.close());
  return () => relay.wake();
}

/** Made when it is first requested: it listens to an inbox of its own. */
function requesterOf(name: ServiceName, nats: NatsClient): () => Requester {
  let requester: Requester | undefined;
  return () => {
    if (topology[name].requests.length === 0) throw new Error(`${name} may call no service: see topology.ts`);
    requester ??= createRequester(nats);
    return requester;
  };
}
