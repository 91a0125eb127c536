import { z } from 'zod';

export const orderItemKind = z.enum(['main', 'bump', 'upsell', 'discount', 'downsell']);

/** An item as orders show it. */
export const orderItem = z.object({
  kind: orderItemKind,
  label: z.string(),
  amount_cents: z.int(),
  id: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'Of the product, the bump, the upsell or the code. Null where it was not kept, as for bumps of orders before 0.3.',
    ),
  access_url: z
    .string()
    .nullable()
    .default(null)
    .describe(
      'Where the buyer finds it, as it was at the sale; null where it had no access link, and where it was not kept.',
    ),
});

/** An item as events have it; those of earlier versions lack the two last fields. */
export const itemOfEvent = z.object({
  kind: orderItemKind,
  label: z.string(),
  amountCents: z.int(),
  id: z.string().nullable().optional(),
  accessUrl: z.string().nullable().optional(),
});
