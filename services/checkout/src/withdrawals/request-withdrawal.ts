import { readSettingsOf } from '@app/account-settings/read-settings';
import type { Settings } from '@app/contracts/accounts';
import type { RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import {
  type requestWithdrawal as contract,
  type DeclaredWithdrawal,
  withdrawalStatement,
} from '@app/contracts/withdrawals';
import type { Database } from '@app/service-kit/database';

type Draft = RequestOutput<typeof contract>;

/**
 * The statement as it would be declared.
 * @throws DomainError not_allowed_by_seller
 */
export async function requestWithdrawal(
  { pool }: Database,
  accountId: string,
  body: DeclaredWithdrawal,
): Promise<Draft> {
  return draftOf(await readSettingsOf(pool, accountId), body);
}

/** @throws DomainError not_allowed_by_seller where the shop takes no withdrawals */
export function draftOf({ withdrawalDays, businessName: seller }: Settings, body: DeclaredWithdrawal): Draft {
  if (withdrawalDays === 0)
    throw new DomainError('not_allowed_by_seller', 'This shop takes no withdrawals on its page: write to the seller.');
  return { ...body, seller, statement: withdrawalStatement(seller, body) };
}
