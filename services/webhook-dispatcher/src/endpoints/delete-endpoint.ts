import { once } from '@app/messaging/once';
import { endpointRemovedText } from '../activity/activity.rules.ts';
import { insertNoticesSql, newNotice } from '../activity/notices.ts';
import type { EndpointDeps } from './endpoint-deps.ts';
import { lockPrimary, noEndpoint } from './endpoint-resource.ts';

/**
 * Removes the account's endpoint and its secret. What waits for it is canceled, which Recent activity says.
 * @throws DomainError webhook_endpoint_not_found
 */
export async function deleteEndpoint(deps: EndpointDeps, accountId: string, commandId: string): Promise<{ ok: true }> {
  const { ok, removed } = await once(deps.database.fork(), commandId, async (tx) => {
    const endpoint = await lockPrimary(tx, accountId);
    if (endpoint === null) throw noEndpoint();
    tx.remove(endpoint);
    const canceled = await tx.execute<unknown[]>(cancel, [accountId, endpoint.id]);
    const summary = endpointRemovedText(endpoint.url, canceled.length);
    const notice = newNotice(deps.clock, { accountId, summary, url: endpoint.url });
    await tx.execute(insertNoticesSql.replace('$1', '?'), [JSON.stringify([notice])]);
    return { ok: true as const, removed: endpoint.id };
  });
  deps.announce(removed);
  return { ok };
}

const cancel = `update deliveries set status = 'canceled'
  where account_id = ? and endpoint_id = ? and status in ('pending', 'held') returning id`;
