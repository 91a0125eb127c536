import type { RequestOutput } from '@app/contracts/define';
import type { readDiscountUses as contract } from '@app/contracts/discounts';
import type { Database } from '@app/service-kit/database';
import { usesOf } from './discount-uses.ts';

/** How often each discount of the account was used, in the order of the ids; 0 for one that it does not have. */
export async function readDiscountUses(
  { pool }: Database,
  accountId: string,
  discountIds: readonly string[],
): Promise<RequestOutput<typeof contract>> {
  const discounts = discountIds.map((discountId) => ({ accountId, discountId }));
  return { uses: await usesOf(pool, discounts) };
}
