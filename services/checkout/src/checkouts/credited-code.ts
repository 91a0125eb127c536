import type { Requester } from '@app/messaging/requester';
import { type Credit, requestCredits } from '../orders/credited-affiliates.ts';
import type { CheckoutRow } from './checkout-row.ts';

/** The credit of a checkout's sale. Sends a request only when the buyer came with a code. */
export async function creditedCode(
  requester: Requester,
  { account_id, affiliate_code }: CheckoutRow,
  customerEmail: string,
  requestId: string,
): Promise<Credit> {
  if (affiliate_code === null) return null;
  const wanted = [{ accountId: account_id, code: affiliate_code, customerEmail }];
  const [credit] = await requestCredits(requester, wanted, requestId);
  return credit;
}
