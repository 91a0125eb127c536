import type { CheckoutOutcome, CheckoutResource } from '@app/contracts/checkouts';
import type { CardProcessor } from '@app/contracts/payment-processors';
import type { OfferedUpsell } from '@app/contracts/payments';
import type { ProductForSale } from '@app/contracts/products-for-sale';
import type { Credit } from '../orders/credited-affiliates.ts';
import {
  type Discount,
  decideSale,
  discountWithCode,
  hasExpired,
  type OrderItem,
  type StoredItem,
  wholeItem,
} from '../orders/order.rules.ts';
import type { CheckoutRow } from './checkout-row.ts';
import type { FixedSale, SoldUpsell } from './fixed-sale.ts';

/** What the buyer chose. */
export interface Choice {
  readonly bumpIds: readonly string[];
  readonly discountCode: string | null;
}

/** What a checkout consists of and costs right now. */
export interface PricedSale {
  readonly product: ProductForSale;
  readonly items: readonly OrderItem[];
  readonly totalCents: number;
  /** The chosen ones that are still on offer. */
  readonly bumpIds: readonly string[];
  readonly discount: Discount | null;
}

/**
 * Prices a choice by the rules of every order.
 * @throws DomainError with the field at fault
 */
export function priceSale(product: ProductForSale, choice: Choice, test: boolean, nowMs: number): PricedSale {
  const { bumpIds, discountCode } = choice;
  const body = { productSlug: product.slug, bumpIds: [...bumpIds], ...(discountCode === null ? {} : { discountCode }) };
  const { items, totalCents, discount } = decideSale(body, product, test, nowMs);
  return { product, items, totalCents, discount, bumpIds: [...new Set(bumpIds)] };
}

/** The choice without the bumps that are no longer on offer. */
export function withoutGoneBumps(choice: Choice, product: ProductForSale): Choice {
  const offered = new Set(product.bumps.map(({ id }) => id));
  return { ...choice, bumpIds: choice.bumpIds.filter((id) => offered.has(id)) };
}

/** The choice without a code that the product no longer has or that has expired. */
export function withoutGoneCode(choice: Choice, product: ProductForSale, nowMs: number): Choice {
  const discount = choice.discountCode === null ? undefined : discountWithCode(choice.discountCode, product);
  const usable = discount !== undefined && !hasExpired(discount, nowMs);
  return usable ? choice : { ...choice, discountCode: null };
}

/** The sale that an attempt to pay is for, as it stays whatever changes in the catalog; `begin-attempts.ts` stores it. */
export function fixSale(
  sale: PricedSale,
  buyer: { email: string; name: string | null; country: string | null },
  credit: Credit,
): FixedSale {
  const { productId, name, slug, priceCents, currency, pricingType, billingInterval, accessUrl } = sale.product;
  const chosen = new Set(sale.bumpIds);
  return {
    product: { productId, name, slug, priceCents, currency, pricingType, billingInterval, accessUrl },
    items: sale.items,
    totalCents: sale.totalCents,
    bumps: sale.product.bumps.filter(({ id }) => chosen.has(id)),
    discount: sale.discount === null ? null : { id: sale.discount.id, code: sale.discount.code },
    upsell: upsellOf(sale),
    email: buyer.email,
    name: buyer.name,
    country: buyer.country,
    ...(credit === undefined ? {} : { creditedCode: credit }),
  };
}

/** An order of 0 offers none: nothing can be held. */
function upsellOf({ product: { upsell }, totalCents }: PricedSale): SoldUpsell | null {
  if (upsell === null || totalCents === 0) return null;
  const { id: upsellId, headline, priceCents: amountCents, accessUrl = null, description = null } = upsell;
  const { compareAtCents = null, image = null } = upsell;
  return { upsellId, headline, amountCents, accessUrl, description, compareAtCents, image };
}

/** Where the buyer of the upsell finds it: as the sale fixed it, whatever billing says beside its id. */
export const upsellLink = ({ upsell }: FixedSale, { upsellId }: Pick<OfferedUpsell, 'upsellId'>): string | null =>
  upsell?.upsellId === upsellId ? (upsell.accessUrl ?? null) : null;

