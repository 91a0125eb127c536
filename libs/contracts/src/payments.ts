import { z } from 'zod';
import { walletOfCard } from './card-wallets.ts';
import { amountCents, currency, emailAddress, listOf, pageQueryOf, rawText, timestamp } from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { disputeResource } from './disputes.ts';
import { feeResource } from './fees.ts';
import { idSchema } from './ids.ts';
import { refundedPart } from './money-given-back.ts';
import { processorCalls } from './time-outs.ts';

/**
 * A processor's token for a card. The buyer's page gets it from the processor, so card numbers never reach the platform.
 * It is never returned and never logged.
 */
export const paymentMethodToken = rawText(255, 1).refine((token) => token.trim() !== '', 'must not be blank');

/**
 * What a payment is for: `step` in the database and in JSON. Each succeeds at most once for an order, a renewal once for each
 * period. A `card` moves no money: it saves a new card of the order's subscription, as often as one is given. A `reversal` gives back
 * what was taken beside another payment for the same.
 */
export const paymentPurpose = z.enum([
  ...(['main', 'capture', 'upsell', 'recharge', 'refund', 'release', 'reversal', 'renewal', 'card'] as const),
]);
export type PaymentPurpose = z.infer<typeof paymentPurpose>;

/** `unknown`: sent, and no answer came. It blocks every other payment of its order until the processor was queried. */
export const paymentStatus = z.enum(['created', 'sent', 'succeeded', 'declined', 'requires_action', 'unknown']);
export type PaymentStatus = z.infer<typeof paymentStatus>;

/** Where a buyer confirms the payment at the bank. */
export const paymentAction = z.object({ url: z.string() });

/**
 * What buyers read of a decline: what they can do about it. Of a card that was lost, was stolen or looks like fraud they read no
 * more than `card_declined`. A reason that is new here is published once every service knows it.
 */
export const declineReason = z.enum([
  'card_declined',
  'try_again_later',
  'incorrect_cvc',
  'expired_card',
  'insufficient_funds',
  'amount_too_small',
  'ask_bank',
]);
export type DeclineReason = z.infer<typeof declineReason>;

/** A line for the upsell that a held order offers: what it costs is fixed when the card is held. */
export const offeredUpsell = z.object({ upsellId: z.string(), headline: z.string(), amountCents });
export type OfferedUpsell = z.infer<typeof offeredUpsell>;

/** What a buyer sees of the card. */
const ofCard = {
  lastFour: z.string().nullable(),
  wallet: walletOfCard,
  /** Until when the upsell may be decided on, of a hold. */
  decideBy: timestamp.nullable(),
  /** Who takes the money; answers and events of earlier versions lack it. */
  processor: z.string().optional(),
};

/**
 * How the main payment of an order stands.
 * - `succeeded`: charged. `held`: authorized, to be captured by `holds.settle`.
 * - `declined`: a definite no; another attempt may follow. `processing`: not known yet; billing finds out and publishes
 *   `payment.completed`.
 */
export const paymentOutcome = z.object({
  status: z.enum(['succeeded', 'held', 'declined', 'requires_action', 'processing']),
  paymentId: idSchema('payment'),
  /** The attempt that this is the outcome of. */
  attemptNo: z.int(),
  amountCents: z.int(),
  /** With `requires_action`; null where the processor's script shows the bank, with the client secret that `continue` returns. */
  action: paymentAction.nullable(),
  /** The buyer's alone: neither stored nor logged. */
  clientSecret: z.string().optional(),
  reason: declineReason.nullable(),
  ...ofCard,
});
export type PaymentOutcome = z.infer<typeof paymentOutcome>;

/**
 * Charges the order's total, or holds it while an upsell is offered. Idempotent by order and `attemptNo`:
 * - a payment that succeeded is the outcome of every later call, whatever its `attemptNo`;
 * - an attempt that was made is not made again: its outcome is returned;
 * - while an attempt is under way or unknown, a call with a higher `attemptNo` returns `processing`;
 * - a higher `attemptNo` while the buyer has to confirm gives up that confirmation first;
 * - earlier attempts of the order that billing has no rows of, as after a restored backup, are looked up first.
 * A first attempt makes one call of the processor; a later one may have to release and look up the one before it.
 */
