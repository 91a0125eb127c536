import { z } from 'zod';
import { timestamp } from './common.ts';
import { defineEvent } from './define.ts';
import { idSchema } from './ids.ts';
import { aboutOrder, refundedPart } from './money-given-back.ts';

/** How a bank's dispute of a payment stands. Of those that begin with `warning` no money was taken from the seller. */
export const disputeStatus = z.enum([
  'needs_response',
  'under_review',
  'won',
  'lost',
  'prevented',
  'warning_needs_response',
  'warning_under_review',
  'warning_closed',
]);
export type DisputeStatus = z.infer<typeof disputeStatus>;

/** How it ended: `lost` alone gives the buyer the money back. */
export const disputeOutcome = z.enum(['won', 'lost', 'prevented', 'warning_closed']);
export type DisputeOutcome = z.infer<typeof disputeOutcome>;

/** A dispute, as it stands at its order. */
export const disputeResource = z
  .object({
    id: z.string().describe('The payment processor’s.'),
    payment_id: idSchema('payment').describe('Of the order, or of a renewal of its subscription.'),
    status: disputeStatus.describe('Of those that begin with `warning` no money was taken.'),
    reason: z
      .string()
      .describe('The bank’s, as the payment processor names it: `fraudulent`, `product_not_received`, …'),
    amount_cents: z.int().describe('What is disputed, which may be a part of the payment.'),
    currency: z.string(),
    evidence_due_by: timestamp.nullable().describe('The last moment for evidence, which is given at the processor.'),
    opened_at: timestamp,
    closed_at: timestamp.nullable(),
    outcome: disputeOutcome.nullable().describe('Null while it is open. `lost` counts as money given back.'),
  })
  .meta({ id: 'Dispute' });
export type DisputeResource = z.infer<typeof disputeResource>;

const aboutDispute = {
  disputeId: z.string(),
  paymentId: z.string(),
  /** Null for the order's own payments; of a renewal, its subscription. */
  subscriptionId: z.string().nullable(),
  amountCents: z.int(),
  currency: z.string(),
  reason: z.string(),
  evidenceDueBy: timestamp.nullable(),
  openedAt: timestamp,
};

/** How a dispute ended. */
const end = { outcome: disputeOutcome, closedAt: timestamp };

/** Billing found that a dispute of an order's payment was opened, or has ended: each once. */
export const disputeRecorded = defineEvent(
  'billing',
  'dispute.recorded',
  1,
  z.object({
    orderId: z.string(),
    ...aboutDispute,
    test: z.boolean(),
    /** Null: it was opened. */
    end: z.object(end).nullable(),
    /** What a lost one gives back of its payment; null where nothing is given back. Of a reversed one, what another lost one does. */
    givenBack: refundedPart.nullable(),
    /** The bank reversed it after it was lost: all that it had given back is the seller's again, so many minor units. */
    takenBack: z.object({ amountCents: z.int() }).optional(),
  }),
);

/** The bank of a buyer disputes a payment of an order, or of a renewal of its subscription. */
export const disputeOpened = defineEvent('checkout', 'dispute.opened', 1, z.object({ ...aboutOrder, ...aboutDispute }));

/**
 * A dispute ended; of a lost one `payment.refunded` says what the buyer got. One that the bank reverses ends again, as won, and
 * `payment.reopened` says what the seller has again.
 */
export const disputeClosed = defineEvent(
  'checkout',
  'dispute.closed',
  1,
  z.object({ ...aboutOrder, ...aboutDispute, ...end }),
);
