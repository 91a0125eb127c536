import type { OrderResource } from '@app/contracts/orders';
import { money } from '../../components/lines.ts';
import { badge } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';

const texts = {
  title: 'Orders',
  buyer: 'Buyer',
  product: 'Product',
  when: 'When',
  status: 'Status',
  total: 'Total',
  empty: 'There are no orders yet. Share the link of a live product, or make a test purchase.',
  products: 'Open your products',
} as const;

interface OrdersContent {
  readonly orders: readonly OrderResource[];
  readonly formats: Formats;
  readonly pager: Html;
}

export function ordersPage({ orders, formats, pager }: OrdersContent): DashboardPage {
  if (orders.length === 0)
    return {
      title: texts.title,
      main: emptyState(texts.empty, html`<p><a href="/app/products">${texts.products}</a></p>`),
    };
  const rows = orders.map((order) => ({
    href: `/app/orders/${order.id}`,
    cells: [
      html`<bdi>${order.customer_email}</bdi>`,
      html`<bdi>${order.items[0]?.label}</bdi>`,
      when(order.created_at, formats),
      orderBadge(order, formats),
      money(formats.amount(order.total_cents, order.currency)),
    ],
  }));
  return { title: texts.title, main: html`${table({ caption: texts.title, columns, rows })}${pager}` };
}

const columns = [
  { label: texts.buyer, at: 'title' },
  { label: texts.product, at: 'wide' },
  { label: texts.when, at: 'detail' },
  { label: texts.status, at: 'status' },
  { label: texts.total, at: 'end' },
] as const;

type Standing = Pick<OrderResource, 'status' | 'refunded_cents' | 'currency'>;

function orderBadge({ status, refunded_cents, currency }: Standing, formats: Formats): Html {
  if (status === 'refunded') return badge('none', 'Refunded');
  if (status === 'authorized') return badge('info', 'Card held');
  if (refunded_cents > 0) return badge('none', `${formats.amount(refunded_cents, currency)} refunded`);
  return badge('good', 'Paid');
}
