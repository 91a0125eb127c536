import type { listAffiliates as contract } from '@app/contracts/affiliates';
import type { PageQuery } from '@app/contracts/common';
import type { RequestOutput } from '@app/contracts/define';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
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

/** The account's affiliates, newest first. */
export async function listAffiliates(
  database: Database,
  accountId: string,
  page: PageQuery,
): Promise<RequestOutput<typeof contract>> {
  const { data, ...rest } = await affiliatesOfAccount(database, [accountId], page);
  return { data: data.map(affiliateResourceOf), ...rest };
}