export const startPayment = defineRequest('command', 'billing', 'payments.start', {
  input: z.object({
    orderId: idSchema('order'),
    attemptNo: z.int().min(1).max(100),
    /** When the attempt began: one that began long ago may have been sent before a backup was restored. */
    begunAt: timestamp,
    amountCents: amountCents.min(1),
    currency,
    /** Null: the attempt is looked up at the processor and recorded, and never sent. What the processor does not have is declined. */
    paymentMethod: paymentMethodToken.nullable(),
    customerEmail: emailAddress,
    /** As the buyer typed it: the seller reads it at the processor. */
    customerName: z.string().optional(),
    /** Shown to the seller in the payment log, and at the processor. */
    productName: z.string(),
    test: z.boolean(),
    /** Where the bank sends the buyer back to. */
    returnUrl: z.string().nullable(),
    /** The buyer's page runs the processor's script, which shows the bank over it. */
    confirmsByScript: z.boolean(),
    /** Given: the card is held for the amount and the upsell may be decided on for so long. */
    hold: z.object({ upsell: offeredUpsell, decisionMinutes: z.int().min(1) }).nullable(),
    /** False: the processor does not keep the card. */
    savesCard: z.boolean(),
  }),
  output: paymentOutcome,
  ...processorCalls(3),
});

/**
 * Queries the processor for the state of a payment that the buyer had to confirm, or whose outcome is unknown. One that got lost is sent again
 * under its key, while its buyer has just begun to pay.
 */
export const continuePayment = defineRequest('command', 'billing', 'payments.continue', {
  input: z.object({ orderId: idSchema('order') }),
  output: paymentOutcome,
  // The look-up, the sending again, and what the processor's script confirms with.
  ...processorCalls(3),
});

/** The amount that the caller was shown, in minor units. */
export const expectedCents = z.int().min(0).optional();

/** Why a hold took nothing: the seller released it, here or at the processor; or it expired there, and no card was charged instead. */
export const holdEndReason = z.enum(['released', 'expired']);
export type HoldEndReason = z.infer<typeof holdEndReason>;

/** How a hold ended. The first request decides: a later one gets the same result. */
export const holdResult = z.object({
  /** `settling`: decided, and a payment of it is not known yet. `lost`: neither capture nor charge succeeded. */
  status: z.enum(['settling', 'settled', 'lost']),
  decision: z.enum(['accepted', 'declined', 'not_decided']),
  /** The upsell as charged; null when it was not accepted or its charge was declined. */
  upsell: offeredUpsell.nullable(),
  upsellDeclined: z.boolean(),
  /** What was taken of the hold, or instead of it: less than was held where the seller captured a part at the processor. */
  capturedCents: z.int(),
  /** Only with `lost`. */
  reason: holdEndReason.optional(),
  /** Only with `settling`: the seller has released it here, and the processor’s answer is not known yet. */
  releasing: z.literal(true).optional(),
  processor: z.string().optional(),
});
export type HoldResult = z.infer<typeof holdResult>;

/** Captures the hold, then charges the upsell if the buyer accepted it. An order leaves `authorized` by its hold alone: by this or by `holds.release`. */
export const settleHold = defineRequest('command', 'billing', 'holds.settle', {
  input: z.object({ orderId: idSchema('order'), decision: z.enum(['accepted', 'declined']) }),
  output: holdResult,
  // Capture and upsell. A hold that has expired takes one more, the charge of the saved card: whoever waits then may get `outcome_unknown`, and the
  // outcome by its event.
  ...processorCalls(2),
});

export type { RefundedPart } from './money-given-back.ts';

