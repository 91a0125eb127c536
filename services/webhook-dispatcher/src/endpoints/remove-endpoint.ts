import { runCommandOnce } from '@app/messaging/run-command-once';
import { forgetFailures } from './change-endpoint.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { lockEndpoint, type Which } from './find-endpoint.ts';
import { recordChange } from './record-change.ts';

/**
 * Removes an endpoint and its secrets. Its waiting deliveries are canceled (apply-change.ts), and Recent activity says
 * so once that is done. The next event of an account without a URL makes an endpoint that holds it.
 * @throws DomainError webhook_endpoint_not_found
 */
export async function removeEndpoint(
  deps: EndpointDeps,
  { accountId, commandId }: { accountId: string; commandId: string },
  which: Which,
): Promise<{ ok: true }> {
  const { ok, removed } = await runCommandOnce(deps.database.fork(), commandId, async (tx) => {
    const endpoint = await lockEndpoint(tx, accountId, which);
    tx.remove(endpoint);
    await tx.flush();
    await forgetFailures(tx, endpoint);
    await recordChange(tx, endpoint, deps.clock.now());
    return { ok: true as const, removed: endpoint.id };
  });
  await deps.applyChange(removed);
  deps.announce(removed);
  return { ok };
}
