import { resolveCredits } from '@app/contracts/affiliates';
import type { Requester } from '@app/messaging/requester';
import type { CheckoutRow } from './checkout-row.ts';

/**
 * The code of the affiliate who is credited with a checkout's sale, as the affiliate has it; null for nobody. Asks only
 * when the buyer came with a code.
 * @throws Error when affiliate does not answer: a guess could pay the wrong affiliate
 */
export async function creditedCode(
  requester: Requester,
  { account_id, affiliate_code }: CheckoutRow,
  customerEmail: string,
  requestId: string,
): Promise<string | null> {
  if (affiliate_code === null) return null;
  const wanted = [{ accountId: account_id, code: affiliate_code, customerEmail }];
  const { credited } = await requester.request(resolveCredits, { wanted }, { accountId: '', requestId });
  return credited[0] ?? null;
}
