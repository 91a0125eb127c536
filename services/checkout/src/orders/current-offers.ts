import { resolveOffers, type SaleOffer, type WantedOffer } from '@app/contracts/catalog';
import type { Requester } from '@app/messaging/requester';
import { storedCode } from './order.rules.ts';
import type { OrderCommand } from './order-command.ts';

/**
 * What catalog says right now of what each order names, in the orders' place; null for a slug its account does not
 * have. Asked after every order of the batch arrived, so each sees every catalog change acknowledged before it.
 */
export async function currentOffers(
  requester: Requester,
  commands: readonly OrderCommand[],
): Promise<(SaleOffer | null)[]> {
  const wanted = new Map<string, Wanted>();
  for (const command of commands) addTo(wanted, command);
  const requestId = commands[0]?.context.requestId ?? '';
  const input = { wanted: [...wanted.values()].map(questionOf) };
  const answer = await requester.request(resolveOffers, input, { accountId: '', requestId });
  const byKey = new Map([...wanted.keys()].map((key, index) => [key, answer.offers[index] ?? null]));
  return commands.map((command) => byKey.get(keyOf(command)) ?? null);
}

/** One product of one account, and all that orders of the batch name beside it. */
interface Wanted {
  readonly accountId: string;
  readonly slug: string;
  readonly bumpIds: Set<string>;
  readonly discountCodes: Set<string>;
}

const keyOf = ({ context, body }: OrderCommand): string => `${context.accountId}/${body.productSlug}`;

function addTo(wanted: Map<string, Wanted>, command: OrderCommand): void {
  const { context, body } = command;
  const key = keyOf(command);
  const entry = wanted.get(key) ?? {
    accountId: context.accountId,
    slug: body.productSlug,
    bumpIds: new Set(),
    discountCodes: new Set(),
  };
  wanted.set(key, entry);
  for (const id of body.bumpIds ?? []) entry.bumpIds.add(id);
  if (body.discountCode) entry.discountCodes.add(storedCode(body.discountCode));
}

function questionOf({ bumpIds, discountCodes, ...pair }: Wanted): WantedOffer {
  return { ...pair, bumpIds: [...bumpIds], discountCodes: [...discountCodes] };
}
