import { z } from 'zod';
import { timestamp } from './common.ts';

/** What every later event of an order says of it. */
export const aboutOrder = {
  orderId: z.string(),
  productId: z.string(),
  productName: z.string(),
  customerEmail: z.string(),
  currency: z.string(),
  test: z.boolean(),
};

/** Money of one charge that went back, whole or a part: by a refund that the processor took, or by a lost dispute. */
export const refundedPart = z.object({
  /** Of a lost dispute, the dispute's. */
  refundId: z.string(),
  /** The payment that took the money. */
  paymentId: z.string(),
  amountCents: z.int(),
  /** What the payment had taken. */
  chargedCents: z.int(),
  /** Both null for the order's own charges; of a renewal, its subscription and period. */
  subscriptionId: z.string().nullable(),
  period: z.int().nullable(),
  refundedAt: timestamp,
});
export type RefundedPart = z.infer<typeof refundedPart>;
