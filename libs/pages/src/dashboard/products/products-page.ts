import type { ProductResource } from '@app/contracts/products';
import { linkButton } from '../../components/button.ts';
import { money } from '../../components/lines.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import { html } from '../../html.ts';
import type { ListContent } from '../frame/lists.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { priceOf, statusBadge } from './parts.ts';

const texts = {
  title: 'Products',
  product: 'Product',
  address: 'Address',
  status: 'Status',
  price: 'Price',
  empty: 'There are no products yet. A product needs a name and a price; it sells once you make it live.',
  add: 'New product',
} as const;

interface ProductsContent extends ListContent {
  readonly products: readonly ProductResource[];
}

export function productsPage({ products, formats, pager }: ProductsContent): DashboardPage {
  const action = linkButton({ label: texts.add, href: '/app/products/new', kind: 'accent' });
  if (products.length === 0) return { title: texts.title, main: emptyState(texts.empty, html`<p>${action}</p>`) };
  const rows = products.map((product) => ({
    href: `/app/products/${product.id}`,
    cells: [
      html`<bdi>${product.name}</bdi>`,
      html`/${product.slug}`,
      statusBadge(product),
      money(priceOf(product, formats)),
    ],
  }));
  return { title: texts.title, action, main: html`${table({ caption: texts.title, columns, rows })}${pager}` };
}

const columns = columnsOf({ title: texts.product, detail: texts.address, status: texts.status, end: texts.price });
