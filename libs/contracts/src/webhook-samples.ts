import type * as payloads from './webhook-payloads.ts';

interface Payloads {
  readonly 'order.paid': payloads.OrderPaidPayload;
  readonly 'order.refunded': payloads.OrderRefundedPayload;
  readonly 'order.reopened': payloads.OrderReopenedPayload;
  readonly 'order.expired': payloads.OrderExpiredPayload;
  readonly 'payment.refunded': payloads.PaymentRefundedPayload;
  readonly 'dispute.opened': payloads.DisputeOpenedPayload;
  readonly 'dispute.closed': payloads.DisputeClosedPayload;
  readonly 'upsell.accepted': payloads.UpsellAcceptedPayload;
  readonly 'subscription.rebilled': payloads.SubscriptionRebilledPayload;
  readonly 'subscription.payment_failed': payloads.SubscriptionPaymentFailedPayload;
  readonly 'subscription.canceled': payloads.SubscriptionCanceledPayload;
  readonly 'subscription.paused': payloads.SubscriptionPausedPayload;
  readonly 'subscription.resumed': payloads.SubscriptionResumedPayload;
  readonly 'affiliate.paid': payloads.AffiliatePaidPayload;
  readonly 'funnel.email.sync': payloads.FunnelEmailSyncPayload;
  readonly 'withdrawal.requested': payloads.WithdrawalRequestedPayload;
}

const subscription = {
  subscriptionId: 'sub_01kahv7w3xe5m8q2r6t9y0b4cd',
  product: 'Watercolour Club',
  email: 'maya@example.com',
};
const renewal = { ...subscription, amountCents: 1900, amount: '$19.00', currency: 'usd' };
const orderId = 'ord_01kahv7w3xe5m8q2r6t9y0b4cd';
const productId = 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg';

const orderTotal = {
  orderId,
  product: 'Watercolour Course',
  email: 'maya@example.com',
  totalCents: 6800,
  total: '$68.00',
  currency: 'usd',
};

const dispute = {
  orderId,
  product: 'Watercolour Course',
  productId,
  email: 'maya@example.com',
  disputeId: 'du_1QK8x2LkdIwHu7ixYt5bVw3c',
  paymentId: 'pmt_01kahv7w3xf7n9s3t7v0z2c6de',
  subscriptionId: '',
  amountCents: 6800,
  amount: '$68.00',
  currency: 'usd',
  reason: 'product_not_received',
  evidenceDueBy: '2026-12-09T23:59:59.000Z',
};

