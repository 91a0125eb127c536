import type { OrderWithPayments } from '@app/contracts/orders';
import type { PaymentResource } from '@app/contracts/payments';
import type { SubscriptionResource } from '@app/contracts/subscriptions';
import type { ActivityEntry, DeliveryResource } from '@app/contracts/webhook-deliveries';
import type { Preview } from '../../src/dashboard/orders/refund-page.ts';
import { order } from './dashboard-samples.ts';

const payment: PaymentResource = {
  id: 'pmt_01jd2q5v8kfw9s3x6z7yabcdef',
  order_id: order.id,
  step: 'main',
  try_no: 1,
  amount_cents: 14_565,
  currency: 'usd',
  status: 'succeeded',
  reason: null,
  explanation: '$145.65 charged for the order.',
  next: null,
  processor: 'simulated',
  processor_reference: 'sim_charge_1',
  product_name: 'Watercolour in 30 days',
  customer_email: 'ada@example.com',
  last_four: '4242',
  test: false,
  created_at: '2026-10-23T12:00:00.000Z',
  finished_at: '2026-10-23T12:00:01.000Z',
};

export const paymentOf = (changes: Partial<PaymentResource>): PaymentResource => Object.assign({}, payment, changes);

export const declined = paymentOf({
  id: 'pmt_01jd2q5v8kfw9s3x6z7yabcdeg',
  status: 'declined',
  reason: 'insufficient_funds',
  explanation: '$145.65 not charged for the order. The card has insufficient funds.',
  next: 'The buyer may try again, with this card or another one.',
  created_at: '2026-10-23T11:58:00.000Z',
});

export const subscription: SubscriptionResource = {
  id: 'sub_01jd2q5v8kfw9s3x6z7yabcdef',
  order_id: order.id,
  product_id: order.product_id,
  product_name: 'The open studio',
  customer_email: 'ada@example.com',
  amount_cents: 2_900,
  currency: 'usd',
  billing_interval: 'month',
  status: 'active',
  collection: 'automatic',
  started_at: '2026-10-23T12:00:00.000Z',
  current_period_end: '2026-11-23T12:00:00.000Z',
  canceled_at: null,
  paused_at: null,
  paused_by: null,
  cancel_at: null,
  next_charge_at: '2026-11-23T12:00:00.000Z',
  failed_tries: 0,
  last_four: '4242',
  test: false,
};

export const subscriptionOf = (changes: Partial<SubscriptionResource>): SubscriptionResource =>
  Object.assign({}, subscription, changes);

const delivery: DeliveryResource = {
  id: 'dlv_01jd2q5v8kfw9s3x6z7yabcdef',
  event: 'order.paid',
  event_id: 'evt_01jd2q5v8kfw9s3x6z7yabcdef',
  order_id: order.id,
  email: 'ada@example.com',
  endpoint_id: 'whe_01jd2q5v8kfw9s3x6z7yabcdef',
  url: `https://${'hooks.'.repeat(12)}example.com/in`,
  status: 'failed',
  reason: 'Given up after 8 attempts. The last answer was 404.',
  attempt_count: 8,
  created_at: '2026-10-23T12:00:02.000Z',
  finished_at: '2026-10-23T18:00:02.000Z',
  next_attempt_at: null,
  test: false,
};

export const deliveries: readonly DeliveryResource[] = [
  delivery,
  Object.assign({}, delivery, {
    id: 'dlv_01jd2q5v8kfw9s3x6z7yabcdeg',
    endpoint_id: 'aut_01jd2q5v8kfw9s3x6z7yabcdef',
    url: null,
    status: 'delivered',
    reason: 'Delivered at the first attempt.',
  }),
];

const entry: ActivityEntry = {
  id: 'att_01jd2q5v8kfw9s3x6z7yabcdef',
  kind: 'webhook_attempt',
  created_at: '2026-10-23T18:00:02.000Z',
  summary: 'order.paid was not delivered',
  event: 'order.paid',
  event_id: delivery.event_id,
  delivery_id: delivery.id,
  endpoint_id: delivery.endpoint_id,
  order_id: order.id,
  url: delivery.url,
  attempt: 8,
  status: 'failed',
  status_code: 404,
  duration_ms: 120,
  response_excerpt: null,
  error: null,
  diagnosis: {
    code: 'not_found',
    explanation: 'There is nothing there.',
    advice: 'Check the address of the endpoint.',
  },
  next_attempt_at: null,
  test: false,
};

export const activity: readonly ActivityEntry[] = [
  entry,
  Object.assign({}, entry, { id: 'ntc_1', kind: 'notice', summary: 'This order may be a duplicate of another one.' }),
];

/** What the page of an order shows beside it, where there is nothing of it. */
export const nothingBesideOrder = {
  deliveries: [],
  activity: [],
  subscription: null,
  refund: null,
  receipt: null,
  withdrawal: undefined,
};

export const paidOrder: OrderWithPayments = Object.assign({}, order, {
  payments: [declined, payment],
  disputes: null,
  fees: [
    {
      kind: 'charge' as const,
      payment_id: payment.id,
      amount_cents: 452,
      currency: 'usd',
      incurred_at: payment.created_at,
    },
  ],
});

const dispute: NonNullable<OrderWithPayments['disputes']>[number] = {
  id: 'du_1QK8x2LkdIwHu7ixYt5bVw3c',
  payment_id: payment.id,
  status: 'needs_response',
  reason: 'product_not_received',
  amount_cents: 14_565,
  currency: 'usd',
  evidence_due_by: '2026-11-30T23:59:59.000Z',
  opened_at: '2026-11-02T08:15:30.000Z',
  closed_at: null,
  outcome: null,
};

/** One dispute of each kind: open, and with every outcome. */
export const disputes: NonNullable<OrderWithPayments['disputes']> = [
  dispute,
  Object.assign({}, dispute, {
    id: 'du_2',
    status: 'warning_needs_response',
    reason: 'x'.repeat(120),
    evidence_due_by: null,
  }),
  ...(['won', 'lost', 'prevented', 'warning_closed'] as const).map((outcome) =>
    Object.assign({}, dispute, {
      id: `du_${outcome}`,
      status: outcome,
      outcome,
      closed_at: '2026-12-24T08:00:00.000Z',
    }),
  ),
];

const charge = {
  paymentId: payment.id,
  renewal: false,
  amountCents: 14_565,
  refundedCents: 0,
  refundCents: 14_565,
  currency: 'usd',
};

export const preview: Preview = {
  orderId: order.id,
  possible: true,
  charges: [
    charge,
    Object.assign({}, charge, { paymentId: 'pmt_2', renewal: true, amountCents: 2_900, refundCents: 0 }),
  ],
  subscription: { id: subscription.id, status: 'active' },
  commissions: [{ affiliateCode: 'grace', renewal: false, amountCents: 4_370, currency: 'usd' }],
  emails: [{ name: 'Goodbye', to: 'buyer' }],
  webhooks: [
    { event: 'payment.refunded', count: 2 },
    { event: 'order.refunded', count: 1 },
  ],
};
