import type { SaleOffer } from '@app/contracts/catalog';
import { DomainError } from '@app/contracts/errors';
import type { OrderResource, PlaceOrderBody } from '@app/contracts/orders';
import { percentOf } from '@app/money/arithmetic';

export type OrderItem = OrderResource['items'][number];
type Discount = SaleOffer['discounts'][number];

export interface Sale {
  readonly items: readonly OrderItem[];
  readonly totalCents: number;
  readonly discount: Discount | null;
  readonly test: boolean;
}

/**
 * What an order consists of and costs: the product, each wanted bump once, and the discount as a negative line.
 * Headlines, labels and amounts are copied: later changes of the catalog do not reach a sale.
 * @param nowMs the moment of sale, milliseconds since the epoch
 * @throws DomainError naming the field at fault; then nothing is recorded
 */
export function decideSale(body: PlaceOrderBody, offer: SaleOffer | null, testMode: boolean, nowMs: number): Sale {
  if (offer === null) {
    throw refusal('unknown_product', 'productSlug', `There is no product with the slug "${body.productSlug}".`);
  }
  if (offer.status !== 'live') {
    throw refusal('product_not_live', 'productSlug', `The product "${offer.slug}" is ${offer.status}, not live.`);
  }
  const items: OrderItem[] = [{ kind: 'main', label: offer.name, amount_cents: offer.priceCents }];
  for (const bump of wantedBumps(body.bumpIds ?? [], offer)) {
    items.push({ kind: 'bump', label: bump.headline, amount_cents: bump.priceCents });
  }
  const discount = body.discountCode ? usableDiscount(body.discountCode, offer, nowMs) : null;
  if (discount !== null) {
    items.push({ kind: 'discount', label: discount.code, amount_cents: -discountCents(discount, offer.priceCents) });
  }
  const totalCents = items.reduce((sum, item) => sum + item.amount_cents, 0);
  return { items, totalCents, discount, test: body.test ?? testMode };
}

function wantedBumps(bumpIds: readonly string[], offer: SaleOffer): SaleOffer['bumps'] {
  const byId = new Map(offer.bumps.map((bump) => [bump.id, bump]));
  return [...new Set(bumpIds)].map((id) => {
    const bump = byId.get(id);
    if (bump === undefined) {
      const index = bumpIds.indexOf(id);
      throw refusal('bump_not_found', `bumpIds.${index}`, `The product has no active order bump with the id "${id}".`);
    }
    return bump;
  });
}

/** A discount code as the catalog keeps it; buyers may type it in any case. */
export const storedCode = (typed: string): string => typed.toUpperCase();

function usableDiscount(code: string, offer: SaleOffer, nowMs: number): Discount {
  const discount = offer.discounts.find((entry) => entry.code === storedCode(code));
  if (discount === undefined)
    throw refusal('discount_invalid', 'discountCode', `The product has no discount code "${code}".`);
  if (discount.expiresAt !== null && Date.parse(discount.expiresAt) <= nowMs) {
    throw refusal('discount_invalid', 'discountCode', `The discount code "${code}" has expired.`);
  }
  return discount;
}

/** A discount belongs to the product: it takes from the product's price, never from bumps, and never more than that. */
export function discountCents(discount: Pick<Discount, 'percentOff' | 'amountOffCents'>, priceCents: number): number {
  if (discount.percentOff !== null) return percentOf(priceCents, discount.percentOff);
  return Math.min(discount.amountOffCents ?? 0, priceCents);
}

export function discountUsedUp(code: string): DomainError {
  return refusal(
    'discount_invalid',
    'discountCode',
    `The discount code "${code}" has been used as often as it may be.`,
  );
}

type Refusal = 'unknown_product' | 'product_not_live' | 'bump_not_found' | 'discount_invalid';

function refusal(code: Refusal, field: string, message: string): DomainError {
  return new DomainError(code, message, [
    { field, code: code === 'unknown_product' ? 'product_not_found' : code, message },
  ]);
}
