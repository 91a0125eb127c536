import { orderId } from './orders.ts';
import { subscriptionId } from './subscriptions.ts';

const seller = { name: 'Maya Paints', support_email: 'help@mayapaints.example' };

const order = {
  id: orderId,
  product_name: 'Watercolour Course',
  total_cents: 6800,
  refunded_cents: 0,
  currency: 'usd',
  status: 'paid',
  created_at: '2026-11-20T09:30:12.345Z',
  test: false,
};

const subscription = {
  id: subscriptionId,
  order_id: orderId,
  product_name: 'Watercolour Club',
  amount_cents: 1900,
  currency: 'usd',
  billing_interval: 'month',
  status: 'active',
  collection: 'automatic',
  started_at: '2026-10-31T09:30:12.345Z',
  current_period_end: '2026-12-31T09:30:12.345Z',
  cancel_at: null,
  canceled_at: null,
  next_charge_at: '2026-12-31T09:30:12.345Z',
  failed_reason: null,
  last_four: '4242',
  wallet: null,
  may_cancel: true,
  may_pause: true,
  may_resume: false,
  test: false,
};
const changed = { ...subscription, renewal_under_way: false };
const newCard = {
  ...changed,
  last_four: '5556',
  payment_method: { status: 'saved', url: null },
  renewal_confirmation: null,
};

/** Of the buyer's own page, by operation. */
export const portalExamples = {
  requestPortalLink: { body: { handle: 'maya-paints', email: 'maya@example.com' } },
  openPortal: {
    body: { token: 'b7Vd2kP9sX4mQ1wZ8nR5tC0hL3yG6jUf_aE-oI2eTqA' },
    response: {
      status: 'opened',
      secret: 'Jk2vQ8mT4xW1zB6nR9cF3hL7pD0sG5yA_uE-iO2aXqM',
      handle: 'maya-paints',
      email: 'maya@example.com',
      subscriptionId: null,
      expiresAt: '2026-11-20T10:30:12.345Z',
    },
  },
  listPortalOrders: { response: { data: [order] } },
  getPortalOrder: {
    response: {
      ...order,
      customer_email: 'maya@example.com',
      customer_name: 'Maya Lindqvist',
      items: [
        {
          kind: 'main',
          label: 'Watercolour Course',
          amount_cents: 4900,
          access_url: 'https://mayapaints.example/course',
        },
        {
          kind: 'bump',
          label: 'Printable workbook',
          amount_cents: 1900,
          access_url: 'https://mayapaints.example/workbook',
        },
      ],
      access_url: 'https://mayapaints.example/course',
      last_four: '4242',
      wallet: null,
      immediate_access: null,
      refunds: [],
      seller,
    },
  },
  listPortalSubscriptions: { response: { data: [subscription] } },
  getPortalSubscription: {
    response: {
      ...subscription,
      seller,
      processor: 'stripe',
      publishable_key: 'pk_live_51Hx',
      card_change: null,
      awaits_confirmation: false,
      charges: [
        {
          amount_cents: 1900,
          refunded_cents: 0,
          status: 'paid',
          last_four: '4242',
          wallet: null,
          charged_at: '2026-11-30T10:00:00.730Z',
        },
      ],
    },
  },
  cancelPortalSubscription: {
    body: { at: 'period_end' },
    response: {
      ...changed,
      cancel_at: subscription.current_period_end,
      next_charge_at: null,
      may_pause: false,
    },
  },
  keepPortalSubscription: { response: changed },
  pausePortalSubscription: {
    response: { ...changed, status: 'paused', next_charge_at: null, may_pause: false, may_resume: true },
  },
  resumePortalSubscription: { response: changed },
  putPortalPaymentMethod: { body: { paymentMethod: 'ctoken_1NQ8zV' }, response: newCard },
  continuePortalPaymentMethod: { response: newCard },
  createPortalLink: {
    body: { email: 'maya@example.com' },
    response: {
      url: 'http://127.0.0.1:3000/p/maya-paints/open/b7Vd2kP9sX4mQ1wZ8nR5tC0hL3yG6jUf_aE-oI2eTqA',
      expires_at: '2026-11-20T10:30:12.345Z',
    },
  },
  getOptOut: { response: { businessName: seller.name, optedOut: false } },
  optOut: { response: { businessName: seller.name, optedOut: true } },
};
