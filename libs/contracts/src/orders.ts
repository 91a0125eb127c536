import { z } from 'zod';
import { walletOfCard } from './card-wallets.ts';
import {
  emailAddress,
  limits,
  listOf,
  pageQueryOf,
  rawText,
  slug,
  spanFilters,
  text,
  timestamp,
  typedCode,
} from './common.ts';
import { countryCode } from './countries.ts';
import { defineEvent, defineRequest } from './define.ts';
import { disputeResource } from './disputes.ts';
import { feeResource } from './fees.ts';
import { releaseHold } from './hold-releases.ts';
import { idSchema } from './ids.ts';
import { aboutOrder } from './money-given-back.ts';
import { itemOfEvent, orderItem } from './order-items.ts';
import { expectedCents, holdEndReason, paymentResource, refundCharges } from './payments.ts';
import { billingInterval, pricingType } from './products.ts';
import { around } from './time-outs.ts';

const orderStatus = z.enum(['paid', 'refunded', 'authorized']);

const orderDispute = z.enum(['open', 'lost']);

export const orderResource = z
  .object({
    id: idSchema('order'),
    product_id: idSchema('product'),
    customer_email: z.string(),
    customer_name: z.string(),
    total_cents: z.int(),
    currency: z.string(),
    status: orderStatus,
    refunded_cents: z
      .int()
      .describe(
        'What went back of the order itself by refunds and lost disputes; a part of it, or a dispute, leaves the order `paid`.',
      ),
    dispute: orderDispute
      .nullable()
      .default(null)
      .describe('Of its payments and its renewals’: `lost` where none is open.'),
    utm_source: z.string().nullable(),
    utm_medium: z.string().nullable(),
    utm_campaign: z.string().nullable(),
    utm_term: z.string().nullable(),
    utm_content: z.string().nullable(),
    created_at: timestamp,
    items: z.array(orderItem),
    country: z.string().nullable(),
    affiliate_code: z.string().nullable(),
    test: z.boolean(),
    immediate_access: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'The sentence that the buyer ticked on the checkout, to have access at once and give up the right to withdraw; null where none was asked.',
      ),
  })
  .meta({ id: 'Order' });
export type OrderResource = z.infer<typeof orderResource>;

/** Of one order alone: lists have none that has expired. */
const ofOneOrder = {
  status: z
    .enum([...orderStatus.options, 'expired'])
    .describe('`expired`: its hold was released or lost, and nothing was charged; it is in no list.'),
};

/** One order, and every attempt to move money for it. */
export const orderWithPayments = orderResource
  .extend({
    ...ofOneOrder,
    payments: z
      .array(paymentResource)
      .describe(
        'Oldest first; empty for an order that was only recorded. Of more than 100 the oldest declines are left out.',
      ),
    disputes: z
      .array(disputeResource)
      .nullable()
      .describe('Disputes of its payments and of its renewals’, oldest first; null where there are none.'),
    fees: z
      .array(feeResource)
      .describe(
        'What the payment processor kept of its payments and for disputes of them, as the daily job found it in the processor’s list.',
      ),
  })
  .meta({ id: 'OrderWithPayments' });
export type OrderWithPayments = z.infer<typeof orderWithPayments>;

const utm = text(limits.utm).nullable().optional();

export const createOrderBody = z
  .strictObject({
    productSlug: slug,
    email: emailAddress,
    name: text(limits.name).optional(),
    bumpIds: z.array(rawText(64)).max(limits.bumpIds).optional(),
    affiliateCode: text(64).optional().describe('Credits this affiliate with the sale.'),
    discountCode: typedCode.optional(),
    country: countryCode.optional().describe('ISO 3166 alpha-2 code.'),
    utm_source: utm,
    utm_medium: utm,
    utm_campaign: utm,
    utm_term: utm,
    utm_content: utm,
    paymentMethod: rawText(255, 1).optional().describe('Processor token that renewals may be charged to.'),
    test: z.boolean().optional().describe('A test order: full event stream, in no list and no metric.'),
  })
  .meta({ id: 'OrderCreate' });
export type CreateOrderBody = z.infer<typeof createOrderBody>;

const createOrderResult = z
  .object({ ok: z.literal(true), orderId: idSchema('order'), totalCents: z.int() })
  .meta({ id: 'OrderCreated' });

/**
 * Creates an order that is paid at once: it is recorded, and no money moves. The order's id is the command's. The subject keeps
 * its first name, because replicas of two versions exchange it during an update: another name would cost a release that answers
 * to both.
 */
export const createOrder = defineRequest('command', 'checkout', 'orders.place', {
  input: z.object({
    body: createOrderBody,
    /** The seller's settings that shape a sale. */
    account: z.object({ testMode: z.boolean(), supportEmail: z.string() }),
  }),
  output: createOrderResult,
});