/**
 * The items of an order, with the upsell if it was bought. What the seller left of the hold, by a capture in part at the processor, is a
 * discount: the order costs what was taken.
 * @param leftCents of the hold, not taken
 */
export function finalItems(sale: FixedSale, upsell: OfferedUpsell | null, leftCents = 0): readonly OrderItem[] {
  const items = soldItems(sale);
  if (upsell !== null) {
    const { upsellId: id, headline: label, amountCents: amount_cents } = upsell;
    items.push({ kind: 'upsell', label, amount_cents, id, access_url: upsellLink(sale, upsell) });
  }
  if (leftCents !== 0)
    items.push({ kind: 'discount', label: notCharged, amount_cents: -leftCents, id: null, access_url: null });
  return items;
}

/** The items of a sale without its upsell. */
export const soldItems = ({ items, product }: FixedSale): OrderItem[] => items.map((item) => wholeItem(item, product));

const notCharged = 'Not charged';

/** What is left of a hold that was captured in part. Where it is not known what was captured, it was all. */
export const leftOfHold = ({ totalCents }: Pick<FixedSale, 'totalCents'>, capturedCents: number): number =>
  capturedCents === 0 ? 0 : Math.max(0, totalCents - capturedCents);

export const totalOf = (items: readonly StoredItem[]): number =>
  items.reduce((sum, { amount_cents }) => sum + amount_cents, 0);

type ShownSale = Pick<PricedSale, 'items' | 'totalCents' | 'bumpIds'> & {
  readonly product: Omit<ProductForSale, 'status' | 'discounts' | 'upsell' | 'productId' | 'priceCents'>;
  readonly discountCode: string | null;
  readonly quote: string;
  readonly savesCard: boolean;
};

/** What a resource says beside its sale. */
interface ShownBeside {
  readonly quote: string;
  /** Null where no card is requested, or it is not known with what. */
  readonly card: CardProcessor | null;
  /** What names of pictures are appended to; undefined of an older gateway. */
  readonly imagesUrl: string | undefined;
}

/** Whether a card may be given: for a first payment, or in place of one that the bank asks about. */
export const needsCard = ({ status }: CheckoutRow): boolean => status === 'open' || status === 'requires_action';

/** Only for what is charged later: renewals, and an upsell to a held card. */
export const savesCardOf = (
  { product, totalCents }: { readonly product: { readonly pricingType: string }; readonly totalCents: number },
  upsell: object | null,
): boolean => totalCents > 0 && (upsell !== null || product.pricingType === 'subscription');

/** An open checkout as its buyer sees it: the prices of right now. */
export function openResource(row: CheckoutRow, sale: PricedSale, { quote, ...beside }: ShownBeside): CheckoutResource {
  return resourceOf(row, beside, {
    ...sale,
    quote,
    discountCode: sale.discount?.code ?? null,
    savesCard: savesCardOf(sale, sale.product.upsell),
  });
}

/** A checkout with a payment: what was agreed on. */
export function fixedResource(row: CheckoutRow, sale: FixedSale, { quote, ...beside }: ShownBeside): CheckoutResource {
  const items = finalItems(sale, boughtUpsell(row, sale), row.left_cents);
  const resource = resourceOf(row, beside, {
    product: { ...sale.product, bumps: sale.bumps },
    items,
    quote,
    totalCents: totalOf(items),
    bumpIds: sale.bumps.map(({ id }) => id),
    discountCode: sale.discount?.code ?? null,
    savesCard: savesCardOf(sale, sale.upsell),
  });
  const offered = shownUpsell(row, sale);
  const upsell = offered === undefined ? null : { ...offered, ...looksOf(sale.upsell ?? {}, beside.imagesUrl) };
  return { ...resource, email: sale.email, name: sale.name, country: sale.country, upsell };
}

/** Its link is what the buyer pays for: it is at the line of a paid order alone. */
export const shownBump = (
  { id, headline, description = null, priceCents, ...looks }: ProductForSale['bumps'][number],
  chosen: ReadonlySet<string>,
  imagesUrl: string | undefined,
) => ({ id, headline, description, priceCents, ...looksOf(looks, imagesUrl), chosen: chosen.has(id) });

type Looks = Pick<ProductForSale['bumps'][number], 'compareAtCents' | 'image'>;

