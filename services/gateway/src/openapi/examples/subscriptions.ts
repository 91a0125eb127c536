import { orderId, payment } from './orders.ts';

export const subscriptionId = 'sub_01kahv7w3xe5m8q2r6t9y0b4cd';

const subscription = {
  id: subscriptionId,
  order_id: orderId,
  product_id: 'prd_01kb5q7s9v1x3z5b7d9f1h3j5k',
  product_name: 'Watercolour Club',
  customer_email: 'maya@example.com',
  amount_cents: 1900,
  currency: 'usd',
  billing_interval: 'month',
  status: 'active',
  collection: 'automatic',
  started_at: '2026-10-31T09:30:12.345Z',
  current_period_end: '2026-12-31T09:30:12.345Z',
  canceled_at: null,
  paused_at: null,
  paused_by: null,
  cancel_at: null,
  next_charge_at: '2026-12-31T09:30:12.345Z',
  failed_tries: 0,
  last_four: '4242',
  wallet: null,
  test: false,
};
const renewal = {
  order_id: subscription.order_id,
  step: 'renewal',
  amount_cents: 1900,
  product_name: subscription.product_name,
  explanation: '$19.00 charged to the saved card for the renewal of the subscription.',
  created_at: '2026-11-30T10:00:00.120Z',
  finished_at: '2026-11-30T10:00:00.730Z',
};
const periods = [
  {
    period: 2,
    starts_at: '2026-11-30T09:30:12.345Z',
    ends_at: '2026-12-31T09:30:12.345Z',
    amount_cents: 1900,
    status: 'paid',
    paid_at: '2026-11-30T10:00:00.730Z',
  },
  {
    period: 1,
    starts_at: '2026-10-31T09:30:12.345Z',
    ends_at: '2026-11-30T09:30:12.345Z',
    amount_cents: 1900,
    status: 'paid',
    paid_at: '2026-10-31T09:30:12.345Z',
  },
];
const changed = { ...subscription, renewal_under_way: false };
const pausedAt = '2026-12-04T14:02:51.118Z';
const paused = { ...subscription, status: 'paused', paused_at: pausedAt, paused_by: 'seller', next_charge_at: null };

/** Of subscriptions, by operation. */
export const subscriptionExamples = {
  listSubscriptions: { response: { data: [subscription] } },
  getSubscription: {
    response: { ...subscription, periods, payments: [{ ...payment, ...renewal }], card_change: null },
  },
  cancelSubscription: {
    body: { at: 'period_end' },
    response: { ...changed, cancel_at: subscription.current_period_end, next_charge_at: null },
  },
  keepSubscription: { response: changed },
  pauseSubscription: { response: { ...paused, renewal_under_way: false } },
  resumeSubscription: { response: changed },
  putPaymentMethod: {
    body: { paymentMethod: 'sim_ok' },
    response: { ...changed, payment_method: { status: 'saved', url: null } },
  },
  exportSubscriptions: {
    response:
      'id,started_at,time_zone,status,collection,order_id,product_id,product_name,customer_email,amount,currency,' +
      'billing_interval,current_period_end,next_charge_at,cancel_at,canceled_at,paused_at,failed_tries,last_four,wallet\r\n' +
      `${subscriptionId},2026-10-31 09:30:12,UTC,active,automatic,${orderId},${subscription.product_id},Watercolour Club,` +
      'maya@example.com,19.00,usd,month,2026-12-31 09:30:12,2026-12-31 09:30:12,,,,0,4242,\r\n',
  },
};
