import type { OrderResource } from '@app/contracts/orders';
import { money } from '../../components/lines.ts';
import { columnsOf } from '../../components/table.ts';
import { html } from '../../html.ts';
import { disputeBadge, orderBadge } from './badges.ts';
import { purchaseTable } from './purchase-table.ts';
import { when } from './times.ts';

const texts = { when: 'When', status: 'Status', total: 'Total' } as const;

/** What an order is called: what was bought first. */
export const productOf = ({ items }: { readonly items: readonly { readonly label: string }[] }): string =>
  items[0]?.label ?? '';

const columns = columnsOf({ detail: texts.when, status: texts.status, end: texts.total });

export const orderTable = purchaseTable(columns, (order: OrderResource, formats) => ({
  href: `/app/orders/${order.id}`,
  buyer: order.customer_email,
  product: productOf(order),
  cells: [
    when(order.created_at, formats),
    html`${orderBadge(order, formats)} ${disputeBadge(order)}`,
    money(formats.amount(order.total_cents, order.currency)),
  ],
}));
