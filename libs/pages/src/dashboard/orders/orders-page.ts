import type { OrderResource } from '@app/contracts/orders';
import { linkButton } from '../../components/button.ts';
import { field, select } from '../../components/field.ts';
import { emptyState } from '../../components/parts.ts';
import { type Html, html } from '../../html.ts';
import { filtersForm } from '../frame/filters.ts';
import type { ListContent } from '../frame/lists.ts';
import { orderTable } from '../frame/order-table.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { type Named, ordersPath, orderTabs, productFilter, testOrdersPath } from './parts.ts';

const texts = {
  title: 'Orders',
  testTitle: 'Test orders',
  record: 'Record an order',
  status: 'Status',
  search: 'Search orders',
  q: 'Email, order number or name',
  anyStatus: 'Any status',
  paid: 'Paid',
  refunded: 'Refunded',
  held: 'Card held',
  from: 'From (UTC)',
  to: 'To (UTC)',
  affiliate: 'Affiliate code',
  dispute: 'Dispute',
  anyDispute: 'With or without',
  disputeOpen: 'Open',
  disputeLost: 'Lost',
  empty: 'There are no orders yet. Share the link of a live product, or make a test purchase.',
  products: 'Open your products',
  testEmpty: 'There are no test orders yet. Buy a product in test mode: it is charged to no card.',
  settings: 'Open the settings of test mode',
  noMatch: 'No order matches.',
  showAll: 'Show all orders',
} as const;

/** As the address has them. */
export interface OrderFilters {
  readonly q: string | undefined;
  readonly status: 'paid' | 'refunded' | 'authorized' | undefined;
  readonly dispute: 'open' | 'lost' | undefined;
  readonly productId: string | undefined;
  readonly affiliateCode: string | undefined;
  /** Days of UTC, both included. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

interface OrdersContent extends ListContent {
  readonly orders: readonly OrderResource[];
  readonly products: Named;
  readonly filters: OrderFilters;
  /** Whether it lists rehearsals. */
  readonly isTest: boolean;
}

export function ordersPage(content: OrdersContent): DashboardPage {
  const { orders, isTest, formats, pager } = content;
  const title = isTest ? texts.testTitle : texts.title;
  const list = orders.length === 0 ? noOrders(content) : orderTable(orders, title, formats);
  const isBlank = orders.length === 0 && !isNarrowed(content.filters);
  return {
    title,
    action: linkButton({ label: texts.record, href: '/app/orders/new', kind: 'accent' }),
    main: html`${orderTabs(isTest ? testOrdersPath : ordersPath)}${!isBlank && filters(content)}${list}${pager}`,
  };
}

const isNarrowed = (filters: OrderFilters): boolean => Object.values(filters).some((value) => value !== undefined);

function noOrders({ filters, isTest }: OrdersContent): Html {
  const path = isTest ? testOrdersPath : ordersPath;
  if (isNarrowed(filters)) return emptyState(texts.noMatch, html`<p><a href="${path}">${texts.showAll}</a></p>`);
  return isTest
    ? emptyState(texts.testEmpty, html`<p><a href="/app/settings">${texts.settings}</a></p>`)
    : emptyState(texts.empty, html`<p><a href="/app/products">${texts.products}</a></p>`);
}

function filters({ filters: chosen, products, isTest }: OrdersContent): Html {
  const { q = '', status = '', dispute = '', productId = '', from = '', to = '', affiliateCode = '' } = chosen;
  const fields = html`${field({ name: 'q', label: texts.q, value: q, maxLength: 254 })}${select({
    name: 'status',
    label: texts.status,
    value: status,
    options: [
      ['', texts.anyStatus],
      ['paid', texts.paid],
      ['authorized', texts.held],
      ['refunded', texts.refunded],
    ],
  })}`;
  const more = html`${productFilter(products, productId)}${field({ name: 'from', label: texts.from, type: 'date', value: from })}${field(
    {
      name: 'to',
      label: texts.to,
      type: 'date',
      value: to,
    },
  )}${field({ name: 'affiliateCode', label: texts.affiliate, value: affiliateCode, maxLength: 64 })}${select({
    name: 'dispute',
    label: texts.dispute,
    value: dispute,
    options: [
      ['', texts.anyDispute],
      ['open', texts.disputeOpen],
      ['lost', texts.disputeLost],
    ],
  })}`;
  const isOpen = [productId, from, to, affiliateCode, dispute].some((value) => value !== '');
  return filtersForm({
    label: texts.search,
    path: isTest ? testOrdersPath : ordersPath,
    fields,
    more: { fields: more, isOpen },
    isNarrowed: isNarrowed(chosen),
  });
}