/**
 * Refunds every charge of an order, each whole, and with `renewals` those of its renewals; one that is refused keeps no other
 * back. `refundedCents` is 0 for an order
 * without charges. `failed`: the processor refused; a request with a higher `attempt` tries again, the same one does not.
 */
export const refundCharges = defineRequest('command', 'billing', 'charges.refund', {
  input: z.object({
    orderId: idSchema('order'),
    renewals: z.boolean().optional(),
    attempt: z.int().min(1).optional(),
    /** If what is not given back yet is another amount, nothing is: `amount_changed`. */
    expectedCents,
    /** The seller's own code took the order's money: no charge of it is here, and its subscription ends at once. */
    chargedElsewhere: z.boolean().optional(),
  }),
  output: z.object({
    status: z.enum(['refunded', 'processing', 'failed']),
    refundedCents: z.int(),
    /** For the seller, in the processor's words; null unless `failed`. */
    detail: z.string().nullable(),
    /** Only with `failed`: what is left of each charge that was not given back, and the processor's words. */
    refused: z
      .array(z.object({ paymentId: z.string(), amountCents: z.int(), detail: z.string().nullable() }))
      .optional(),
    /** Whether the order's own charges went back entirely, whatever became of its renewals'. */
    orderRefunded: z.boolean(),
    /** Every refund of the order and its renewals that stands, oldest first. */
    refunds: z.array(refundedPart),
    /** A renewal of the order's subscription was sent to the processor and has no outcome yet: the refund waits for it. */
    renewalUnderWay: z.literal(true).optional(),
    /** Only with `failed`, where a payment was not given back because it is disputed, or was lost to a dispute. */
    disputed: z.literal(true).optional(),
  }),
  ...processorCalls(2),
});

const refundPaymentBody = z
  .strictObject({
    amountCents: amountCents.min(1).optional().describe('The whole rest of the payment unless given.'),
  })
  .meta({ id: 'PaymentRefundCreate' });

/** `processing`: the processor has not answered yet; the platform finds out and `payment.refunded` follows. */
const refundPaymentResult = z
  .object({
    ok: z.literal(true),
    paymentId: idSchema('payment'),
    orderId: idSchema('order'),
    status: z.enum(['refunded', 'processing']),
    amountCents: z.int().describe('What this request gave back; 0 when nothing was left, or while it is `processing`.'),
    refundedCents: z.int().describe('All that has gone back of this payment.'),
    detail: z.string().describe('What was done, in plain words.'),
  })
  .meta({ id: 'PaymentRefund' });

/** Refunds one payment that took money, whole or in part, never more than it took. The refund's id is the command's. */
export const refundPayment = defineRequest('command', 'billing', 'payments.refund', {
  input: z.object({ paymentId: idSchema('payment'), body: refundPaymentBody.optional() }),
  output: refundPaymentResult,
  ...processorCalls(2),
});

