import type { ServiceContext } from '@app/service-host/define-service';
import { startLeaseOwner } from '@app/service-kit/lease-owner';
import type { App } from './api/app.ts';
import { createIdempotencyStore } from './api/idempotency-store.ts';
import { createWriteTurns } from './api/write-turns.ts';
import type { GatewayConfig } from './config.ts';
import { healthTimes } from './edge/health-routes.ts';
import { createAuthenticator } from './identity/authenticator.ts';
import { createBuyerDigests } from './identity/buyer-digests.ts';
import { findSeller } from './identity/find-seller.ts';
import { LookupCache } from './identity/lookup-cache.ts';
import { passwordCost } from './identity/password.ts';
import { createVisitorDigest } from './identity/visitor.ts';
import { startLetters } from './letters/letters.ts';
import { AccountQuota } from './limits/account-quota.ts';
import { AddressLimiter } from './limits/address-limiter.ts';
import { createAttemptCapacity } from './limits/attempt-capacity.ts';
import { createDeclineLimit, type DeclineLimit, noDeclineLimit } from './limits/decline-limit.ts';
import { createLoginLimit, unlimitedLogin } from './limits/login-limit.ts';
import { createRateWindows, type RateWindows } from './limits/rate-windows.ts';
import { ReadLimiter, readLimits } from './limits/read-limiter.ts';
import { createRefusals } from './limits/refusals.ts';

/** For callers without a valid key, each address. */
const addressLimitPerMinute = 60;
/** For buyers, each address: a purchase takes some ten requests, and an office shares one address. */
const buyersLimitPerMinute = 600;

/** What the gateway's requests share; `resources` close it in reverse. */
export async function openApp(
  context: ServiceContext<GatewayConfig>,
  deps: Partial<Pick<App, 'clockControl' | 'writeRefusal' | 'passwordCost' | 'healthTimes'>> & {
    readonly quotaWithinMs?: number;
  },
): Promise<App> {
  const { config, database, requester, wakeRelay, clock, logger, checks, resources } = context;
  const leaseOwner = resources.add('lease owner', await startLeaseOwner(database, logger), (started) =>
    started.close(),
  );
  const credentials = { pepper: config.KEY_PEPPER, platformKey: config.PLATFORM_KEY };
  const authenticator = createAuthenticator({ database, clock, logger, ...credentials });
  resources.add('authenticator', authenticator, (created) => created.close());
  const rateWindows = createRateWindows(database);
  const addressLimiter = new AddressLimiter({ limit: addressLimitPerMinute }, rateWindows, logger);
  resources.add('address limiter', addressLimiter, (created) => created.close());
  const buyersLimiter = new AddressLimiter({ policy: 'buyers', limit: buyersLimitPerMinute }, rateWindows, logger);
  resources.add('buyers limiter', buyersLimiter, (created) => created.close());
  const letters = resources.add('letters', startLetters(config, { database, clock, logger }, rateWindows), (started) =>
    started.close(),
  );
  const perMinute = config.RATE_LIMIT_PER_MINUTE;
  return {
    ...{ config, logger, clock, database, authenticator, requester, wakeRelay, checks },
    idempotency: createIdempotencyStore(database, config.KEY_PEPPER, leaseOwner.id),
    readLimiter: new ReadLimiter(readLimits),
    writeTurns: createWriteTurns(),
    accountQuota: perMinute === 0 ? null : new AccountQuota(perMinute, rateWindows, logger, deps.quotaWithinMs),
    addressLimiter,
    buyersLimiter,
    letters,
    limitLogin: perMinute === 0 ? unlimitedLogin : createLoginLimit(rateWindows),
    declineLimit: perMinute === 0 ? noDeclineLimit : startDeclineLimit(context, rateWindows),
    // A handle that was just taken is known at once.
    sellers: new LookupCache((handle: string) => findSeller(database, handle), { keepsMisses: false }),
    passwordCost: deps.passwordCost ?? passwordCost,
    healthTimes: deps.healthTimes ?? healthTimes,
    visitorOf: createVisitorDigest(config.KEY_PEPPER),
    buyerDigests: createBuyerDigests(config.KEY_PEPPER),
    clockControl: config.CLOCK_CONTROL === 'enabled' ? (deps.clockControl ?? null) : null,
    writeRefusal: deps.writeRefusal ?? (() => undefined),
  };
}

function startDeclineLimit(context: ServiceContext<GatewayConfig>, windows: RateWindows): DeclineLimit {
  const { config, database, clock, logger, wakeRelay, resources } = context;
  const capacity = resources.add('attempt capacity', createAttemptCapacity(database), (created) => created.close());
  const refusals = createRefusals({ windows, database, clock, wakeRelay, pepper: config.KEY_PEPPER });
  return createDeclineLimit({ windows, capacity, refusals, logger });
}
