import type { OrderResource } from '@app/contracts/orders';
import type { Overview } from '@app/contracts/overview';
import { money } from '../../components/lines.ts';
import { rows } from '../../components/rows.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { disputeBadge, orderBadge } from '../frame/badges.ts';
import { productOf } from '../frame/order-table.ts';
import { thumb } from '../frame/thumb.ts';
import { when } from '../frame/times.ts';

const texts = {
  best: 'Best products',
  allProducts: 'All numbers of products',
  latest: 'Latest sales',
  allOrders: 'All orders',
  orders: (shown: string, count: number) => `${shown} ${count === 1 ? 'order' : 'orders'}`,
} as const;

interface SalesContent {
  readonly overview: Overview;
  readonly currency: string;
  /** Newest first. */
  readonly orders: readonly OrderResource[];
  /** Addresses of pictures by product. */
  readonly pictures: ReadonlyMap<string, string | null>;
  readonly formats: Formats;
}

/** What sold best in the span, and what sold last: a refunded order is one row, with its badge. */
export function sales(content: SalesContent): Html {
  const both = [best(content), latest(content)].filter((part) => part !== null);
  return both.length === 0 ? html`` : html`<div class="columns">${both}</div>`;
}

function best({ overview, currency, pictures, formats }: SalesContent): Html | null {
  const sold = overview.products.filter((each) => each.currency === currency && each.orders + each.revenueCents > 0);
  if (sold.length === 0) return null;
  const list = sold.map(({ id, name, orders, revenueCents }) => ({
    href: `/app/metrics/${id}`,
    title: html`<bdi>${name}</bdi>`,
    picture: thumb(pictures.get(id)),
    detail: texts.orders(formats.count(orders), orders),
    end: money(formats.amount(revenueCents, currency)),
  }));
  return section(texts.best, rows(list), '/app/metrics', texts.allProducts);
}

function latest({ orders, pictures, formats }: SalesContent): Html | null {
  if (orders.length === 0) return null;
  const list = orders.map((order) => ({
    href: `/app/orders/${order.id}`,
    title: html`<bdi>${productOf(order)}</bdi>`,
    picture: thumb(pictures.get(order.product_id)),
    detail: html`${when(order.created_at, formats)} · <bdi>${order.customer_name || order.customer_email}</bdi>`,
    end: money(formats.amount(order.total_cents, order.currency)),
    badges: [orderBadge(order, formats), disputeBadge(order)],
  }));
  return section(texts.latest, rows(list), '/app/orders', texts.allOrders);
}

const section = (title: string, list: Html, href: string, all: string): Html =>
  html`<section class="stack"><h2>${title}</h2>${list}<p class="small"><a href="${href}">${all}</a></p></section>`;