/** A realistic payload of each event: in the API's description, in test sends and in previews. */
export const samplePayloads: Payloads = {
  'order.paid': {
    event: 'order.paid',
    orderId,
    product: 'Watercolour Course',
    productId,
    email: 'maya@example.com',
    name: 'Maya Lindqvist',
    firstName: 'Maya',
    country: 'Sweden',
    countryCode: 'SE',
    totalCents: 6800,
    total: '$68.00',
    currency: 'usd',
    affiliate: 'ANNA',
    accessUrl: 'https://mayapaints.example/course',
    supportEmail: 'help@mayapaints.example',
    sentAt: '2026-11-20T09:30:12.345Z',
    items: [
      {
        id: productId,
        kind: 'main',
        label: 'Watercolour Course',
        amountCents: 4900,
        accessUrl: 'https://mayapaints.example/course',
      },
      {
        id: 'bmp_01kaf2m4q7s9v1x3z5b7d9f1hj',
        kind: 'bump',
        label: 'Printable workbook',
        amountCents: 1900,
        accessUrl: 'https://mayapaints.example/workbook',
      },
    ],
    lastFour: '4242',
    wallet: '',
    immediateAccess: '',
  },
  'order.refunded': {
    event: 'order.refunded',
    ...orderTotal,
    sentAt: '2026-11-22T16:05:40.071Z',
  },
  'order.reopened': {
    event: 'order.reopened',
    ...orderTotal,
    reason: 'The buyer’s account is closed.',
    sentAt: '2026-11-25T06:12:09.330Z',
  },
  'order.expired': { event: 'order.expired', ...orderTotal, reason: 'released', sentAt: '2026-11-27T10:30:12.345Z' },
  'payment.refunded': {
    event: 'payment.refunded',
    orderId,
    product: 'Watercolour Course',
    email: 'maya@example.com',
    paymentId: 'pmt_01kahv7w3xf7n9s3t7v0z2c6de',
    subscriptionId: '',
    amountCents: 1900,
    amount: '$19.00',
    currency: 'usd',
    sentAt: '2026-11-22T16:05:39.912Z',
    refundedTotalCents: 1900,
    refundedTotal: '$19.00',
    paidCents: 6800,
    paid: '$68.00',
  },
  'dispute.opened': { event: 'dispute.opened', ...dispute, sentAt: '2026-11-29T08:15:30.204Z' },
  'dispute.closed': { event: 'dispute.closed', ...dispute, outcome: 'lost', sentAt: '2027-01-21T11:47:02.660Z' },
  'upsell.accepted': {
    event: 'upsell.accepted',
    orderId,
    upsell: 'A year of live sessions',
    amountCents: 2900,
    amount: '$29.00',
    currency: 'usd',
    email: 'maya@example.com',
    sentAt: '2026-11-20T09:31:02.900Z',
    items: [
      {
        id: 'ups_01kaf2m4t8v0x2z4b6d8f0h2jk',
        kind: 'upsell',
        label: 'A year of live sessions',
        amountCents: 2900,
        accessUrl: 'https://mayapaints.example/sessions',
      },
    ],
  },
  'subscription.rebilled': {
    event: 'subscription.rebilled',
    ...renewal,
    periodStart: '2026-11-30T09:30:12.345Z',
    periodEnd: '2026-12-31T09:30:12.345Z',
    sentAt: '2026-11-30T10:00:00.730Z',
    orderId,
    lastFour: '4242',
    wallet: '',
  },
  'subscription.payment_failed': {
    event: 'subscription.payment_failed',
    ...renewal,
    attempt: 1,
    nextTryDays: 3,
    sentAt: '2026-11-30T10:00:00.730Z',
    reason: 'insufficient_funds',
  },
  'subscription.canceled': {
    event: 'subscription.canceled',
    ...subscription,
    mrrCents: 1900,
    sentAt: '2026-12-04T14:02:51.118Z',
  },
  'subscription.paused': {
    event: 'subscription.paused',
    ...subscription,
    mrrCents: 1900,
    sentAt: '2026-12-04T14:02:51.118Z',
  },
  'subscription.resumed': {
    event: 'subscription.resumed',
    ...subscription,
    mrrCents: 1900,
    sentAt: '2026-12-18T08:20:07.402Z',
  },
  'affiliate.paid': {
    event: 'affiliate.paid',
    affiliate: 'ANNA',
    name: 'Anna Berg',
    email: 'anna@example.com',
    amountCents: 4200,
    amount: '$42.00',
    currency: 'usd',
    commissionCount: 3,
    payoutId: 'pay_01kb3n5p7r9t1v3x5z7b9d1f3h',
    sentAt: '2026-12-01T11:15:00.264Z',
  },
  'funnel.email.sync': {
    event: 'funnel.email.sync',
    productId,
    productSlug: 'watercolour-course',
    product: 'Watercolour Course',
    position: 1,
    sendDay: 0,
    subject: 'Welcome to the course',
    body: '<p>Hello, here is how to begin.</p>',
    sentAt: '2026-11-18T13:40:25.517Z',
  },
  'withdrawal.requested': {
    event: 'withdrawal.requested',
    withdrawalId: 'wdr_01kb3n5p7r9t1v3x5z7b9d1f3h',
    orderId,
    product: 'Watercolour Course',
    productId,
    name: 'Maya Lindqvist',
    email: 'maya@example.com',
    bought: 't9y0b4cd',
    statement: 'I withdraw from my contract with Maya Paints about: t9y0b4cd. Maya Lindqvist',
    late: false,
    sentAt: '2026-11-24T18:21:33.518Z',
  },
};
