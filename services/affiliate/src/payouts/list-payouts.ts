import type { listPayouts as contract } from '@app/contracts/affiliates';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { invalidField } from '@app/contracts/validation';
import type { ColumnsOf, Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import { requireAffiliate } from '../affiliates/require-affiliate.ts';

interface PayoutRow {
  readonly id: string;
  readonly affiliate_code: string;
  readonly amount_cents: number;
  readonly currency: string;
  readonly commission_count: number;
  readonly created_at: Date;
}

const row: ColumnsOf<PayoutRow> = {
  id: 'text',
  affiliate_code: 'text',
  amount_cents: 'int8',
  currency: 'text',
  commission_count: 'int4',
  created_at: 'timestamptz',
};
const list = { table: 'payouts', row };
const payoutsOfAccount = pagedList<PayoutRow>({ ...list, name: 'payouts', scope: ['account_id'] });
const payoutsOfAffiliate = pagedList<PayoutRow>({
  ...list,
  name: 'payouts-of-affiliate',
  scope: ['account_id', 'affiliate_id'],
});

/**
 * The account's payouts, newest first; those of one affiliate with `code`.
 * @throws DomainError validation_failed for an unknown code
 */
export async function listPayouts(
  database: Database,
  accountId: string,
  { code, ...page }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const { data, ...rest } = await (code === undefined
    ? payoutsOfAccount(database, [accountId], page)
    : payoutsOfAffiliate(database, [accountId, await affiliateOf(database, accountId, code)], page));
  return { data: data.map((row) => ({ ...row, created_at: row.created_at.toISOString() })), ...rest };
}

async function affiliateOf(database: Database, accountId: string, code: string): Promise<string> {
  try {
    return (await requireAffiliate(database.fork(), accountId, code)).id;
  } catch (err) {
    if (!(err instanceof DomainError)) throw err;
    throw invalidField('code', 'must be the code of an affiliate of this account', 'unknown_id');
  }
}
