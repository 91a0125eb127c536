import { type PricedProduct, resolveProducts, type WantedProduct } from '@app/contracts/products-for-sale';
import type { Requester } from '@app/messaging/requester';
import { storedCode } from './order.rules.ts';
import type { OrderCommand } from './order-command.ts';

/**
 * The product that each order names, as the catalog has it right now, in the orders' places; null for a slug its account
 * does not have. The request is sent after every order of the batch arrived, so each order sees every catalog change
 * that was acknowledged before it.
 */
export async function currentProducts(
  requester: Requester,
  commands: readonly OrderCommand[],
): Promise<(PricedProduct | null)[]> {
  const wanted = new Map<string, Wanted>();
  for (const command of commands) addTo(wanted, command);
  const requestId = commands[0]?.context.requestId ?? '';
  const input = { wanted: [...wanted.values()].map(wantedProductOf) };
  // `offers` is the old name of the field: see the contract.
  const { offers: products } = await requester.request(resolveProducts, input, { accountId: '', requestId });
  const byKey = new Map([...wanted.keys()].map((key, index) => [key, products[index] ?? null]));
  return commands.map((command) => byKey.get(keyOf(command)) ?? null);
}

/** One product of one account, and all bumps and codes that orders of the batch name with it. */
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

function wantedProductOf({ bumpIds, discountCodes, ...product }: Wanted): WantedProduct {
  return { ...product, bumpIds: [...bumpIds], discountCodes: [...discountCodes] };
}
