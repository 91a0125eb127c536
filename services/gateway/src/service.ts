import type { AddressInfo } from 'node:net';
import { connectNats, natsCheck } from '@app/messaging/connect';
import { startHousekeeping } from '@app/messaging/housekeeping';
import { startInstance } from '@app/messaging/instance';
import { natsOptions } from '@app/messaging/nats-options';
import { createRequester } from '@app/messaging/requester';
import { ConfigError } from '@app/service-kit/config';
import { databaseChecks, openDatabase } from '@app/service-kit/database';
import { Lifetime } from '@app/service-kit/lifetime';
import type { RunningService, ServiceDeps } from '@app/service-kit/service';
import type { App, ClockControl } from './app.ts';
import { AccountQuota } from './auth/account-quota.ts';
import { createAuthenticator } from './auth/authenticator.ts';
import { createRateWindows } from './auth/rate-windows.ts';
import type { GatewayConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { outdated } from './db/outdated.ts';
import { AnswerRoom, answerLimits } from './http/answer-room.ts';
import { createServer } from './http/server.ts';
import { createIdempotencyStore } from './idempotency/idempotency-store.ts';
import { createSignInLimit, unlimitedSignIn } from './sessions/sign-in-limit.ts';

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

/** How long requests under way may take once the process closes; whoever stops it waits ten seconds. */
const finishWithinMs = 4_000;

/** Puts the edge together: storage, messaging, and last the HTTP server. */
export async function createGateway(config: GatewayConfig, deps: GatewayDeps): Promise<RunningGateway> {
  const { logger, clock } = deps;
  if (config.CLOCK_CONTROL === 'enabled' && deps.clockControl === undefined) {
    throw new ConfigError(['CLOCK_CONTROL: the test clock exists only where all services share a process']);
  }
  const lifetime = new Lifetime(logger);
  try {
    const options = { ...databaseOptions(config.DATABASE_URL), poolMax: config.DATABASE_POOL_MAX };
    const database = lifetime.add('database', await openDatabase(options), (opened) => opened.close());
    const nats = { ...natsOptions(config), logger };
    const link = lifetime.add('nats', await connectNats({ ...nats, service: 'gateway' }), (opened) => opened.close());
    lifetime.add('housekeeping', startHousekeeping(database, logger, outdated(clock)), (started) => started.close());
    const instance = lifetime.add('instance', await startInstance(database, logger), (started) => started.close());
    const credentials = { pepper: config.KEY_PEPPER, platformKey: config.PLATFORM_KEY };
    const authenticator = createAuthenticator({ database, clock, logger, ...credentials });
    lifetime.add('authenticator', authenticator, (created) => created.close());
    const checks = [...databaseChecks(database), natsCheck(link)];
    const requester = createRequester(link);
    const rateWindows = createRateWindows(database);
    const perMinute = config.RATE_LIMIT_PER_MINUTE;
    const app: App = {
      config,
      logger,
      clock,
      database,
      authenticator,
      requester,
      idempotency: createIdempotencyStore(database, config.KEY_PEPPER, instance.owner),
      answerRoom: new AnswerRoom(answerLimits),
      accountQuota: perMinute === 0 ? null : new AccountQuota(perMinute, rateWindows, logger),
      limitSignIn: perMinute === 0 ? unlimitedSignIn : createSignInLimit(rateWindows),
      clockControl: config.CLOCK_CONTROL === 'enabled' ? (deps.clockControl ?? null) : null,
      checks,
      writeRefusal: deps.writeRefusal ?? (() => undefined),
    };
    const server = lifetime.add('http server', await createServer(app), (created) => {
      requester.finishWithin(finishWithinMs);
      return created.close();
    });
    await server.listen({ port: config.PORT, host: config.HOST });
    return {
      name: 'gateway',
      checks,
      url: urlOf(server.server.address() as AddressInfo),
      close: () => lifetime.close(),
    };
  } catch (err) {
    await lifetime.close();
    throw err;
  }
}

function urlOf({ address, port }: AddressInfo): string {
  const anywhere = address === '0.0.0.0' || address === '::';
  return `http://${anywhere ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address}:${port}`;
}
