import { getPaymentProcessor } from '@app/contracts/payment-processors';
import type { ServiceContext } from '@app/service-host/define-service';
import { startLeaseOwner } from '@app/service-kit/lease-owner';
import { LookupCache } from '@app/service-kit/lookup-cache';
import { secretsOf } from '@app/service-kit/sealed-box';
import type { App } from './api/app.ts';
import { createIdempotencyStore } from './api/idempotency-store.ts';
import { createImageCaches } from './api/image-routes.ts';
import type { GatewayConfig } from './config.ts';
import { healthTimes } from './edge/health-routes.ts';
import type { GatewayDeps } from './gateway-deps.ts';
import { startAuditLog } from './identity/audit/audit-log.ts';
import { createAuthenticator } from './identity/authenticator.ts';
import { createBuyerDigests } from './identity/buyer-digests.ts';
import { createCodesBox } from './identity/factors/one-time-codes.ts';
import { findSeller } from './identity/find-seller.ts';
import { startLetters } from './identity/letters/letters.ts';
import { passwordCost } from './identity/password.ts';
import { createPortalTokens } from './identity/portal-links.ts';
import { createVisitorDigest } from './identity/visitor.ts';
import { createRateWindows } from './limits/rate-windows.ts';
import { openLimits } from './open-limits.ts';

type Given = Partial<
  Pick<GatewayDeps, 'clockControl' | 'writeRefusal' | 'passwordCost' | 'healthTimes' | 'quotaWithinMs'>
>;

/** Opens what the gateway's requests share; `resources` close it in reverse. */
export async function openApp(context: ServiceContext<GatewayConfig>, deps: Given): Promise<App> {
  const { config, database, installation, requester, wakeRelay, clock, logger, checks, resources } = context;
  const { KEY_PEPPER: pepper, PLATFORM_KEY: platformKey } = config;
  const peppers = secretsOf(pepper, config.KEY_PEPPER_PREVIOUS);
  const leaseOwner = await startLeaseOwner(database, logger);
  resources.add('lease owner', leaseOwner, (started) => started.close());
  const authenticator = createAuthenticator({ database, clock, logger, peppers, platformKey });
  resources.add('authenticator', authenticator, (created) => created.close());
  const auditLog = startAuditLog({ database, clock, logger });
  resources.add('audit log', auditLog, (started) => started.close());
  const rateWindows = createRateWindows(database);
  const limits = openLimits(context, rateWindows, deps.quotaWithinMs);
  const letters = startLetters(config, { database, clock, installation, logger, requester }, rateWindows);
  resources.add('letters', letters, (started) => started.close());
  return {
    ...limits,
    config,
    logger,
    clock,
    database,
    installation,
    authenticator,
    auditLog,
    requester,
    wakeRelay,
    checks,
    letters,
    images: createImageCaches({ database, requester }),
    codesBox: createCodesBox(peppers),
    idempotency: createIdempotencyStore(database, peppers, leaseOwner.id),
    // A handle that was just taken is known at once.
    sellers: new LookupCache((handle: string) => findSeller(database, handle), { keepsMisses: false }),
    processors: new LookupCache(
      (accountId: string) => requester.request(getPaymentProcessor, {}, { accountId, requestId: '' }),
      { keepsMisses: false },
    ),
    passwordCost: deps.passwordCost ?? passwordCost,
    healthTimes: deps.healthTimes ?? healthTimes,
    portalTokens: createPortalTokens(pepper),
    visitorOf: createVisitorDigest(pepper),
    buyerDigests: createBuyerDigests(pepper),
    nextDailyRunMs: context.nextDailyRunMs,
    clockControl: config.CLOCK_CONTROL === 'enabled' ? (deps.clockControl ?? null) : null,
    writeRefusal: deps.writeRefusal ?? (() => undefined),
  };
}
