import type { ExplainedMetric } from '@app/contracts/metrics';
import type { Formats } from '../../formats.ts';

type Kind = 'money' | 'count' | 'share';

/** The published numbers, by their names in the API. */
export const numbers: Readonly<Record<ExplainedMetric, { readonly label: string; readonly kind: Kind }>> = {
  revenueCents: { label: 'Revenue', kind: 'money' },
  orders: { label: 'Orders', kind: 'count' },
  aovCents: { label: 'Average order', kind: 'money' },
  bumpTakeRate: { label: 'Orders with a bump', kind: 'share' },
  upsellTakeRate: { label: 'Orders with an upsell', kind: 'share' },
  activeSubscriptions: { label: 'Active subscriptions', kind: 'count' },
  mrrCents: { label: 'Recurring revenue a month', kind: 'money' },
  refunds: { label: 'Refunded orders', kind: 'count' },
  refundedCents: { label: 'Refunded', kind: 'money' },
  refundRate: { label: 'Share refunded', kind: 'share' },
  views: { label: 'Views', kind: 'count' },
  conversionRate: { label: 'Conversion', kind: 'share' },
  customers: { label: 'Customers', kind: 'count' },
  churn: { label: 'Churn', kind: 'share' },
};

export function shownNumber(metric: ExplainedMetric, value: number, currency: string, formats: Formats): string {
  const { kind } = numbers[metric];
  if (kind === 'money') return formats.amount(Math.round(value), currency);
  return kind === 'share' ? formats.percent(value) : formats.count(value);
}

/** The same on the axis of a chart. */
export const tickOf =
  (metric: ExplainedMetric, currency: string, formats: Formats) =>
  (value: number): string =>
    numbers[metric].kind === 'money'
      ? formats.tick(Math.round(value), currency)
      : shownNumber(metric, value, currency, formats);
