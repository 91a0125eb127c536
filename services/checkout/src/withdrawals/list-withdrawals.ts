import type { RequestInput, RequestOutput } from '@app/contracts/define';
import type { listWithdrawals as contract } from '@app/contracts/withdrawals';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import { type WithdrawalRow, withdrawalColumns, withdrawalOf, withdrawalTypes } from './withdrawal-row.ts';

const list = { table: 'withdrawals', row: withdrawalTypes, columns: withdrawalColumns } as const;
const all = pagedList<WithdrawalRow>({ ...list, name: 'withdrawals', scope: ['account_id'] });
const ofStatus = pagedList<WithdrawalRow>({
  ...list,
  name: 'withdrawals-of-status',
  scope: ['account_id', 'status'],
});

/**
 * Withdrawals of the account, newest first, rehearsals among them.
 * @throws DomainError validation_failed when `before` is the id of none of the account's
 */
export async function listWithdrawals(
  database: Database,
  accountId: string,
  { status, ...page }: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const { data, ...rest } =
    status === undefined ? await all(database, [accountId], page) : await ofStatus(database, [accountId, status], page);
  return { data: data.map(withdrawalOf), ...rest };
}
