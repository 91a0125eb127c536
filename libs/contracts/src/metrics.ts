import { z } from 'zod';
import { limits, timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { pricingType } from './products.ts';

const month = z.string().regex(/^\d{4}-(0[1-9]|1[0-2])$/, 'must be a month such as 2026-01');
const monthValue = z.object({
  month: z
    .string()
    .regex(/^\d{4}-\d{2}$/)
    .describe('`YYYY-MM`, UTC.'),
  value: z.number().describe('Minor units where it is an amount; a rate is from 0 to 1.'),
});

/** An older version of the service leaves it out. */
const soldIn = z
  .string()
  .nullable()
  .default(null)
  .describe('Of all amounts, as a lower-case ISO 4217 code; null until the first sale or renewal.');

export const metricsResource = z
  .object({
    product: z.object({ id: z.string(), name: z.string(), pricingType, currency: soldIn }),
    summary: z.object({
      revenueCents: z.int().describe('Of orders and renewals; refunds are not subtracted.'),
      orders: z.int().describe('Without renewals.'),
      aovCents: z.int().describe('The average total of an order.'),
      bumpTakeRate: z.number().describe('From 0 to 1: orders with a bump, of all orders.'),
      upsellTakeRate: z.number().describe('From 0 to 1: orders with an upsell, of those that were shown one.'),
      activeSubscriptions: z.int().describe('Without those past due, paused or canceled.'),
      mrrCents: z.int().describe('What active subscriptions bring in a month.'),
      refunds: z.int().describe('Orders from which money went back, once each.'),
      refundedCents: z.int().describe('All that went back.'),
      refundRate: z.number().describe('From 0 to 1: refunds, of all orders.'),
      views: z.int().describe('Visitors of the checkout, each once a UTC day.'),
      conversionRate: z.number().describe('From 0 to 1: orders from the checkout, of its visitors.'),
      customers: z.int().describe('Buyers, by their email.'),
    }),
    revenueByMonth: z.array(
      z.object({ month: monthValue.shape.month, value: z.int().describe('Minor units: 4900 is 49.00.') }),
    ),
    mrrByMonth: z.array(monthValue).describe('Of subscriptions, at the end of each month.'),
    churnByMonth: z.array(monthValue).describe('Of subscriptions: the share that ended in the month.'),
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
    currency: soldIn,
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
    currency: soldIn,
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
