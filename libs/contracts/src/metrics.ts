import { z } from 'zod';
import { limits, timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { pricingType } from './products.ts';

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-01');
const monthValue = z.object({ month: z.string().regex(/^\d{4}-\d{2}$/), value: z.number() });

export const metricsResource = z
  .object({
    product: z.object({ id: z.string(), name: z.string(), pricingType }),
    summary: z.object({
      revenueCents: z.int(),
      orders: z.int(),
      aovCents: z.int(),
      bumpTakeRate: z.number(),
      upsellTakeRate: z.number(),
      activeSubscriptions: z.int(),
      mrrCents: z.int(),
      refunds: z.int(),
      refundedCents: z.int(),
      refundRate: z.number(),
      views: z.int(),
      conversionRate: z.number(),
      customers: z.int(),
    }),
    revenueByMonth: z.array(z.object({ month: monthValue.shape.month, value: z.int() })),
    mrrByMonth: z.array(monthValue),
    churnByMonth: z.array(monthValue),
  })
  .meta({ id: 'Metrics' });
export type MetricsResource = z.infer<typeof metricsResource>;

export const getMetrics = defineRequest('read', 'metrics', 'products.get', {
  input: z.object({ productId: z.string() }),
  output: metricsResource,
});

/** `churn` is given for a month; `activeSubscriptions` and `mrrCents` with a month are those at its end. */
export const explainedMetric = z.enum([
  'revenueCents',
  'orders',
  'aovCents',
  'bumpTakeRate',
  'upsellTakeRate',
  'activeSubscriptions',
  'mrrCents',
  'refunds',
  'refundedCents',
  'refundRate',
  'views',
  'conversionRate',
  'customers',
  'churn',
]);
export type ExplainedMetric = z.infer<typeof explainedMetric>;

/** A fact behind a number, and what it adds to the formula's parts. */
const explainedFact = z.object({
  id: z.string(),
  kind: z.string().describe('What happened, such as `order_paid` or `subscription_rebilled`.'),
  subject: z
    .string()
    .describe('The order or subscription, with the number of the refund or period after a slash; empty for a visit.'),
  occurred_at: timestamp,
  currency: z.string().nullable().describe('Of its amounts; null for a visit.'),
  values: z.record(z.string(), z.int()).describe('What it adds to each part.'),
});

/**
 * How a number comes about. The `values` of all pages of facts sum to `parts`, and `value` follows from the parts. A page may
 * have fewer facts than requested: the list ends where `next` is null.
 */
export const explanation = z
  .object({
    metric: explainedMetric,
    month: z.string().nullable(),
    value: z.number(),
    formula: z.string(),
    version: z.int().describe('Of the formula: it grows when a definition changes.'),
    parts: z.record(z.string(), z.int()),
    data: z.array(explainedFact),
    next: z.string().nullable().describe('Send it as `after` for the next page; null on the last one.'),
  })
  .meta({ id: 'MetricExplanation' });
export type MetricExplanation = z.infer<typeof explanation>;

export const explainMetric = defineRequest('read', 'metrics', 'products.explain', {
  input: z.object({
    productId: z.string(),
    metric: explainedMetric,
    month: month
      .optional()
      .describe('`YYYY-MM`, the current one at the latest; left out, the whole time. `churn` needs it.'),
    limit: z.coerce.number().int().min(1).max(limits.listMax).optional(),
    after: idSchema('event').optional().describe('The `next` of the page before.'),
  }),
  output: explanation,
});

/** Ten years. */
export const seriesMonthsMax = 120;

export const metricSeries = z
  .object({
    metric: explainedMetric,
    formula: z.string(),
    version: z.int().describe('Of the formula: it grows when a definition changes.'),
    data: z.array(monthValue).describe('Every month of the span, the earliest first.'),
  })
  .meta({ id: 'MetricSeries' });
export type MetricSeries = z.infer<typeof metricSeries>;

export const getMetricSeries = defineRequest('read', 'metrics', 'products.series', {
  input: z.object({
    productId: z.string(),
    metric: explainedMetric,
    from: month.optional().describe('First month, UTC; left out, 11 months before `to`.'),
    to: month
      .optional()
      .describe(`Last month, the current one at the latest; left out, that. At most ${seriesMonthsMax} with \`from\`.`),
  }),
  output: metricSeries,
});
