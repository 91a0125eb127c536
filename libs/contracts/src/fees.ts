import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';

/**
 * What a processor keeps of a payment, or takes for a dispute of it. It is in the currency in which the processor pays the seller out,
 * which may be another one than the payment's: then it is shown beside amounts, and never taken from them.
 */
export const feeResource = z
  .object({
    kind: z.enum(['charge', 'dispute']),
    payment_id: idSchema('payment'),
    amount_cents: z.int().describe('Minor units of `currency`; a fee that came back is 0.'),
    currency: z.string().describe('The one in which the processor pays the seller out.'),
    incurred_at: timestamp.describe('When the payment was taken, or the dispute was opened.'),
  })
  .meta({ id: 'Fee' });
export type Fee = z.infer<typeof feeResource>;

/** Fees of orders' own payments and of disputes of these, not of renewals, by the orders. */
export const listOrderFees = defineRequest('read', 'billing', 'fees.list-of-orders', {
  input: z.object({ orderIds: z.array(z.string()).max(100) }),
  output: z.object({ data: z.array(feeResource.extend({ order_id: z.string() })) }),
});

const day = z.iso.date();

/** Of payments in one currency, what was kept in one currency. */
const feeSum = z.object({
  currency: z.string().describe('The currency of the payments.'),
  fee_currency: z.string().describe('The currency of the fees.'),
  charges_cents: z.int().describe('Fees of payments.'),
  disputes_cents: z.int().describe('Fees of disputes.'),
});
export type FeeSum = z.infer<typeof feeSum>;

const feeSums = z
  .object({
    from: day,
    to: day,
    data: z
      .array(feeSum)
      .describe('Only where there are fees. Fees in another currency than the payments’ cannot be taken from these.'),
  })
  .meta({ id: 'FeeSums' });

/** The fees of the account's live payments over UTC days, renewals among them. */
export const getFees = defineRequest('read', 'billing', 'fees.sum', {
  input: z.object({
    from: day.optional().describe('First day of the span, UTC; left out, 29 days before `to`.'),
    to: day
      .optional()
      .describe('Last day, UTC, of payments and of disputes; left out, today. At most 366 days with `from`.'),
  }),
  output: feeSums,
});