/** What a list of orders may be narrowed by; an order has to meet all that are given. */
const orderFilters = {
  q: text(limits.email, 1)
    .optional()
    .describe(
      'The buyer’s email address, the order’s id or its number, which is the last eight characters of the id, or how the buyer’s name begins; in upper or lower case.',
    ),
  status: orderStatus.optional(),
  productId: idSchema('product').optional(),
  ...spanFilters,
  dispute: orderDispute.optional().describe('Only those whose `dispute` is this.'),
  affiliateCode: text(64, 1).optional().describe('As the buyer came with it, in upper or lower case.'),
};

const ordersQuery = pageQueryOf(idSchema('order')).extend(orderFilters);
export type OrdersQuery = z.infer<typeof ordersQuery>;

/** Without rehearsals. */
export const listOrders = defineRequest('read', 'checkout', 'orders.list', {
  input: ordersQuery,
  output: listOf(orderResource),
});
/** Rehearsals alone. */
export const listTestOrders = defineRequest('read', 'checkout', 'test-orders.list', {
  input: ordersQuery,
  output: listOf(orderResource),
});
export const getOrder = defineRequest('read', 'checkout', 'orders.get', {
  input: z.object({ orderId: z.string() }),
  output: orderResource.extend(ofOneOrder),
});

/** `processing`: the processor has not answered yet; the order becomes `refunded` when it has. */
const refundResult = z
  .object({
    ok: z.literal(true),
    orderId: idSchema('order'),
    status: z.enum(['refunded', 'processing']),
    refundedCents: z.int().describe('What the platform gave back; 0 for an order that it did not charge.'),
    detail: z.string().describe('What was done, in plain words.'),
    payments: z
      .array(
        z.object({
          paymentId: z.string(),
          renewal: z.boolean().describe('Whether it was for a renewal of the subscription that the order began.'),
          amountCents: z.int().describe('What went back of it.'),
        }),
      )
      .optional()
      .describe('Every payment of the order and its renewals of which money went back.'),
    renewalUnderWay: z
      .literal(true)
      .optional()
      .describe(
        'Only while it is so: a charge for a renewal of its subscription was sent to the payment processor before the refund, and its outcome is not known yet: it may take the money. A refund that is `processing` goes on when it has ended; beside `refunded` (an order of the seller’s own code) nothing waits for it, and its payment is refunded by itself.',
      ),
  })
  .meta({ id: 'Refund' });

const refundOrderBody = z
  .strictObject({
    renewals: z.boolean().optional().describe('Gives back the renewals of its subscription too.'),
    expectedCents: expectedCents.describe(
      'The sum of `refundCents` that the preview showed: if another amount would go back, nothing does.',
    ),
  })
  .meta({ id: 'RefundCreate' });

/** Refunds the whole order. A refunded order answers the same again and sends no second event. */
export const refundOrder = defineRequest('command', 'checkout', 'orders.refund', {
  input: z.object({ orderId: z.string(), body: refundOrderBody.optional() }),
  output: refundResult,
  ...around(refundCharges),
});

/** `processing`: the processor has not answered yet; the order ends when it has. */
const releaseResult = z
  .object({
    ok: z.literal(true),
    orderId: idSchema('order'),
    status: z.enum(['released', 'processing']),
    detail: z.string().describe('What was done, in plain words.'),
  })
  .meta({ id: 'OrderRelease' });

/** Ends an order whose card is held, without a charge. One that has ended answers the same again and sends no second event. */
export const releaseOrder = defineRequest('command', 'checkout', 'orders.release', {
  input: z.object({ orderId: z.string() }),
  output: releaseResult,
  ...around(releaseHold),
});

/** An order was paid. The data has all that any consumer needs, so that none has to query another service. */
export const orderPaid = defineEvent(
  'checkout',
  'order.paid',
  1,
  z.object({
    orderId: z.string(),
    productId: z.string(),
    productName: z.string(),
    productSlug: z.string(),
    pricingType,
    billingInterval: billingInterval.nullable(),
    /** What one billing period costs, without bumps and discounts; the product's price at the time of sale. */
    priceCents: z.int(),
    customerEmail: z.string(),
    customerName: z.string(),
    country: z.string().nullable(),
    totalCents: z.int(),
    currency: z.string(),
    items: z.array(itemOfEvent),
    /** As the buyer typed it. */
    affiliateCode: z.string().nullable(),
    /** The code of the affiliate who is credited, as the affiliate has it; null for none, and while `creditPending`. */
    creditedCode: z.string().nullable(),
    /** The affiliate service did not answer at the sale, and decides from this event who is credited. */
    creditPending: z.boolean(),
    paymentMethod: z.string().nullable(),
    accessUrl: z.string(),
    supportEmail: z.string(),
    source: z.enum(['api', 'checkout']),
    /** The processor that took the money. Absent where none did, as for orders that are recorded or free, and in events of earlier versions. */
    processor: z.string().optional(),
    /** Of the card that it took it from; earlier versions did not say. */
    lastFour: z.string().nullable().optional(),
    wallet: walletOfCard,
    /** The sentence by which the buyer gave up the right to withdraw, as the order keeps it. */
    immediateAccess: z.string().optional(),
    test: z.boolean(),
    paidAt: timestamp,
    /** Whether an upsell was offered after it. */
    upsellShown: z.boolean(),
    /** The upsell that was bought with it; its amount is among the items. */
    upsell: z.object({ headline: z.string(), amountCents: z.int() }).nullable(),
  }),
);

