import { maxAmountCents } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import type { CreateOrderBody, OrderResource } from '@app/contracts/orders';
import type { PricedProduct } from '@app/contracts/products-for-sale';
import { percentOf } from '@app/money/arithmetic';
import { formatAmount } from '@app/money/format';

export type OrderItem = OrderResource['items'][number];
export type Discount = PricedProduct['discounts'][number];

/** An item as it is stored: sales of earlier versions lack what came later. */
export type StoredItem = Pick<OrderItem, 'kind' | 'label' | 'amount_cents'> & Partial<OrderItem>;

/** An item with all its fields. Of what was sold before they were kept, the product alone is known. */
export const wholeItem = (
  { kind, label, amount_cents, id, access_url }: StoredItem,
  product: { readonly productId: string; readonly accessUrl: string | null },
): OrderItem => {
  const isMain = kind === 'main';
  return {
    kind,
    label,
    amount_cents,
    id: id === undefined ? (isMain ? product.productId : null) : id,
    access_url: access_url === undefined ? (isMain ? product.accessUrl : null) : access_url,
  };
};

/** As events have an item. */
export const eventItem = ({ kind, label, amount_cents: amountCents, id, access_url: accessUrl }: OrderItem) => ({
  kind,
  label,
  amountCents,
  id,
  accessUrl,
});

/** The fields of an order that decide its items. */
export type WantedSale = Pick<CreateOrderBody, 'productSlug' | 'bumpIds' | 'discountCode' | 'test'>;

export interface Sale {
  readonly items: readonly OrderItem[];
  readonly totalCents: number;
  readonly discount: Discount | null;
  readonly test: boolean;
}

/**
 * What an order consists of and costs: the product, each wanted bump once, and the discount as a negative line.
 * It copies headlines, labels, amounts and access links, so that later changes of the catalog do not reach a sale.
 * @param nowMs the moment of sale, milliseconds since the epoch
 * @throws DomainError with the field at fault: the order is refused
 */
export function decideSale(body: WantedSale, product: PricedProduct | null, testMode: boolean, nowMs: number): Sale {
  if (product === null) throw unknownProduct('productSlug', body.productSlug);
  requireLive('productSlug', product);
  const { productId: id, name: label, priceCents: amount_cents, accessUrl: access_url } = product;
  const items: OrderItem[] = [{ kind: 'main', label, amount_cents, id, access_url }];
  for (const bump of wantedBumps(body.bumpIds ?? [], product)) {
    const { headline, priceCents, accessUrl = null } = bump;
    items.push({ kind: 'bump', label: headline, amount_cents: priceCents, id: bump.id, access_url: accessUrl });
  }
  const discount = body.discountCode ? usableDiscount(body.discountCode, product, nowMs) : null;
  if (discount !== null) {
    const takenOff = -discountCents(discount, product.priceCents);
    items.push({ kind: 'discount', label: discount.code, amount_cents: takenOff, id: discount.id, access_url: null });
  }
  const totalCents = items.reduce((sum, item) => sum + item.amount_cents, 0);
  return { items, totalCents, discount, test: body.test ?? testMode };
}

/** @param field the field of the body that names the product */
export function unknownProduct(field: string, slug: string): DomainError {
  return refused('unknown_product', field, `No product has the slug "${slug}".`);
}

/** @throws DomainError product_not_live */
export function requireLive(field: string, product: PricedProduct): void {
  if (product.status === 'live') return;
  throw refused('product_not_live', field, `The product "${product.slug}" is ${product.status}, not live.`);
}

function wantedBumps(bumpIds: readonly string[], product: PricedProduct): PricedProduct['bumps'] {
  const byId = new Map(product.bumps.map((bump) => [bump.id, bump]));
  return [...new Set(bumpIds)].map((id) => {
    const bump = byId.get(id);
    if (bump === undefined) {
      const index = bumpIds.indexOf(id);
      throw refused('bump_not_found', `bumpIds.${index}`, `The product has no active order bump with the id "${id}".`);
    }
    return bump;
  });
}

/** A discount code as the catalog stores it; buyers may type it in any case. */
export const storedCode = (typed: string): string => typed.toUpperCase();

function usableDiscount(code: string, product: PricedProduct, nowMs: number): Discount {
  const discount = discountWithCode(code, product);
  if (discount === undefined)
    throw refused('discount_invalid', 'discountCode', `The product has no discount code "${code}".`);
  if (hasExpired(discount, nowMs)) {
    throw refused('discount_invalid', 'discountCode', `The discount code "${code}" has expired.`);
  }
  return discount;
}

export const discountWithCode = (code: string, product: PricedProduct): Discount | undefined =>
  product.discounts.find((entry) => entry.code === storedCode(code));

/** @param nowMs milliseconds since the epoch */
export const hasExpired = ({ expiresAt }: Discount, nowMs: number): boolean =>
  expiresAt !== null && Date.parse(expiresAt) <= nowMs;

/** A discount reduces the product's price, at most to zero, and never that of bumps: it belongs to the product. */
export function discountCents(discount: Pick<Discount, 'percentOff' | 'amountOffCents'>, priceCents: number): number {
  if (discount.percentOff !== null) return percentOf(priceCents, discount.percentOff);
  return Math.min(discount.amountOffCents ?? 0, priceCents);
}

/** @throws DomainError total_too_large: no processor is sent more than `maxAmountCents`, and no order has a larger total */
export function requireTotalWithinMax(totalCents: number, currency: string): void {
  if (totalCents <= maxAmountCents) return;
  const [total, max] = [totalCents, maxAmountCents].map((cents) => formatAmount(cents, currency));
  throw new DomainError('total_too_large', `The total is ${total}: it must be at most ${max}.`);
}

export function discountFreesSubscription(code: string): DomainError {
  const message = `The discount code "${code}" leaves nothing to pay, and the first payment of a subscription must be above 0.`;
  return refused('discount_invalid', 'discountCode', message);
}

export function discountUsedUp(code: string): DomainError {
  return refused(
    'discount_invalid',
    'discountCode',
    `The discount code "${code}" has been used as often as it may be.`,
  );
}

type RefusalCode = 'unknown_product' | 'product_not_live' | 'bump_not_found' | 'discount_invalid';

function refused(code: RefusalCode, field: string, message: string): DomainError {
  return new DomainError(code, message, [
    { field, code: code === 'unknown_product' ? 'product_not_found' : code, message },
  ]);
}
