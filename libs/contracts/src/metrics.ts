import { z } from 'zod';
import { pricingType } from './catalog.ts';
import { timestamp } from './common.ts';
import { defineRequest } from './define.ts';

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

/** A fact behind a number, and what it adds to the formula's parts. */
const explainedFact = z.object({
  id: z.string(),
  kind: z.string().describe('What happened, such as `order_paid` or `subscription_rebilled`.'),
  subject: z.string().describe('The order, subscription or refund; empty for a visit.'),
  occurred_at: timestamp,
  values: z.record(z.string(), z.int()).describe('What it adds to each part.'),
});

/** How a number comes about. The `values` of all pages of facts sum to `parts`, and `value` follows from the parts. */
export const explanation = z
  .object({
    metric: explainedMetric,
    month: z.string().nullable(),
    value: z.number(),
    formula: z.string(),
    version: z.int().describe('Of the formula: it grows when a definition changes.'),
    parts: z.record(z.string(), z.int()),
    data: z.array(explainedFact),
    next: z.string().nullable().describe('Send it as `after` for the next page.'),
  })
  .meta({ id: 'MetricExplanation' });

export const explainMetric = defineRequest('read', 'metrics', 'products.explain', {
  input: z.object({
    productId: z.string(),
    metric: explainedMetric,
    month: monthValue.shape.month.optional().describe('`YYYY-MM`; left out, the whole time.'),
    limit: z.coerce.number().int().min(1).max(100).optional(),
    after: z.string().max(64).optional(),
  }),
  output: explanation,
});