/** Sales of earlier versions have neither. */
const looksOf = ({ compareAtCents = null, image = null }: Looks, imagesUrl = '') => ({
  compareAtCents,
  imageUrl: image === null ? null : `${imagesUrl}/${image}`,
});

const shownLine = (
  { kind, label, amount_cents }: Pick<OrderItem, 'kind' | 'label' | 'amount_cents'>,
  accessUrl: string | null,
) => ({ kind, label, amountCents: amount_cents, accessUrl });

function resourceOf(
  row: CheckoutRow,
  { card, imagesUrl }: Omit<ShownBeside, 'quote'>,
  sale: ShownSale,
): CheckoutResource {
  const { name, slug, pricingType, billingInterval, currency, accessUrl, bumps } = sale.product;
  const chosen = new Set(sale.bumpIds);
  return {
    id: row.id,
    status: isBeingSettled(row) ? 'processing' : row.status,
    product: { name, slug, pricingType, billingInterval },
    seller: { name: row.seller_name, supportEmail: row.support_email },
    bumps: bumps.map((bump) => shownBump(bump, chosen, imagesUrl)),
    lines: sale.items.map(({ access_url, ...item }) => shownLine(item, row.status === 'paid' ? access_url : null)),
    totalCents: sale.totalCents,
    quote: sale.quote,
    currency,
    email: row.email,
    name: row.name,
    country: row.country,
    discountCode: sale.discountCode,
    orderId: hasOrder(row) ? row.order_id : null,
    upsell: null,
    action: actionOf(row) ?? null,
    reason: row.status === 'open' ? row.reason : null,
    accessUrl: row.status === 'paid' ? accessUrl : null,
    paidAt: row.paid_at?.toISOString() ?? null,
    lastFour: row.last_four,
    wallet: row.wallet,
    processor: card?.processor ?? null,
    publishableKey: card?.publishableKey ?? null,
    savesCard: sale.savesCard,
    test: row.test,
    createdAt: row.created_at.toISOString(),
  };
}

/** A held order that was decided on waits for billing: its buyer has nothing to decide any more. */
const isBeingSettled = ({ status, upsell_decided }: CheckoutRow): boolean => status === 'authorized' && upsell_decided;

/** Ids of orders that were never made are not shown. */
const hasOrder = ({ status, upsell_status }: CheckoutRow): boolean =>
  status === 'authorized' || status === 'paid' || status === 'refunded' || upsell_status !== null;

const actionOf = ({ status, action_url }: CheckoutRow): { url: string } | undefined =>
  status === 'requires_action' && action_url !== null ? { url: action_url } : undefined;

const boughtUpsell = ({ upsell_status }: CheckoutRow, { upsell }: FixedSale): SoldUpsell | null =>
  upsell_status === 'accepted' ? upsell : null;

function shownUpsell(row: CheckoutRow, { upsell }: FixedSale): CheckoutOutcome['upsell'] {
  const { upsell_status } = row;
  if (upsell_status === null || upsell === null || isBeingSettled(row)) return undefined;
  const { upsellId: id, headline, description = null, amountCents } = upsell;
  const expiresAt = upsell_status === 'offered' ? (row.decide_by?.toISOString() ?? null) : null;
  return { id, headline, description, amountCents, status: upsell_status, expiresAt };
}

/** Of a checkout. */
export const attemptsMax = 10;

/** How a checkout stands. An open one is one whose last attempt was declined. */
export function checkoutOutcomeOf(row: CheckoutRow): CheckoutOutcome {
  const { sale } = row;
  const upsell = sale === null ? undefined : shownUpsell(row, sale);
  const action = actionOf(row);
  return {
    status: isBeingSettled(row) ? 'processing' : row.status === 'open' ? 'declined' : row.status,
    ...(hasOrder(row) && row.order_id !== null ? { orderId: row.order_id } : {}),
    totalCents: sale === null ? row.shown_cents : totalOf(finalItems(sale, boughtUpsell(row, sale), row.left_cents)),
    ...(upsell ? { upsell } : {}),
    ...(action ? { action } : {}),
    ...(row.status === 'requires_action' && row.attempt_no < attemptsMax ? { anotherCard: true as const } : {}),
    ...(row.status === 'open' && row.reason !== null ? { reason: row.reason } : {}),
  };
}
