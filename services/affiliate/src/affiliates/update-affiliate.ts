import type { updateAffiliate as contract } from '@app/contracts/affiliates';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommandOnce } from '@app/messaging/run-command-once';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { LockMode } from '@mikro-orm/postgresql';
import { affiliateResourceOf, commissionColumns } from './affiliate.entity.ts';
import { requireAffiliate } from './require-affiliate.ts';

/**
 * Changes the given fields; commissions on earlier sales stay as they are.
 * @throws DomainError affiliate_not_found
 */
export async function updateAffiliate(
  { database }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { code, body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  return await runCommandOnce(database.fork(), commandId, async (tx) => {
    // The row is locked so that of two changes at once, to a percentage and to an amount, the later sees the earlier.
    const affiliate = await requireAffiliate(tx, accountId, code, LockMode.PESSIMISTIC_WRITE);
    const { name = affiliate.name, email = affiliate.email, renewalMonths = affiliate.renewalMonths } = body;
    return affiliateResourceOf(Object.assign(affiliate, { name, email, renewalMonths }, commissionColumns(body)));
  });
}
