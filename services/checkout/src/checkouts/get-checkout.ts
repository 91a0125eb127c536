import type { CheckoutResource } from '@app/contracts/checkouts';
import { statement } from '@app/service-kit/database';
import { fixedResource, needsCard, openResource, type PricedSale } from './checkout.rules.ts';
import type { CheckoutDeps } from './checkout-deps.ts';
import { type CheckoutRow, findCheckout, type OfBuyer } from './checkout-row.ts';
import { priceCheckout } from './price-checkout.ts';
import { quoteOf } from './quote.ts';

/** What the pictures of a checkout's offers are at. */
export interface WithImagesUrl {
  readonly imagesUrl?: string | undefined;
}

/** Which price its buyer saw last. */
const showStatement = statement(
  'checkout-show',
  `update checkouts set shown_cents = $4, shown_quote = $5
   where account_id = $1 and id = $2 and revision = $3 and status = 'open'`,
);

/** With whose it is, which buyers do not see. */
export type OwnedCheckout = CheckoutResource & { readonly accountId: string };

/**
 * The checkout with the prices of right now; with a payment, what was agreed on. A price that changed is not written down
 * as shown: the buyer may pay in another tab, which still shows the old one.
 * @throws DomainError checkout_not_found; no_longer_for_sale when it cannot be bought any more
 */
export async function getCheckout(
  deps: CheckoutDeps,
  { imagesUrl, ...buyer }: OfBuyer & WithImagesUrl,
  requestId: string,
): Promise<OwnedCheckout> {
  const row = await findCheckout(deps.steps, buyer);
  // One that was not paid in time may have no sale: it shows today's prices as well.
  const card = await cardOf(deps, row);
  if (row.status !== 'open' && row.sale !== null)
    return {
      ...fixedResource(row, row.sale, { quote: quoteOf(row.sale), card, imagesUrl }),
      accountId: row.account_id,
    };
  const sale = await priceOpen(deps, row, requestId);
  return { ...openResource(row, sale, { quote: quoteOf(sale), card, imagesUrl }), accountId: row.account_id };
}

/** With what its buyer may give a card. */
export const cardOf = async ({ cardProcessorOf }: CheckoutDeps, row: CheckoutRow) =>
  needsCard(row) ? await cardProcessorOf(row.account_id, row.test) : null;

/** What an open checkout costs right now; what has gone since it was chosen is left out. */
export async function priceOpen(deps: CheckoutDeps, row: CheckoutRow, requestId: string): Promise<PricedSale> {
  const choice = { bumpIds: row.bump_ids, discountCode: row.discount_code };
  return await priceCheckout(deps, checkoutProductOf(row), choice, { bumps: false, code: false }, requestId);
}

export const checkoutProductOf = ({ account_id, product_slug, product_id, test }: CheckoutRow) => ({
  accountId: account_id,
  slug: product_slug,
  productId: product_id,
  test,
});

/** Writes the total and the lines that the buyer is shown, when they are other ones than before. */
export async function recordShown({ database }: CheckoutDeps, row: CheckoutRow, sale: PricedSale): Promise<void> {
  const quote = quoteOf(sale);
  if (row.shown_cents === sale.totalCents && row.shown_quote === quote) return;
  await database.pool.query(showStatement([row.account_id, row.id, row.revision, sale.totalCents, quote]));
}
