import type { OverviewProduct } from '@app/contracts/overview';
import type { ProductResource } from '@app/contracts/products';
import { linkButton } from '../../components/button.ts';
import { money } from '../../components/lines.ts';
import { copyText, emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import { html } from '../../html.ts';
import type { ListContent } from '../frame/lists.ts';
import { named } from '../frame/thumb.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { priceOf, statusBadge } from './parts.ts';

const texts = {
  title: 'Products',
  product: 'Product',
  link: 'Link',
  copy: 'Copy link',
  orders: 'Orders in 30 days',
  revenue: 'Revenue in 30 days',
  status: 'Status',
  price: 'Price',
  empty: 'There are no products yet. A product needs a name and a price; it sells once you make it live.',
  add: 'New product',
} as const;

interface ProductsContent extends ListContent {
  readonly products: readonly ProductResource[];
  /** What each sold in the last 30 days, where it sold anything; null where that could not be read. */
  readonly sold: ReadonlyMap<string, Pick<OverviewProduct, 'orders' | 'revenueCents'>> | null;
}

export function productsPage({ products, sold, formats, pager }: ProductsContent): DashboardPage {
  const action = linkButton({ label: texts.add, href: '/app/products/new', kind: 'accent' });
  if (products.length === 0) return { title: texts.title, main: emptyState(texts.empty, html`<p>${action}</p>`) };
  const rows = products.map((product) => ({
    href: `/app/products/${product.id}`,
    cells: [
      named(product.name, product.image_url),
      product.status === 'live' ? copyText(texts.copy, product.checkout_url) : '',
      priceOf(product, formats),
      sold === null ? '' : formats.count(sold.get(product.id)?.orders ?? 0),
      sold === null ? '' : money(formats.amount(sold.get(product.id)?.revenueCents ?? 0, product.currency)),
      statusBadge(product),
    ],
  }));
  return { title: texts.title, action, main: html`${table({ caption: texts.title, columns, rows })}${pager}` };
}

const columns = columnsOf({
  title: texts.product,
  detail: texts.link,
  end: texts.price,
  wide: [texts.orders, texts.revenue],
  status: texts.status,
});
