import { z } from 'zod';
import { pricingType } from './catalog.ts';
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
