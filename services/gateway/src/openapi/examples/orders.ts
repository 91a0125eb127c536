import { product, productId } from './products.ts';

export const orderId = 'ord_01kahv7w3xe5m8q2r6t9y0b4cd';
export const paymentId = 'pmt_01kahv7w3xf7n9s3t7v0z2c6de';

export const order = {
  id: orderId,
  product_id: productId,
  customer_email: 'maya@example.com',
  customer_name: 'Maya Lindqvist',
  total_cents: 6800,
  refunded_cents: 0,
  dispute: null,
  currency: 'usd',
  status: 'paid',
  utm_source: 'newsletter',
  utm_medium: 'email',
  utm_campaign: 'autumn',
  utm_term: null,
  utm_content: null,
  created_at: '2026-11-20T09:30:12.345Z',
  items: [
    {
      kind: 'main',
      label: product.name,
      amount_cents: 4900,
      id: product.id,
      access_url: 'https://mayapaints.example/course',
    },
    {
      kind: 'bump',
      label: 'Printable workbook',
      amount_cents: 1900,
      id: 'bmp_01kaf2m4q7s9v1x3z5b7d9f1hj',
      access_url: 'https://mayapaints.example/workbook',
    },
  ],
  country: 'SE',
  affiliate_code: 'ANNA',
  immediate_access: null,
  test: false,
};

export const payment = {
  id: paymentId,
  order_id: orderId,
  step: 'main',
  try_no: 1,
  amount_cents: 6800,
  currency: 'usd',
  status: 'succeeded',
  reason: null,
  explanation: 'The card was charged $68.00.',
  next: null,
  processor: 'simulated',
  processor_reference: 'sim_ch_8f3a',
  product_name: product.name,
  customer_email: order.customer_email,
  last_four: '4242',
  wallet: null,
  test: false,
  created_at: '2026-11-20T09:30:12.345Z',
  finished_at: '2026-11-20T09:30:13.120Z',
};

/** Of orders, by operation. */
export const orderExamples = {
  listOrders: { response: { data: [order] } },
  listTestOrders: {
    response: {
      data: [{ ...order, id: 'ord_01kb1x3z5b7d9f1h3j5k7m9p1r', affiliate_code: null, test: true }],
      has_more: false,
    },
  },
  getOrder: {
    response: {
      ...order,
      payments: [payment],
      disputes: null,
      fees: [
        {
          kind: 'charge',
          payment_id: paymentId,
          amount_cents: 452,
          currency: payment.currency,
          incurred_at: payment.created_at,
        },
      ],
    },
  },
  createOrder: {
    body: {
      productSlug: product.slug,
      email: order.customer_email,
      name: order.customer_name,
      bumpIds: ['bmp_01kaf2m4q7s9v1x3z5b7d9f1hj'],
      affiliateCode: 'ANNA',
    },
    response: { ok: true, orderId, totalCents: order.total_cents },
  },
  exportOrders: {
    response:
      'id,created_at,time_zone,status,product_id,items,customer_email,customer_name,country,total,refunded,currency,' +
      'affiliate_code,utm_source,utm_medium,utm_campaign,utm_term,utm_content,fees,fee_currency,after_fees\r\n' +
      `${orderId},2026-11-20 09:30:12,UTC,paid,${productId},Watercolour Course; Printable workbook,maya@example.com,` +
      'Maya Lindqvist,SE,68.00,0.00,usd,ANNA,newsletter,email,autumn,,,4.52,usd,63.48\r\n',
  },
  listCheckouts: {
    response: {
      data: [
        {
          id: 'cko_01kb1x3z5b7d9f1h3j5k7m9p1r',
          status: 'reminded',
          product_id: productId,
          customer_email: 'noor@example.com',
          customer_name: 'Noor Haddad',
          country: 'DE',
          discount_code: 'AUTUMN',
          affiliate_code: null,
          reason: 'insufficient_funds',
          created_at: '2026-11-27T18:02:11.004Z',
          last_active_at: '2026-11-27T18:05:40.310Z',
          reminded_at: '2026-11-28T06:00:03.771Z',
        },
      ],
    },
  },
};
