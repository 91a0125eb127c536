import type { getOffer as contract, DiscountRefusal } from '@app/contracts/checkout-offers';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idSchema } from '@app/contracts/ids';
import type { ProductForSale } from '@app/contracts/products-for-sale';
import type { RequestContext } from '@app/messaging/request-headers';
import { discountWithCode, hasExpired, storedCode } from '../orders/order.rules.ts';
import { type Choice, type PricedSale, priceSale, savesCardOf, shownBump, withoutGoneBumps } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { freesSubscription, isUsedUp, noLongerForSale } from './price-checkout.ts';
import { quoteOf } from './quote.ts';

type Offer = RequestOutput<typeof contract>;

/**
 * What a product's page shows for a choice, at the prices of right now and by the rules of checkouts. Nothing is written. A
 * bump that is not on offer is left out, and a code that takes nothing off says why. In place of the slug a product's id may stand.
 * @throws DomainError product_not_found, for a draft as well; no_longer_for_sale for an archived product
 */
export async function getOffer(
  deps: CheckoutDeps,
  { slug, bumpIds, discountCode, testMode, imagesUrl }: RequestInput<typeof contract>,
  { accountId, requestId }: RequestContext,
): Promise<Offer> {
  const productId = isProductId(slug) ? slug : null;
  const wanted = { accountId, productId, slug, withPage: true, requestId };
  const code = discountCode === null ? null : storedCode(discountCode);
  const product = await deps.steps.product({ ...wanted, discountCodes: code === null ? [] : [code] });
  if (product === null || product.status === 'draft') throw noProduct();
  if (product.status === 'archived') throw noLongerForSale(product);
  const choice = withoutGoneBumps({ bumpIds, discountCode: null }, product);
  const { sale, refusal } = await priced(deps, accountId, product, { choice, code, testMode });
  return offerOf(sale, code === null ? null : { code, refusal }, imagesUrl);
}

const isProductId = (slug: string): boolean => idSchema('product').safeParse(slug).success;

const noProduct = (): DomainError => new DomainError('product_not_found', 'No product is sold at this address.');

async function priced(
  { steps, clock }: CheckoutDeps,
  accountId: string,
  product: ProductForSale,
  { choice, code, testMode }: { readonly choice: Choice; readonly code: string | null; readonly testMode: boolean },
): Promise<{ readonly sale: PricedSale; readonly refusal: DiscountRefusal | null }> {
  const nowMs = clock.nowMs();
  const withoutCode = (refusal: DiscountRefusal | null) => ({
    sale: priceSale(product, choice, testMode, nowMs),
    refusal,
  });
  if (code === null) return withoutCode(null);
  const discount = discountWithCode(code, product);
  if (discount === undefined) return withoutCode('unknown');
  if (hasExpired(discount, nowMs)) return withoutCode('expired');
  const sale = priceSale(product, { ...choice, discountCode: code }, testMode, nowMs);
  if (freesSubscription(sale)) return withoutCode('frees_subscription');
  if (await isUsedUp(steps, accountId, discount)) return withoutCode('used_up');
  return { sale, refusal: null };
}

function offerOf(sale: PricedSale, discount: Offer['discount'], imagesUrl: string | undefined): Offer {
  const { productId: id, name, slug, pricingType, billingInterval, priceCents, currency, bumps, page } = sale.product;
  const chosen = new Set(sale.bumpIds);
  return {
    product: {
      id,
      name,
      slug,
      pricingType,
      billingInterval,
      priceCents,
      description: page?.description ?? null,
      image: page?.image ?? null,
    },
    bumps: bumps.map((bump) => shownBump(bump, chosen, imagesUrl)),
    hasDiscountCodes: page?.hasDiscountCodes ?? true,
    discount,
    lines: sale.items.map(({ kind, label, amount_cents }) => ({ kind, label, amountCents: amount_cents })),
    totalCents: sale.totalCents,
    quote: quoteOf(sale),
    currency,
    savesCard: savesCardOf(sale, sale.product.upsell),
  };
}
