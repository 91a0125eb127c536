import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { compareDomainsDue, type DomainDeps } from './compare-domains.ts';
import { expectMoved } from './domain-rows.ts';

/** Stored keys wake the loop of their replica; an address of a seller's page may wait for so long. */
const pauseMs = 30_000;

/**
 * Registers in the background of each replica the domains at Stripe on which wallets are shown, each account's claimed by one
 * replica. When it starts, all those are due that were registered for another address of this deployment.
 */
export function startDomainsLoop(deps: DomainDeps): BackgroundLoop {
  const { database, clock, logger, reachableBase } = deps;
  let isExpected = reachableBase === null;
  const loop = startLoop({
    name: 'billing.processor-domains',
    held: () => deps.processorCalls.isHeld(),
    round: async () => {
      if (!isExpected && reachableBase !== null) await expectMoved(database, reachableBase, clock.now());
      isExpected = true;
      if ((await compareDomainsDue(deps)) > 0) loop.wake();
    },
    pauseMs: () => pauseMs,
    onFailure: (err) => logger.warn({ err }, 'domains for wallets could not be compared with Stripe; retrying'),
  });
  return loop;
}
