import type { ShownProduct } from '@app/contracts/checkout-offers';
import { money } from '../components/lines.ts';
import { pager } from '../components/rows.ts';
import type { Formats } from '../formats.ts';
import { type Html, html } from '../html.ts';
import type { Shop } from './model.ts';
import { orderTexts } from './order-page.texts.ts';
import { sellerLine, shopFooter } from './parts.ts';

const texts = { title: 'Everything on sale', pages: 'Pages of products', first: 'Newest', next: 'Older' } as const;

interface ShopContent {
  readonly shop: Shop;
  /** Newest first. */
  readonly products: readonly ShownProduct[];
  /** Addresses of the first and of the next page; null where there is none. */
  readonly first: string | null;
  readonly next: string | null;
  readonly formats: Formats;
}

/** The page of a shop: what is on sale, each with the page that sells it. */
export function shopPage({ shop, products, first, next, formats }: ShopContent): Html {
  const of = (label: string, href: string | null) => (href === null ? null : { label, href });
  return html`<div id="page"><main class="shop-page">${sellerLine(shop)}<h1>${texts.title}</h1><ul class="shelf">${products.map(
    (product) => item(product, formats),
  )}</ul>${pager({ label: texts.pages, first: of(texts.first, first), next: of(texts.next, next) })}${shopFooter(shop)}</main></div>`;
}

function item(
  { name, imageUrl, checkoutUrl, priceCents, currency, billingInterval }: ShownProduct,
  formats: Formats,
): Html {
  const price = priceCents === 0 ? orderTexts.free : money(formats.amount(priceCents, currency));
  const every = billingInterval === null ? '' : ` ${orderTexts.every[billingInterval]}`;
  return html`<li><a class="card" href="${checkoutUrl}">${
    imageUrl !== null && html`<img class="picture" src="${imageUrl}" alt="" width="320" height="180" loading="lazy">`
  }<b><bdi>${name}</bdi></b><span class="quiet">${price}${every}</span></a></li>`;
}
