import type { AddressInfo } from 'node:net';
import { defineService, type ServiceContext } from '@app/service-host/define-service';
import { ConfigError } from '@app/service-kit/config';
import { startLeaseOwner } from '@app/service-kit/lease-owner';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import type { App, ClockControl } from './app.ts';
import { AccountQuota } from './auth/account-quota.ts';
import { AddressLimiter } from './auth/address-limiter.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { createLoginLimit, unlimitedLogin } from './auth/login-limit.ts';
import { LookupCache } from './auth/lookup-cache.ts';
import { createRateWindows } from './auth/rate-windows.ts';
import { createDeclineLimit, noDeclineLimit } from './checkouts/decline-limit.ts';
import { findSeller } from './checkouts/find-seller.ts';
import { createVisitorDigest } from './checkouts/visitor.ts';
import type { GatewayConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { ReadLimiter, readLimits } from './http/read-limiter.ts';
import { createIdempotencyStore } from './idempotency/idempotency-store.ts';
import { createServer } from './server.ts';

export interface GatewayDeps extends ServiceDeps {
  /** How the test clock reaches every service; without it the clock cannot be moved, and CLOCK_CONTROL is off. */
  readonly clockControl?: ClockControl;
  /** Asked before each write: why it would fail (a full disk), where one process knows that of all services. */
  readonly writeRefusal?: () => string | undefined;
}

export interface RunningGateway extends RunningService {
  /** Where it listens, for callers on this machine. */
  readonly url: string;
}

/** For callers without a valid key, each address. */
const addressLimitPerMinute = 60;

/** How long requests under way may take once the process closes; whoever stops it waits ten seconds. */
const finishWithinMs = 4_000;

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
      const app = await createApp(context, deps);
      const server = context.resources.add('http server', await createServer(app), (created) => {
        app.requester.finishWithin(finishWithinMs);
        return created.close();
      });
      await server.listen({ port: config.PORT, host: config.HOST });
      url = urlOf(server.server.address() as AddressInfo);
      return {};
    },
  });
  return { ...(await create(config, deps)), url };
}

async function createApp(context: ServiceContext<GatewayConfig>, deps: GatewayDeps): Promise<App> {
  const { config, database, requester, wakeRelay, clock, logger, checks, resources } = context;
  const leaseOwner = resources.add('lease owner', await startLeaseOwner(database, logger), (started) =>
    started.close(),
  );
  const credentials = { pepper: config.KEY_PEPPER, platformKey: config.PLATFORM_KEY };
  const authenticator = createAuthenticator({ database, clock, logger, ...credentials });
  resources.add('authenticator', authenticator, (created) => created.close());
  const rateWindows = createRateWindows(database);
  const addressLimiter = resources.add(
    'address limiter',
    new AddressLimiter(addressLimitPerMinute, rateWindows, logger),
    (created) => created.close(),
  );
  const perMinute = config.RATE_LIMIT_PER_MINUTE;
  return {
    ...{ config, logger, clock, database, authenticator, requester, wakeRelay, checks },
    idempotency: createIdempotencyStore(database, config.KEY_PEPPER, leaseOwner.id),
    readLimiter: new ReadLimiter(readLimits),
    accountQuota: perMinute === 0 ? null : new AccountQuota(perMinute, rateWindows, logger),
    addressLimiter,
    limitLogin: perMinute === 0 ? unlimitedLogin : createLoginLimit(rateWindows),
    declineLimit: perMinute === 0 ? noDeclineLimit : createDeclineLimit(rateWindows, logger),
    // A handle that was just taken is known at once.
    sellers: new LookupCache((handle: string) => findSeller(database, handle), { keepsMisses: false }),
    visitorOf: createVisitorDigest(config.KEY_PEPPER),
    clockControl: config.CLOCK_CONTROL === 'enabled' ? (deps.clockControl ?? null) : null,
    writeRefusal: deps.writeRefusal ?? (() => undefined),
  };
}

function urlOf({ address, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::';
  return `http://${anywhere ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address}:${port}`;
}
