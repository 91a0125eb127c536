import { z } from 'zod';
import { defineRequest } from './define.ts';
import { idSchema } from './ids.ts';
import { paymentPurpose } from './payments.ts';

/** A payment that took money for an order, and what of it went back. */
const refundableCharge = z.object({
  paymentId: idSchema('payment'),
  /** `renewal` for one of the subscription that was born from the order. */
  step: paymentPurpose,
  amountCents: z.int(),
  /** What went back of it by refunds and lost disputes. */
  refundedCents: z.int(),
  currency: z.string(),
  period: z.int().nullable(),
  /** An open dispute keeps it from being refunded. */
  disputed: z.boolean(),
});

/** What a refund of the order could give back: its own charges, oldest first, then those of its renewals. */
export const listRefundable = defineRequest('read', 'billing', 'charges.list-refundable', {
  /** `renewals`: whether they would go back too. */
  input: z.object({ orderId: z.string(), renewals: z.boolean().optional() }),
  output: z.object({
    charges: z.array(refundableCharge),
    /** The one that was born from the order. */
    subscription: z.object({ id: z.string(), status: z.enum(['active', 'past_due', 'paused', 'canceled']) }).nullable(),
    /** Whether a payment of the order has no outcome yet that keeps the refund back. */
    waits: z.boolean(),
  }),
});
