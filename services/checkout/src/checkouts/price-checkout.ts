import { DomainError } from '@app/contracts/errors';
import type { ProductForSale } from '@app/contracts/products-for-sale';
import {
  type Discount,
  discountFreesSubscription,
  discountUsedUp,
  requireLive,
  storedCode,
  unknownProduct,
} from '../orders/order.rules.ts';
import { type Choice, type PricedSale, priceSale, withoutGoneBumps, withoutGoneCode } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import type { CheckoutSteps } from './checkout-steps.ts';

/** The product of a checkout, and whose it is. */
export interface CheckoutProduct {
  readonly accountId: string;
  readonly slug: string;
  /** Of a checkout that is open already: its slug may have changed, or be another product's by now. Null at its opening. */
  readonly productId: string | null;
  readonly test: boolean;
}

/** Which parts of a choice must be on offer. The others are dropped from the price when they have gone. */
export interface MustBeOffered {
  readonly bumps: boolean;
  readonly code: boolean;
}

/**
 * What a choice costs right now. Queries catalog, and reads how often the discount was used if its uses are limited.
 * @throws DomainError unknown_product and product_not_live at the opening, no_longer_for_sale later; bump_not_found
 *   and discount_invalid for what must be on offer
 */
export async function priceCheckout(
  deps: CheckoutDeps,
  of: CheckoutProduct,
  choice: Choice,
  must: MustBeOffered,
  requestId: string,
): Promise<PricedSale> {
  const product = await productForSale(deps.steps, of, choice.discountCode, requestId);
  const nowMs = deps.clock.nowMs();
  const offered = must.bumps ? choice : withoutGoneBumps(choice, product);
  const wanted = must.code ? offered : withoutGoneCode(offered, product, nowMs);
  const sale = priceSale(product, wanted, of.test, nowMs);
  if (sale.discount === null) return sale;
  const fault = freesSubscription(sale)
    ? discountFreesSubscription(sale.discount.code)
    : (await isUsedUp(deps.steps, of.accountId, sale.discount)) && discountUsedUp(sale.discount.code);
  if (!fault) return sale;
  if (must.code) throw fault;
  return priceSale(product, { ...wanted, discountCode: null }, of.test, nowMs);
}

async function productForSale(
  steps: CheckoutSteps,
  { accountId, slug, productId }: CheckoutProduct,
  discountCode: string | null,
  requestId: string,
): Promise<ProductForSale> {
  const discountCodes = discountCode === null ? [] : [storedCode(discountCode)];
  const product = await steps.product({ accountId, productId, slug, discountCodes, requestId });
  if (productId !== null && product?.status !== 'live') throw noLongerForSale(product ?? undefined);
  if (product === null) throw unknownProduct('slug', slug);
  requireLive('slug', product);
  return product;
}

/** The caller did not name the product in this call: no field is at fault. */
export function noLongerForSale(product: Pick<ProductForSale, 'name'> | undefined): DomainError {
  const named = product === undefined ? 'The product of this checkout' : `"${product.name}"`;
  return new DomainError('no_longer_for_sale', `${named} is no longer for sale. Nothing was charged.`);
}

/** Renewals are charged to the card of the first payment: without one there is no card. */
export const freesSubscription = ({ product, totalCents }: PricedSale): boolean =>
  product.pricingType === 'subscription' && product.priceCents > 0 && totalCents === 0;

export async function isUsedUp(steps: CheckoutSteps, accountId: string, { id, maxUses }: Discount): Promise<boolean> {
  return maxUses !== null && (await steps.uses({ accountId, discountId: id })) >= maxUses;
}
