import type { ServiceName } from '@app/contracts/services';
import { topology } from '@app/contracts/topology';
import { version } from '@app/contracts/version';
import { connectNats, type NatsLink, natsCheck } from '@app/messaging/connect';
import { startConsumers } from '@app/messaging/consume';
import { messagingRetention, type Outdated, startHousekeeping } from '@app/messaging/housekeeping';
import { type NatsSettings, natsOptions } from '@app/messaging/nats-options';
import { startRelay } from '@app/messaging/relay';
import { createRequester, type Requester } from '@app/messaging/requester';
import { type Answer, serveRequests } from '@app/messaging/serve-requests';
import type { Subscription } from '@app/messaging/subscription';
import type { Clock } from '@app/service-kit/clock';
import { type Database, type DatabaseOptions, databaseChecks, openDatabase } from '@app/service-kit/database';
import { Lifetime } from '@app/service-kit/lifetime';
import type { Logger } from '@app/service-kit/logger';
import type { Check, RunningService, ServiceDeps } from '@app/service-kit/service';

/** The settings that wiring a service takes; `commonSettings` and, where it publishes, `streamSettings` have them. */
export interface HostSettings extends NatsSettings {
  readonly DATABASE_URL: string;
  readonly DATABASE_POOL_MAX: number;
  readonly STREAM_REPLICAS?: number;
  readonly STREAM_MAX_BYTES?: number;
}

/** What a service is given to build its own parts from. */
export interface ServiceContext<Config> extends ServiceDeps {
  readonly config: Config;
  readonly database: Database;
  readonly link: NatsLink;
  /** Asks other services. Throws for a service that asks none by the topology: NATS would refuse it. */
  readonly requester: Requester;
  /** Call it after a commit with events. Throws for a service that publishes none by the topology. */
  readonly wakeRelay: () => void;
  /** Takes what the service opens itself; it closes before database and NATS do. */
  readonly lifetime: Lifetime;
  /** Database, migrations and NATS; those of the event consumers come after. */
  readonly checks: readonly Check[];
}

/** What a service does with events and requests. */
export interface ServiceHandlers {
  readonly events?: readonly Subscription[];
  readonly requests?: readonly Answer[];
}

export interface ServiceDefinition<Config extends HostSettings> {
  readonly name: ServiceName;
  readonly description: string;
  readonly database: (url: string) => DatabaseOptions;
  /** Rows to delete after their time; those of the messaging tables unless given. */
  readonly retention?: (clock: Clock) => readonly Outdated[];
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
    const lifetime = new Lifetime(deps.logger);
    try {
      return await start(definition, config, deps, lifetime);
    } catch (err) {
      await lifetime.close();
      throw err;
    }
  };
}

async function start<Config extends HostSettings>(
  definition: ServiceDefinition<Config>,
  config: Config,
  deps: ServiceDeps,
  lifetime: Lifetime,
): Promise<RunningService> {
  const { name, description } = definition;
  const { logger, clock } = deps;
  const options = { ...definition.database(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
  const database = lifetime.add('database', await openDatabase(options), (opened) => opened.close());
  const connected = await connectNats({ ...natsOptions(config), logger, service: name });
  const link = lifetime.add('nats', connected, (opened) => opened.close());
  const wakeRelay = relayOf(name, config, link, deps, lifetime);
  const outdated = definition.retention?.(clock) ?? messagingRetention;
  lifetime.add('retention', startHousekeeping(database, logger, outdated), (started) => started.close());
  const checks = [...databaseChecks(database), natsCheck(link)];
  const requester = requesterOf(name, link);
  const handlers = await definition.start({
    ...deps,
    ...{ config, database, link, wakeRelay, lifetime, checks },
    get requester() {
      return requester();
    },
  });
  const consuming = consumeEvents(handlers.events, { link, database, logger }, lifetime);
  if (handlers.requests !== undefined) {
    const served = await serveRequests(link, { version, description, answers: handlers.requests, logger });
    lifetime.add('requests', served, (requests) => requests.close());
  }
  return { name, checks: [...checks, ...consuming], close: () => lifetime.close() };
}

/** Returns the checks of the consumers. */
function consumeEvents(
  events: ServiceHandlers['events'],
  where: { link: NatsLink; database: Database; logger: Logger },
  lifetime: Lifetime,
): readonly Check[] {
  if (events === undefined) return [];
  const consumers = startConsumers({ ...where, subscriptions: events });
  lifetime.add('consumers', consumers, (started) => started.close());
  return consumers.checks;
}

function relayOf(
  name: ServiceName,
  config: HostSettings,
  link: NatsLink,
  { logger }: ServiceDeps,
  lifetime: Lifetime,
): () => void {
  const { STREAM_REPLICAS: streamReplicas, STREAM_MAX_BYTES: streamMaxBytes } = config;
  if (!topology[name].publishes || streamReplicas === undefined || streamMaxBytes === undefined) {
    return () => {
      throw new Error(`${name} publishes no events: see topology.ts, and streamSettings in its settings`);
    };
  }
  const relay = startRelay({ link, databaseUrl: config.DATABASE_URL, logger, streamReplicas, streamMaxBytes });
  lifetime.add('relay', relay, (started) => started.close());
  return () => relay.wake();
}

/** Made when it is first asked for: it listens to an inbox of its own. */
function requesterOf(name: ServiceName, link: NatsLink): () => Requester {
  let requester: Requester | undefined;
  return () => {
    if (topology[name].asks.length === 0) throw new Error(`${name} asks no service: see topology.ts`);
    requester ??= createRequester(link);
    return requester;
  };
}
