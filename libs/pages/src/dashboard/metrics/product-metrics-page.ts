import { type ExplainedMetric, explainedMetric, type MetricsResource } from '@app/contracts/metrics';
import { lineChart } from '../../charts/line-chart.ts';
import { stats } from '../../components/parts.ts';
import type { Formats } from '../../formats.ts';
import { type Html, html } from '../../html.ts';
import type { DashboardPage } from '../frame/visit.ts';
import { numbers, shownNumber } from './numbers.ts';

const texts = {
  back: 'Metrics',
  months: 'By month (UTC)',
  explain: 'How churn comes about, month by month',
} as const;

interface ProductMetrics {
  readonly metrics: MetricsResource;
  readonly currency: string;
  readonly formats: Formats;
  readonly path: string;
}

/** Every published number; each leads to its formula and its facts. */
export function productMetricsPage(content: ProductMetrics): DashboardPage {
  const { metrics, currency, formats, path } = content;
  const summary: Readonly<Partial<Record<ExplainedMetric, number>>> = metrics.summary;
  const all = explainedMetric.options.flatMap((metric) => {
    const value = summary[metric];
    if (value === undefined) return [];
    return [
      { label: numbers[metric].label, value: shownNumber(metric, value, currency, formats), href: `${path}/${metric}` },
    ];
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
