import { isIP } from 'node:net';
import { reachableBase } from '../processor-endpoints/reachable-base.ts';

/**
 * The names of the hosts whose pages take cards: wallets are shown at public names over https alone.
 * @param base where Stripe reaches this deployment; null where it does not: a copy of the database registers nothing
 * @param checkoutUrl of the seller's own page
 */
export function domainsOf(base: string | null, checkoutUrl: string | null): string[] {
  if (base === null) return [];
  const reachable = [base, checkoutUrl].flatMap((address) => reachableBase(address ?? undefined) ?? []);
  const names = reachable.map((address) => new URL(address).hostname);
  return [...new Set(names)].filter((name) => isIP(name.replaceAll(/[[\]]/g, '')) === 0);
}
