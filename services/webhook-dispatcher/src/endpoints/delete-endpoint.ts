import { runCommandOnce } from '@app/messaging/run-command-once';
import type { EndpointDeps } from './endpoint-deps.ts';
import { endpointNotFound, lockPrimaryEndpoint, markUnsettled } from './endpoint-resource.ts';

/**
 * Removes the account's endpoint and its secret. Its waiting deliveries are canceled (settle-endpoint.ts), and Recent
 * activity says so once that is done.
 * @throws DomainError webhook_endpoint_not_found
 */
export async function deleteEndpoint(deps: EndpointDeps, accountId: string, commandId: string): Promise<{ ok: true }> {
  const { ok, removed } = await runCommandOnce(deps.database.fork(), commandId, async (tx) => {
    const endpoint = await lockPrimaryEndpoint(tx, accountId);
    if (endpoint === null) throw endpointNotFound();
    tx.remove(endpoint);
    await tx.flush();
    await tx.execute('delete from failing_endpoints where endpoint_id = ? and account_id = ?', [
      endpoint.id,
      accountId,
    ]);
    await markUnsettled(tx, endpoint, deps.clock.now());
    return { ok: true as const, removed: endpoint.id };
  });
  await deps.settle(removed);
  deps.announce(removed);
  return { ok };
}