/** A line of the payment log: one attempt to move money, and what the processor said to it. */
export const paymentResource = z
  .object({
    id: idSchema('payment'),
    order_id: idSchema('order'),
    step: paymentPurpose,
    try_no: z.int(),
    amount_cents: z.int(),
    currency: z.string(),
    status: paymentStatus,
    reason: z.string().nullable().describe('The processor’s code for a decline.'),
    explanation: z.string().describe('What happened, in plain words.'),
    next: z.string().nullable().describe('What happens next; null when nothing does.'),
    processor: z.string(),
    processor_reference: z.string().nullable(),
    product_name: z.string(),
    customer_email: z.string(),
    last_four: z.string().nullable(),
    wallet: walletOfCard,
    test: z.boolean(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'Payment' });
export type PaymentResource = z.infer<typeof paymentResource>;

export const listPayments = defineRequest('read', 'billing', 'payments.list', {
  input: pageQueryOf(idSchema('payment')).extend({
    orderId: idSchema('order').optional(),
    email: emailAddress.optional(),
    status: paymentStatus.optional(),
  }),
  output: listOf(paymentResource),
});

export const getPayment = defineRequest('read', 'billing', 'payments.get', {
  input: z.object({ paymentId: z.string() }),
  output: paymentResource,
});

/**
 * Attempts to move money for an order itself, oldest first: its renewals are its subscription's. Of more than 100 the oldest
 * declines are left out.
 */
export const listOrderPayments = defineRequest('read', 'billing', 'payments.list-of-order', {
  input: z.object({ orderId: idSchema('order') }),
  output: z.object({
    data: z.array(paymentResource),
    /** Of the order and its renewals, oldest first. */
    disputes: z.array(disputeResource),
    /** Of the order, as far as they are known. */
    fees: z.array(feeResource).optional(),
  }),
});

/**
 * The main payment of an order came to a definite end. Published for every end, so that a consumer that died between the answer
 * and its own record finishes from it.
 */
export const paymentCompleted = defineEvent(
  'billing',
  'payment.completed',
  1,
  z.object({
    orderId: z.string(),
    paymentId: z.string(),
    attemptNo: z.int(),
    status: z.enum(['succeeded', 'held', 'declined']),
    amountCents: z.int(),
    currency: z.string(),
    reason: declineReason.nullable(),
    ...ofCard,
    test: z.boolean(),
    completedAt: timestamp,
  }),
);

/** A hold left `authorized`: the order follows. */
export const holdSettled = defineEvent(
  'billing',
  'hold.settled',
  1,
  z.object({
    orderId: z.string(),
    status: z.enum(['settled', 'lost']),
    decision: z.enum(['accepted', 'declined', 'not_decided']),
    upsell: offeredUpsell.nullable(),
    upsellDeclined: z.boolean(),
    capturedCents: z.int(),
    /** Only with `lost`; events of earlier versions lack it. */
    reason: holdEndReason.optional(),
    currency: z.string(),
    /** Of the card that was held. */
    lastFour: z.string().nullable(),
    wallet: walletOfCard,
    processor: z.string().optional(),
    test: z.boolean(),
    settledAt: timestamp,
  }),
);

/** One charge of an order, or of a renewal of its subscription, was refunded, whole or in part. */
export const chargeRefunded = defineEvent(
  'billing',
  'charge.refunded',
  1,
  z.object({
    orderId: z.string(),
    refund: refundedPart,
    currency: z.string(),
    test: z.boolean(),
    refundedAt: timestamp,
  }),
);

/** Every charge of an order was refunded. */
export const chargesRefunded = defineEvent(
  'billing',
  'charges.refunded',
  1,
  z.object({
    orderId: z.string(),
    refundedCents: z.int(),
    currency: z.string(),
    test: z.boolean(),
    refundedAt: timestamp,
    /** Every refund of the order and its renewals that stands, oldest first. */
    refunds: z.array(refundedPart),
  }),
);

/** A refund that the processor had taken failed afterwards: the money is with the seller again. */
export const refundFailed = defineEvent(
  'billing',
  'refund.failed',
  1,
  z.object({
    orderId: z.string(),
    paymentId: z.string(),
    amountCents: z.int(),
    currency: z.string(),
    detail: z.string(),
    test: z.boolean(),
    failedAt: timestamp,
    /** What a dispute that was lost meanwhile gives the buyer instead. */
    lost: z.object({ disputeId: z.string(), givenBack: refundedPart }).optional(),
  }),
);

/** Something about a payment that the seller has to know, for Recent activity. The summary names no card. */
export const paymentNoticed = defineEvent(
  'billing',
  'payment.noticed',
  1,
  z.object({
    orderId: z.string(),
    summary: z.string(),
    test: z.boolean(),
    /** What the seller gets an email of as well; left out for anything else, and by an earlier version. */
    code: z.enum(['key_refused']).optional(),
    /** Of a key that is refused: it is accepted, and may not do all that it has to. Left out, it is not accepted. */
    lacksPermission: z.boolean().optional(),
  }),
);
