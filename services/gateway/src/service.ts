import type { AddressInfo } from 'node:net';
import { defineService, type ServiceContext } from '@app/service-host/define-service';
import { ConfigError } from '@app/service-kit/config';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import type { ClockControl } from './api/app.ts';
import type { GatewayConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import type { HealthTimes } from './edge/health-routes.ts';
import type { PasswordCost } from './identity/password.ts';
import { openApp } from './open-app.ts';
import { createServer } from './server.ts';

/** What the first seller is made with, in a process with all services. */
export type GatewayParts = Pick<ServiceContext<GatewayConfig>, 'database' | 'requester' | 'wakeRelay'>;

export interface GatewayDeps extends ServiceDeps {
  /** How the test clock reaches every service; without it the clock cannot be moved, and CLOCK_CONTROL is off. */
  readonly clockControl?: ClockControl;
  /** Asked before each write: why it would fail (a full disk), where one process knows that of all services. */
  readonly writeRefusal?: () => string | undefined;
  /** Done before requests come in, while the gateway already publishes its events; they come in when it has succeeded. */
  readonly beforeListening?: (parts: GatewayParts) => Promise<void>;
  /** How long requests under way may take once the gateway closes, in milliseconds; 4,000 unless given. */
  readonly finishWithinMs?: number;
  /** How long a request waits for its part of the quota that replicas share. Left out except by tests of just that. */
  readonly quotaWithinMs?: number;
  /** Of new passwords. Left out except by tests of anything else: a hash takes a third of a second of CPU. */
  readonly passwordCost?: PasswordCost;
  /** Left out except by tests of readiness. */
  readonly healthTimes?: HealthTimes;
}

export interface RunningGateway extends RunningService {
  /** Where it listens, for callers on this machine. */
  readonly url: string;
}

/** In a process with other services: they and the servers close after it, and whoever stops it all waits ten seconds. */
const finishBesideOthersWithinMs = 4_000;

/** Starts the gateway: the HTTP server is its last part, so that requests come in only once it can answer them. */
export async function createGateway(config: GatewayConfig, deps: GatewayDeps): Promise<RunningGateway> {
  if (config.CLOCK_CONTROL === 'enabled' && deps.clockControl === undefined) {
    throw new ConfigError(['CLOCK_CONTROL: the test clock exists only where all services share a process']);
  }
  let url = '';
  const create = defineService<GatewayConfig>({
    name: 'gateway',
    description: 'HTTP, MCP and sessions',
    database: databaseOptions,
    retention,
    start: async (context) => {
      const app = await openApp(context, deps);
      const server = context.resources.add('http server', await createServer(app), (created) => {
        app.requester.finishWithin(deps.finishWithinMs ?? finishBesideOthersWithinMs);
        return created.close();
      });
      await deps.beforeListening?.(context);
      await server.listen({ port: config.PORT, host: config.HOST });
      url = urlOf(server.server.address() as AddressInfo);
      return {};
    },
  });
  return { ...(await create(config, deps)), url };
}

function urlOf({ address, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::';
  return `http://${anywhere ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address}:${port}`;
}
