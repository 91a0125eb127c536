import type { FeeSum } from '@app/contracts/fees';
import type { Overview, OverviewProduct } from '@app/contracts/overview';
import { button } from '../../components/button.ts';
import { field, select } from '../../components/field.ts';
import { money } from '../../components/lines.ts';
import { notice } from '../../components/notice.ts';
import { emptyState } from '../../components/parts.ts';
import { columnsOf, table } from '../../components/table.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { otherCurrencies, overviewStats, revenueChart } from '../frame/overview.ts';
import type { DashboardPage } from '../frame/visit.ts';

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
  views: 'Views',
  conversion: 'Conversion',
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
}

export function metricsPage(content: MetricsContent): DashboardPage {
  const { overview, currency, formats, problem } = content;
  return {
    title: texts.title,
    main: html`${problem !== null && notice('bad', problem)}${spanForm(content)}${overviewStats(overview, currency, formats, content)}${revenueChart(
      overview,
      currency,
      formats,
    )}${otherCurrencies(overview, currency, (each) => addressOf(content, each))}${productTable(content)}`,
  };
}

function addressOf({ path, query }: MetricsContent, currency: string): string {
  const other = new URLSearchParams(query);
  other.set('currency', currency);
  return `${path}?${other}`;
}

function spanForm({ overview, path, currency }: MetricsContent): Html {
  const day = (name: string, label: string, value: string) => field({ name, label, value, type: 'date' });
  return html`<form class="filters" action="${path}"><input type="hidden" name="currency" value="${currency}">${day('from', texts.from, overview.from)}${day('to', texts.to, overview.to)}${select(
    {
      name: 'by',
      label: texts.by,
      value: overview.by,
      options: [
        ['day', texts.day],
        ['month', texts.month],
      ],
    },
  )}${button({ label: texts.show })}</form>`;
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
  detail: texts.orders,
  wide: texts.views,
  status: texts.conversion,
  end: texts.revenue,
});

const cellsOf = (product: OverviewProduct, formats: Formats): (string | Html)[] => [
  html`<bdi>${product.name}</bdi>`,
  formats.count(product.orders),
  formats.count(product.views),
  formats.percent(product.conversionRate),
  product.currency === null ? '' : money(formats.amount(product.revenueCents, product.currency)),
];
