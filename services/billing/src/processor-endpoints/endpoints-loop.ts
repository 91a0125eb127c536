import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import { addressPrefix, compareDue, type EndpointDeps, endpointShape } from './compare-endpoint.ts';
import { expectChanged } from './endpoint-rows.ts';

/** Stored keys wake the loop of their replica; further attempts are minutes apart. */
const pauseMs = 30_000;

/**
 * Makes, changes and deletes in the background of each replica the endpoints at Stripe that accounts' events come through, each
 * claimed by one replica. When it starts, all those of another address or of other events than this version's are due.
 */
export function startEndpointsLoop(deps: EndpointDeps): BackgroundLoop {
  const { database, clock, logger, reachableBase } = deps;
  let isExpected = reachableBase === null;
  const loop = startLoop({
    name: 'billing.processor-endpoints',
    held: () => deps.processorCalls.isHeld(),
    round: async () => {
      if (!isExpected && reachableBase !== null) {
        await expectChanged(database, addressPrefix(reachableBase), endpointShape, clock.now());
      }
      isExpected = true;
      if ((await compareDue(deps)) > 0) loop.wake();
    },
    pauseMs: () => pauseMs,
    onFailure: (err) => logger.warn({ err }, 'webhook endpoints could not be compared with Stripe; retrying'),
  });
  return loop;
}
