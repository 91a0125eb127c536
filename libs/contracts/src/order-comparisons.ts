import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineRequest } from './define.ts';
import { holdSettled, paymentCompleted, startPayment } from './payments.ts';
import { billingInterval } from './products.ts';

/** Orders of one page. */
export const comparedOrdersMax = 200;

/** What a checkout sold with a subscription product: all that the subscription is made of. */
const soldSubscription = z.object({
  productId: z.string(),
  productName: z.string(),
  customerEmail: z.string(),
  priceCents: z.int(),
  billingInterval,
  affiliateNamed: z.boolean(),
  paidAt: timestamp,
});

/** An order as checkout has it, to be compared with its payments. */
export const comparedOrder = z.object({
  orderId: z.string(),
  status: z.enum(['paid', 'refunded', 'authorized', 'expired']),
  source: z.enum(['api', 'checkout']),
  totalCents: z.int(),
  currency: z.string(),
  /** What went back of the order itself. */
  refundedCents: z.int(),
  /** When it was recorded, paid or refunded, whichever was last. */
  changedAt: timestamp,
  /** Null for a product that is paid once, and for an order that the seller's own code recorded. */
  subscription: soldSubscription.nullable(),
  /** Of an authorized order, the attempt that its card is held for: billing looks it up where it has no payment of the order. */
  attempt: startPayment.input.omit({ paymentMethod: true }).optional(),
});
export type ComparedOrder = z.infer<typeof comparedOrder>;

/**
 * Live orders of the account, by their ids: those that are named, or a page of those after `after` and before `until`, only
 * the authorized ones with `open`.
 */
export const ordersToCompare = defineRequest('read', 'checkout', 'orders.to-compare', {
  input: z.union([
    z.object({ orderIds: z.array(z.string()).max(comparedOrdersMax) }),
    z.object({ after: z.string(), until: z.string(), open: z.boolean() }),
  ]),
  output: z.object({ orders: z.array(comparedOrder) }),
});

/**
 * What billing's events said of payments and holds, once more: orders that have not followed them do so now. Each takes effect
 * once, as the events do.
 */
export const followPayments = defineRequest('command', 'checkout', 'orders.follow-payments', {
  input: z.object({
    completed: z.array(paymentCompleted.data).max(comparedOrdersMax),
    settled: z.array(holdSettled.data).max(comparedOrdersMax),
  }),
  /** Orders that cannot follow. */
  output: z.object({ failed: z.array(z.string()) }),
});
