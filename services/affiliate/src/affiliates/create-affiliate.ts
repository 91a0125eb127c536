import type { createAffiliate as contract } from '@app/contracts/affiliates';
import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import type { RequestContext } from '@app/messaging/request-headers';
import { runCommandOnce } from '@app/messaging/run-command-once';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { Affiliate, affiliateResourceOf, commissionColumns } from './affiliate.entity.ts';

/** @throws DomainError limit_reached, code_taken; codes that differ in case only are the same */
export async function createAffiliate(
  { database, clock }: UseCaseDeps,
  { accountId, commandId }: RequestContext,
  { body }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  try {
    return await runCommandOnce(database.fork(), commandId, async (tx) => {
      if ((await tx.count(Affiliate, { accountId })) >= limits.affiliatesPerAccount) {
        throw new DomainError('limit_reached', `The limit of ${limits.affiliatesPerAccount} affiliates is reached.`);
      }
      const affiliate = tx.create(Affiliate, {
        accountId,
        id: idOfCommand('affiliate', commandId),
        code: body.code,
        name: body.name,
        email: body.email,
        commissionBasisPoints: null,
        commissionCents: null,
        ...commissionColumns(body),
        renewalMonths: body.renewalMonths ?? 0,
        createdAt: clock.now(),
      });
      return affiliateResourceOf(affiliate);
    });
  } catch (err) {
    // A look-up before the insert would not see the uncommitted row of another transaction.
    if ((err as { constraint?: unknown }).constraint !== 'affiliates_code_unique') throw err;
    throw new DomainError('code_taken', 'Another affiliate of this account has this code.');
  }
}
