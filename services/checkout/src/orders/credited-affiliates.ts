import { resolveCredits } from '@app/contracts/affiliates';
import { DomainError } from '@app/contracts/errors';
import type { Requester } from '@app/messaging/requester';
import { isOutage } from '@app/service-kit/outages';
import type { OrderCommand } from './order-command.ts';

/**
 * The code of the affiliate who is credited with a sale, as the affiliate has it; null for none. Undefined while the
 * affiliate service does not answer: it decides later, from the sale's event.
 */
export type Credit = string | null | undefined;

/** A sale that names an affiliate code. */
export interface NamedSale {
  readonly accountId: string;
  readonly code: string;
  readonly customerEmail: string;
}

/** The credit of each sale, in the order of `wanted`. The sale never waits for an affiliate service that is out. */
export async function requestCredits(
  requester: Requester,
  wanted: readonly NamedSale[],
  requestId: string,
): Promise<Credit[]> {
  const context = { accountId: '', requestId };
  try {
    const { credited } = await requester.request(resolveCredits, { wanted: [...wanted] }, context);
    return wanted.map((_, index) => credited[index] ?? null);
  } catch (err) {
    if (err instanceof DomainError || isOutage(err)) return wanted.map(() => undefined);
    throw err;
  }
}

/** What `order.paid` says of a credit. */
export const creditFields = (credit: Credit) => ({
  creditedCode: credit ?? null,
  creditPending: credit === undefined,
});

/**
 * The credit of each order, in the order of `commands`. One request serves all orders that name a code, and none is sent when
 * no order does.
 */
export async function creditedAffiliates(requester: Requester, commands: readonly OrderCommand[]): Promise<Credit[]> {
  const named = commands.flatMap(({ context, body }) =>
    body.affiliateCode ? [{ accountId: context.accountId, code: body.affiliateCode, customerEmail: body.email }] : [],
  );
  if (named.length === 0) return commands.map(() => null);
  const credits = await requestCredits(requester, named, commands[0]?.context.requestId ?? '');
  return commands.map(({ body }) => (body.affiliateCode ? credits.shift() : null));
}
