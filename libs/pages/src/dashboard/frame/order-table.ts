import type { OrderResource } from '@app/contracts/orders';
import { money } from '../../components/lines.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { disputeBadge, orderBadge } from './badges.ts';
import { when } from './times.ts';

const texts = { buyer: 'Buyer', product: 'Product', when: 'When', status: 'Status', total: 'Total' } as const;

/** What an order is called: what was bought first. */
export const productOf = ({ items }: { readonly items: readonly { readonly label: string }[] }): string =>
  items[0]?.label ?? '';

/** Orders, each of which leads to its page. @param isOfOneBuyer where the rows are named by what was bought */
export function orderTable(
  orders: readonly OrderResource[],
  caption: string,
  formats: Formats,
  isOfOneBuyer = false,
): Html {
  const rows = orders.map((order) => {
    const [buyer, product] = [html`<bdi>${order.customer_email}</bdi>`, html`<bdi>${productOf(order)}</bdi>`];
    const cells = [
      when(order.created_at, formats),
      html`${orderBadge(order, formats)} ${disputeBadge(order)}`,
      money(formats.amount(order.total_cents, order.currency)),
    ];
    const names = isOfOneBuyer ? [product] : [buyer, product];
    return { href: `/app/orders/${order.id}`, cells: [...names, ...cells] };
  });
  const names = isOfOneBuyer ? columnsOf({ title: texts.product }) : nameColumns;
  return table({ caption, columns: [...names, ...columns], rows });
}

const nameColumns = columnsOf({ title: texts.buyer, wide: texts.product });

const columns = columnsOf({ detail: texts.when, status: texts.status, end: texts.total });
