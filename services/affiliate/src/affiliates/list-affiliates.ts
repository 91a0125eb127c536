import type { listAffiliates as contract } from '@app/contracts/affiliates';
import type { RequestOutput } from '@app/contracts/define';
import type { Database } from '@app/service-kit/database';
import { Affiliate, affiliateResourceOf } from './affiliate.entity.ts';

/** Every partner of the account, in order of creation. */
export async function listAffiliates(database: Database, accountId: string): Promise<RequestOutput<typeof contract>> {
  const affiliates = await database.fork().find(Affiliate, { accountId }, { orderBy: { id: 'asc' } });
  return { data: affiliates.map(affiliateResourceOf) };
}
