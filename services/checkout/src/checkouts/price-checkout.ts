import { getProductForSale, type ProductForSale } from '@app/contracts/catalog';
import { DomainError } from '@app/contracts/errors';
import type { Requester } from '@app/messaging/requester';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { discountUsedUp, requireLive, storedCode, unknownProduct } from '../orders/order.rules.ts';
import { type Choice, type PricedSale, priceSale, withoutGoneBumps, withoutGoneCode } from './checkout.rules.ts';

export interface CheckoutDeps {
  readonly database: Database;
  readonly requester: Requester;
  readonly clock: Clock;
  /** Events were committed: they may go out now. */
  readonly wakeRelay: () => void;
}

/** Whose checkout of what. */
export interface Shelf {
  readonly accountId: string;
  readonly slug: string;
  /** Of a checkout that is open already: its slug may be another product's by now. */
  readonly productId?: string;
  readonly test: boolean;
}

/** Which parts of a choice must be on offer. The others are dropped from the price when they have gone. */
export interface Must {
  readonly bumps: boolean;
  readonly code: boolean;
}

/**
 * What a choice costs right now. Asks catalog, and reads how often the discount was used if its uses are limited.
 * @throws DomainError `unknown_product`, `product_not_live`; `bump_not_found` and `discount_invalid` for what must be on offer
 */
export async function priceCheckout(
  deps: CheckoutDeps,
  shelf: Shelf,
  choice: Choice,
  must: Must,
  requestId: string,
): Promise<PricedSale> {
  const product = await productForSale(deps.requester, shelf, choice.discountCode, requestId);
  const nowMs = deps.clock.nowMs();
  const offered = must.bumps ? choice : withoutGoneBumps(choice, product);
  const wanted = must.code ? offered : withoutGoneCode(offered, product, nowMs);
  const sale = priceSale(product, wanted, shelf.test, nowMs);
  if (sale.discount === null || !(await isUsedUp(deps.database, shelf.accountId, sale.discount))) return sale;
  if (must.code) throw discountUsedUp(sale.discount.code);
  return priceSale(product, { ...wanted, discountCode: null }, shelf.test, nowMs);
}

async function productForSale(
  requester: Requester,
  { accountId, slug, productId }: Shelf,
  discountCode: string | null,
  requestId: string,
): Promise<ProductForSale> {
  const input = { slug, discountCode: discountCode === null ? null : storedCode(discountCode) };
  const product = await requester.request(getProductForSale, input, { accountId, requestId }).catch((err: unknown) => {
    throw err instanceof DomainError && err.code === 'product_not_found' ? unknownProduct('slug', slug) : err;
  });
  if (productId !== undefined && product.productId !== productId) throw unknownProduct('slug', slug);
  requireLive('slug', product);
  return product;
}

const usesOf = statement('discount-uses', 'select uses from discount_uses where account_id = $1 and discount_id = $2');

async function isUsedUp(
  database: Database,
  accountId: string,
  { id, maxUses }: { id: string; maxUses: number | null },
): Promise<boolean> {
  if (maxUses === null) return false;
  const { rows } = await database.pool.query<{ uses: number }>(usesOf([accountId, id]));
  return (rows[0]?.uses ?? 0) >= maxUses;
}