/** The buyer bought the upsell of a held order. Published with the order's `order.paid`. */
export const upsellAccepted = defineEvent(
  'checkout',
  'upsell.accepted',
  1,
  z.object({
    ...aboutOrder,
    headline: z.string(),
    amountCents: z.int(),
    /** Events of earlier versions lack these two. */
    upsellId: z.string().optional(),
    accessUrl: z.string().nullable().optional(),
    acceptedAt: timestamp,
  }),
);

/** What went back of one payment, or came back to the seller because its refund failed afterwards. */
const aboutPaymentRefund = {
  ...aboutOrder,
  paymentId: z.string(),
  refundId: z.string(),
  amountCents: z.int(),
  /** Null for the order's own payments; else the period of the subscription that the payment was for. */
  subscriptionId: z.string().nullable(),
  period: z.int().nullable(),
  /** Counts the changes of what went back for the order: of two events the one with the higher number is the newer state. */
  changeNo: z.int(),
  /** What has gone back since of the order's own payments, of all that was paid for it; of a renewal, of that payment. */
  part: z.object({ refundedCents: z.int(), ofCents: z.int() }),
};

/** A payment for an order, or for a renewal of its subscription, went back, whole or in part: refunded, or lost to a dispute. */
export const paymentRefunded = defineEvent(
  'checkout',
  'payment.refunded',
  1,
  z.object({
    ...aboutPaymentRefund,
    /** Whether nothing of the order and its renewals had gone back before. */
    isFirst: z.boolean(),
    /** Of a lost dispute; webhooks have `dispute.closed` for it. */
    disputeId: z.string().optional(),
    /** Whether a refund of the whole order was under way, which gives its payments back one by one. Left out otherwise, and by an earlier version. */
    ofWholeOrder: z.literal(true).optional(),
    refundedAt: timestamp,
  }),
);

/** A refund of a payment failed at the processor after it had been taken. */
export const paymentReopened = defineEvent(
  'checkout',
  'payment.reopened',
  1,
  z.object({
    ...aboutPaymentRefund,
    /** Whether nothing of the order and its renewals has gone back any more. */
    wasLast: z.boolean(),
    reopenedAt: timestamp,
  }),
);

/** What a refund and its failure add to counts and sums. */
const counted = z.object({
  /** 0 where an event of a payment counted the order before, or still does. */
  orders: z.int().min(0).max(1),
  /** What no event of a payment said. */
  cents: z.int(),
});

/** A held order ended unpaid and left the lists: the seller released the hold, or neither capture nor charge succeeded. */
export const orderExpired = defineEvent(
  'checkout',
  'order.expired',
  1,
  z.object({ ...aboutOrder, totalCents: z.int(), reason: holdEndReason.default('expired'), expiredAt: timestamp }),
);

/** Every charge of the order was given back. `refundedCents` is 0 when the platform had charged nothing for it. */
export const orderRefunded = defineEvent(
  'checkout',
  'order.refunded',
  1,
  z.object({
    ...aboutOrder,
    totalCents: z.int(),
    refundedCents: z.int(),
    /** Counts the refunds of this order: 2 when the first one failed afterwards. */
    refundNo: z.int(),
    paidAt: timestamp,
    refundedAt: timestamp,
    counted,
  }),
);

/** A refund failed at the processor after it had been taken: the order is `paid` again. */
export const orderReopened = defineEvent(
  'checkout',
  'order.reopened',
  1,
  z.object({
    ...aboutOrder,
    totalCents: z.int(),
    refundNo: z.int(),
    detail: z.string(),
    paidAt: timestamp,
    reopenedAt: timestamp,
    counted,
  }),
);

/** Something about an order that the seller has to know, for Recent activity. The summary names no card. */
export const orderNoticed = defineEvent(
  'checkout',
  'order.noticed',
  1,
  z.object({ orderId: z.string(), summary: z.string(), test: z.boolean() }),
);
