import type { commissionResource, listCommissions as contract } from '@app/contracts/affiliates';
import type { RequestInput } from '@app/contracts/define';
import { Serialized } from '@app/messaging/serve-requests';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import type { z } from 'zod';
import { requireAffiliate } from '../affiliates/require-affiliate.ts';

/** A row has the published shape except for its time, which `JSON.stringify` writes as ISO 8601. */
type CommissionRow = Omit<z.infer<typeof commissionResource>, 'created_at'> & { readonly created_at: Date };

const commissionsOfAffiliate = pagedList<CommissionRow>({
  name: 'commissions',
  table: 'commissions',
  columns: 'id, order_id, amount_cents, currency, status, created_at',
  scope: ['account_id', 'affiliate_id'],
});

/** An affiliate's commissions, newest sale first: ids sort by the time of the sale. Throws `affiliate_not_found`. */
export async function listCommissions(
  database: Database,
  accountId: string,
  { code, ...page }: RequestInput<typeof contract>,
): Promise<Serialized> {
  const affiliate = await requireAffiliate(database.fork(), accountId, code);
  return new Serialized(JSON.stringify(await commissionsOfAffiliate(database, [accountId, affiliate.id], page)));
}
