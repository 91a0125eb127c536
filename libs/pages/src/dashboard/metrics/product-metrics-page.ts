import { type ExplainedMetric, explainedMetric, type MetricsResource } from '@app/contracts/metrics';
import { lineChart } from '../../charts/line-chart.ts';
import { stats } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import { conversionParts } from '../frame/overview.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { numbers, shownNumber, tickOf } from './numbers.ts';

const texts = {
  back: 'Metrics',
  months: 'By month (UTC)',
  explain: 'How churn comes about, month by month',
} as const;

interface ProductMetrics {
  readonly metrics: MetricsResource;
  /** Of which the conversion is made; undefined where they could not be read. */
  readonly checkoutOrders: number | undefined;
  readonly currency: string;
  readonly formats: Formats;
  readonly path: string;
}

/** Every published number; each leads to its formula and its facts. */
export function productMetricsPage(content: ProductMetrics): DashboardPage {
  const { metrics, checkoutOrders, currency, formats, path } = content;
  const summary: Readonly<Partial<Record<ExplainedMetric, number>>> = metrics.summary;
  const all = explainedMetric.options.flatMap((metric) => {
    const value = summary[metric];
    if (value === undefined) return [];
    const shown = shownNumber(metric, value, currency, formats);
    const since =
      metric === 'conversionRate'
        ? conversionParts({ checkoutOrders, views: metrics.summary.views }, formats)
        : undefined;
    return [{ label: numbers[metric].label, value: shown, since, href: `${path}/${metric}` }];
  });
  return {
    title: metrics.product.name,
    heading: html`<bdi>${metrics.product.name}</bdi>`,
    back: { href: '/app/metrics', label: texts.back },
    main: html`${stats(all)}<section class="stack"><h2>${texts.months}</h2>${byMonth(content)}</section>`,
  };
}

function byMonth({ metrics, currency, formats, path }: ProductMetrics): Html {
  const chart = (metric: ExplainedMetric, points: readonly { readonly month: string; readonly value: number }[]) =>
    lineChart({
      title: numbers[metric].label,
      points: points.map(({ month, value }) => ({ date: month, value })),
      value: (value) => shownNumber(metric, value, currency, formats),
      tick: tickOf(metric, currency, formats),
      date: (month) => formats.month(month),
    });
  const isSubscription = metrics.product.pricingType === 'subscription';
  const [last] = metrics.churnByMonth.slice(-1);
  return html`${chart('revenueCents', metrics.revenueByMonth)}${
    isSubscription &&
    html`${chart('mrrCents', metrics.mrrByMonth)}${chart('churn', metrics.churnByMonth)}${
      last !== undefined && html`<p class="small"><a href="${path}/churn?month=${last.month}">${texts.explain}</a></p>`
    }`
  }`;
}
