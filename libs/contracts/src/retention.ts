import { z } from 'zod';
import { defineRequest } from './define.ts';

/** Months of start that are read unless the request says otherwise, and the most. */
export const retentionMonths = { usual: 12, max: 24 } as const;

/** How many of the subscriptions that began in a month are active later. */
export const retention = z
  .object({
    data: z
      .array(
        z.object({
          month: z.string().describe('In which they were started, as `YYYY-MM`, UTC.'),
          started: z.int().describe('How many were started.'),
          active: z
            .array(z.int())
            .describe(
              'How many of them are active at the end of that month, at the end of the month after it, and so on. The last is of the current month: those active now.',
            ),
        }),
      )
      .describe('Every month of the span, the earliest first. A month in which none was started has zeros.'),
  })
  .meta({ id: 'Retention' });
export type Retention = z.infer<typeof retention>;

export const getRetention = defineRequest('read', 'metrics', 'retention.get', {
  input: z.object({
    months: z.coerce
      .number()
      .int()
      .min(1)
      .max(retentionMonths.max)
      .optional()
      .describe(`Months of start, the current one the last; left out, ${retentionMonths.usual}.`),
  }),
  output: retention,
});
