import type { CustomerResource } from '@app/contracts/customers';
import { field } from '../../components/field.ts';
import { money } from '../../components/lines.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { customerPath } from '../frame/addresses.ts';
import { filtersForm } from '../frame/filters.ts';
import type { ListContent } from '../frame/lists.ts';
import { when } from '../frame/times.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { customersPath, orderTabs } from './parts.ts';

const texts = {
  title: 'Customers',
  search: 'Search customers',
  q: 'Email, or how the name begins',
  empty: 'There are no customers yet. Whoever buys is listed here; test purchases are not.',
  products: 'Open your products',
  more: (count: string) => `+ ${count} more`,
  noMatch: 'No customer matches.',
  showAll: 'Show all customers',
} as const;

const columns = columnsOf({
  title: 'Customer',
  wide: ['Orders', 'Active subscriptions', 'Last purchase'],
  detail: 'First purchase, newest first',
  end: 'Spent',
});

interface CustomersContent extends ListContent {
  readonly customers: readonly CustomerResource[];
  /** As the address has it. */
  readonly q: string | undefined;
}

export function customersPage({ customers, q, formats, pager }: CustomersContent): DashboardPage {
  const isBlank = customers.length === 0 && q === undefined;
  const search = filtersForm({
    label: texts.search,
    path: customersPath,
    fields: field({ name: 'q', label: texts.q, value: q ?? '', maxLength: 254 }),
    isNarrowed: q !== undefined,
  });
  const list = customers.length === 0 ? noCustomers(q) : customerTable(customers, formats);
  return { title: texts.title, main: html`${orderTabs(customersPath)}${!isBlank && search}${list}${pager}` };
}

const noCustomers = (q: string | undefined): Html =>
  q === undefined
    ? emptyState(texts.empty, html`<p><a href="/app/products">${texts.products}</a></p>`)
    : emptyState(texts.noMatch, html`<p><a href="${customersPath}">${texts.showAll}</a></p>`);

const customerTable = (customers: readonly CustomerResource[], formats: Formats): Html =>
  table({
    caption: texts.title,
    columns,
    rows: customers.map((customer) => ({
      href: customerPath(customer.id),
      cells: [
        named(customer),
        formats.count(customer.orders),
        formats.count(customer.active_subscriptions),
        when(customer.last_purchase_at, formats),
        when(customer.first_purchase_at, formats),
        spent(customer, formats),
      ],
    })),
  });

const named = ({ email, name }: CustomerResource): Html =>
  html`<bdi>${email}</bdi>${name !== '' && html`<span class="of small quiet"><bdi>${name}</bdi></span>`}`;

/** The largest sum, and how many there are in other currencies. */
function spent({ spent: [first, ...others] }: CustomerResource, formats: Formats): Html {
  if (first === undefined) return html``;
  const more =
    others.length > 0 && html` <span class="of small quiet">${texts.more(formats.count(others.length))}</span>`;
  return html`${money(formats.amount(first.amount_cents, first.currency))}${more}`;
}
