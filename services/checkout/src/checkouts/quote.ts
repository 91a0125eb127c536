import { hash } from 'node:crypto';
import type { ProductForSale } from '@app/contracts/products-for-sale';
import type { StoredItem } from '../orders/order.rules.ts';

/** What a buyer agrees to: the lines, in which currency, and how often the product's line is charged again. */
export interface Quoted {
  readonly product: Pick<ProductForSale, 'currency' | 'pricingType' | 'billingInterval' | 'priceCents'>;
  readonly items: readonly StoredItem[];
}

/** Two sales have the same quote only when a buyer who agreed to one has agreed to the other. The total is the sum of the lines. */
export function quoteOf({ product, items }: Quoted): string {
  const { currency, pricingType, billingInterval, priceCents } = product;
  const lines = items.map(({ kind, label, amount_cents }) => [kind, label, amount_cents]);
  const agreed = JSON.stringify([currency, pricingType, billingInterval, priceCents, lines]);
  return hash('sha256', agreed, 'base64url').slice(0, 22);
}
