import type { listAffiliates as contract } from '@app/contracts/affiliates';
import type { PageQuery } from '@app/contracts/common';
import type { RequestOutput } from '@app/contracts/define';
import type { UseCaseDeps } from '@app/service-host/define-service';
import { pagedList } from '@app/service-kit/paging';
import { readBalances } from '../ledger/read-balances.ts';
import { type AffiliateRow, affiliateResourceOf } from './affiliate.entity.ts';

const affiliatesOfAccount = pagedList<AffiliateRow>({
  name: 'affiliates',
  table: 'affiliates',
  columns: `id, code, name, email, commission_basis_points as "commissionBasisPoints",
    commission_cents as "commissionCents", renewal_months as "renewalMonths", created_at as "createdAt"`,
  row: {
    id: 'text',
    code: 'text',
    name: 'text',
    email: 'text',
    commissionBasisPoints: 'int4',
    commissionCents: 'int8',
    renewalMonths: 'int4',
    createdAt: 'timestamptz',
  },
  scope: ['account_id'],
});

/** The account's affiliates, newest first, with what each has pending, due and paid: a statement for all of the page. */
export async function listAffiliates(
  { database, clock }: Pick<UseCaseDeps, 'database' | 'clock'>,
  accountId: string,
  page: PageQuery,
): Promise<RequestOutput<typeof contract>> {
  const { data, ...rest } = await affiliatesOfAccount(database, [accountId], page);
  const ids = data.map(({ id }) => id);
  const balances = await readBalances(database.pool, accountId, ids, clock.now());
  const listed = data.map((row) => ({ ...affiliateResourceOf(row), balances: [...(balances.get(row.id) ?? [])] }));
  return { data: listed, ...rest };
}
