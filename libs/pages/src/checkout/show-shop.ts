import type { SellerResource } from '@app/contracts/checkout-offers';
import { formatsFor } from '../formats.ts';
import { type Html, html } from '../html.ts';
import type { PageAnswer, PageRequest } from '../page.ts';
import { describedMax, shortened } from '../text.ts';
import { unknownProductPage, unknownShopPage } from './notice-pages.ts';
import { shopPage } from './shop-page.ts';
import { showRefusal } from './show-refusal.ts';

/** On one page. */
const shown = 20;

/** The appearance of a shop's pages; null where there is no shop. */
export async function findSeller({ call, actor }: PageRequest, handle: string): Promise<SellerResource | null> {
  const found = await call('getSeller', { actor, params: { handle } });
  return found.ok ? found.body : null;
}

/** GET of a shop's own address: what is on sale. An earlier handle leads to that of today. */
export async function showShop(request: PageRequest, handle: string): Promise<PageAnswer> {
  const { call, actor, query, languages } = request;
  const seller = await findSeller(request, handle);
  if (seller === null) return Object.assign({ status: 404 }, unknownShopPage());
  const path = `/c/${seller.handle}`;
  if (seller.handle !== handle) return { status: 308, location: path };
  const before = query.get('before');
  const found = await call('listShopProducts', {
    actor,
    params: { handle },
    query: before === null ? { limit: shown } : { limit: shown, before },
  });
  // The last one of a page before may be gone: the list begins anew.
  if (!found.ok) return before === null ? showRefusal(found, request.requestId) : { status: 303, location: path };
  const { data: products, has_more } = found.body;
  if (products.length === 0 && before === null) return Object.assign({ status: 404 }, unknownProductPage());
  const last = products.at(-1);
  return {
    status: 200,
    title: seller.name,
    accent: seller.accentColor,
    isIndexed: before === null,
    head: shopHead(seller, products),
    body: shopPage({
      shop: seller,
      products,
      first: before === null ? null : path,
      next: has_more === true && last !== undefined ? `${path}?before=${last.id}` : null,
      formats: formatsFor(languages),
    }),
  };
}

/** What search engines and links in chats show of a shop. */
function shopHead({ name }: SellerResource, products: readonly { readonly name: string }[]): Html {
  const description = shortened(`${name}: ${products.map((product) => product.name).join(', ')}`, describedMax);
  return html`<meta name="description" content="${description}">
<meta property="og:title" content="${name}">
<meta property="og:description" content="${description}">`;
}
