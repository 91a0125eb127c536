import { resolveCredits } from '@app/contracts/affiliates';
import type { Requester } from '@app/messaging/requester';
import type { ItemResult } from '@app/service-kit/batcher';
import type { OrderCommand } from './order-command.ts';

type Credit = ItemResult<string | null>;

export const nobodyCredited: Credit = { ok: true, value: null };

/**
 * The code of the affiliate who is credited with each order, in the orders' places; null for nobody. One request asks
 * for all orders that name a code, and none is sent when no order does. Without a response these orders fail, and only
 * these: a guess could pay the wrong affiliate.
 */
export async function creditedAffiliates(requester: Requester, commands: readonly OrderCommand[]): Promise<Credit[]> {
  const named = commands.flatMap(({ context, body }) =>
    body.affiliateCode ? [{ accountId: context.accountId, code: body.affiliateCode, customerEmail: body.email }] : [],
  );
  if (named.length === 0) return [];
  const credits = await ask(requester, named, commands[0]?.context.requestId ?? '');
  return commands.map(({ body }) => (body.affiliateCode ? (credits.shift() as Credit) : nobodyCredited));
}

type Named = { accountId: string; code: string; customerEmail: string };

async function ask(requester: Requester, wanted: Named[], requestId: string): Promise<Credit[]> {
  try {
    const { credited } = await requester.request(resolveCredits, { wanted }, { accountId: '', requestId });
    return wanted.map((_, index) => ({ ok: true, value: credited[index] ?? null }));
  } catch (error) {
    return wanted.map(() => ({ ok: false, error }));
  }
}
