import type { FeeSum } from '@app/contracts/fees';
import type { Overview, OverviewProduct } from '@app/contracts/overview';
import type { Retention } from '@app/contracts/retention';
import { button } from '../../components/button.ts';
import { field } from '../../components/field.ts';
import { money } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import { emptyState, tabs } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { conversionParts, otherCurrencies, overviewStats, revenueChart } from '../frame/overview.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { retentionTable } from './retention-table.ts';

const texts = {
  title: 'Metrics',
  from: 'From (UTC)',
  to: 'To (UTC)',
  by: 'Each point is',
  day: 'Day',
  month: 'Month',
  show: 'Show',
  products: 'Products',
  product: 'Product',
  revenue: 'Revenue',
  orders: 'Orders',
  conversion: 'Conversion',
  average: 'Average order',
  bump: 'With a bump',
  upsell: 'With an upsell',
  noOrders: 'None yet',
  more: (shown: number, all: number) =>
    `The ${shown} products with the most revenue of ${all}. The sums above are of all.`,
  empty: 'There are no products yet, so there is nothing to count.',
  make: 'Make a product',
} as const;

interface MetricsContent {
  readonly overview: Overview;
  readonly currency: string;
  readonly formats: Formats;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Why the span that the address names cannot be. */
  readonly problem: string | null;
  /** Of the span; null where they could not be read. */
  readonly fees: readonly FeeSum[] | null;
  /** Null where it could not be read. */
  readonly retention: Retention | null;
}

export function metricsPage(content: MetricsContent): DashboardPage {
  const { overview, currency, formats, problem } = content;
  return {
    title: texts.title,
    main: html`${problem !== null && notice('bad', problem)}${spanForm(content)}${overviewStats(overview, currency, formats, content.fees)}${revenueChart(
      overview,
      currency,
      formats,
    )}${otherCurrencies(overview, currency, (each) => addressOf(content, 'currency', each))}${productTable(content)}${retentionTable(content.retention, formats)}`,
  };
}

function addressOf({ path, query }: MetricsContent, name: 'currency' | 'by', value: string): string {
  const other = new URLSearchParams(query);
  other.set(name, value);
  return `${path}?${other}`;
}

/** The days of the span, and how finely it is drawn, which applies at once. */
function spanForm(content: MetricsContent): Html {
  const { overview, path, currency } = content;
  const day = (name: string, label: string, value: string) => field({ name, label, value, type: 'date' });
  const step = (by: Overview['by'], label: string) => ({
    label,
    href: addressOf(content, 'by', by),
    isOpen: overview.by === by,
  });
  return html`<form class="filters" action="${path}"><input type="hidden" name="currency" value="${currency}"><input type="hidden" name="by" value="${overview.by}">${day('from', texts.from, overview.from)}${day('to', texts.to, overview.to)}${button(
    { label: texts.show },
  )}</form><div class="drawn-by"><span class="label" aria-hidden="true">${texts.by}</span>${tabs(texts.by, [step('day', texts.day), step('month', texts.month)])}</div>`;
}

function productTable({ overview: { products, productCount }, formats }: MetricsContent): Html {
  if (products.length === 0) return emptyState(texts.empty, html`<p><a href="/app/products/new">${texts.make}</a></p>`);
  const rows = products.map((product) => ({ href: `/app/metrics/${product.id}`, cells: cellsOf(product, formats) }));
  const more =
    products.length < productCount && html`<p class="small quiet">${texts.more(products.length, productCount)}</p>`;
  return html`<section class="stack"><h2>${texts.products}</h2>${table({ caption: texts.products, columns, rows })}${more}</section>`;
}

const columns = columnsOf({
  title: texts.product,
  detail: { label: texts.orders, isNamed: true },
  wide: [texts.average, texts.bump, texts.upsell],
  status: { label: texts.conversion, isNamed: true },
  end: { label: texts.revenue, isNamed: true },
});

/** What is of orders is nothing where there are none. */
const ofOrders = (
  { orders, currency }: OverviewProduct,
  value: number | undefined,
  shown: (value: number) => string | Html,
): string | Html => (orders === 0 || currency === null || value === undefined ? texts.noOrders : shown(value));

/** With what it is made of: orders that were recorded by API are none of it. */
function conversion(product: OverviewProduct, formats: Formats): Html {
  const parts = conversionParts(product, formats);
  return html`${formats.percent(product.conversionRate)}${parts !== undefined && html` <span class="of small quiet">${parts}</span>`}`;
}

const cellsOf = (product: OverviewProduct, formats: Formats): (string | Html)[] => [
  html`<bdi>${product.name}</bdi>`,
  money(formats.count(product.orders)),
  ofOrders(product, product.aovCents, (cents) => money(formats.amount(cents, product.currency ?? ''))),
  ofOrders(product, product.bumpTakeRate, formats.percent),
  ofOrders(product, product.upsellTakeRate, formats.percent),
  conversion(product, formats),
  product.currency === null ? '' : money(formats.amount(product.revenueCents, product.currency)),
];
