import type { commissionResource, listCommissions as contract } from '@app/contracts/affiliates';
import { limits } from '@app/contracts/common';
import type { RequestInput } from '@app/contracts/define';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import type { z } from 'zod';
import { requireAffiliate } from '../affiliates/require-affiliate.ts';

const selectOfAffiliate = `select id, order_id, amount_cents, currency, status, created_at
  from commissions where account_id = $1 and affiliate_id = $2`;
const newest = statement('commissions-newest', `${selectOfAffiliate} order by id desc limit $3`);
const newestBefore = statement(
  'commissions-newest-before',
  `${selectOfAffiliate} and id < $4 order by id desc limit $3`,
);

/** A row is the published shape but for its time, which JSON writes as ISO 8601. */
type CommissionRow = Omit<z.infer<typeof commissionResource>, 'created_at'> & { readonly created_at: Date };

/** A partner's latest commissions, newest first; ids sort by the time of the sale, so they page by id. */
export async function listCommissions(
  database: Database,
  accountId: string,
  { code, limit, before }: RequestInput<typeof contract>,
): Promise<Serialized> {
  const affiliate = await requireAffiliate(database.fork(), accountId, code);
  const length = limit ?? limits.listMax;
  const values = [accountId, affiliate.id, length + 1];
  const query = before === undefined ? newest(values) : newestBefore([...values, before]);
  const { rows } = await database.pool.query<CommissionRow>(query);
  const paging = limit !== undefined || before !== undefined;
  return new Serialized(
    JSON.stringify({ data: rows.slice(0, length), ...(paging && { has_more: rows.length > length }) }),
  );
}
