import type { getAffiliate as contract } from '@app/contracts/affiliates';
import type { RequestOutput } from '@app/contracts/define';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { readBalances } from '../ledger/read-balances.ts';
import { affiliateResourceOf } from './affiliate.entity.ts';
import { requireAffiliate } from './require-affiliate.ts';

/**
 * The account's affiliate with this code, in any case, with what is pending, due and paid.
 * @throws DomainError affiliate_not_found
 */
export async function getAffiliate(
  { database, clock }: Pick<UseCaseDeps, 'database' | 'clock'>,
  accountId: string,
  code: string,
): Promise<RequestOutput<typeof contract>> {
  const affiliate = await requireAffiliate(database.fork(), accountId, code);
  const balances = await readBalances(database.pool, accountId, [affiliate.id], clock.now());
  return { ...affiliateResourceOf(affiliate), balances: [...(balances.get(affiliate.id) ?? [])] };
}
