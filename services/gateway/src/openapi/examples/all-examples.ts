import { samplePayloads } from '@app/contracts/webhook-samples';
import { automationExamples } from './automation-examples.ts';
import { checkoutExamples } from './checkout-examples.ts';
import { endpointExamples } from './endpoint-examples.ts';
import { refundExamples } from './refund-examples.ts';
import { subscriptionExamples } from './subscription-examples.ts';

/** Examples by operation; a test parses them with the schemas they stand beside. */
const order = {
  id: 'ord_01kahv7w3xe5m8q2r6t9y0b4cd',
  product_id: 'prd_01kaf2m4n6p8r0t2v4x6z8b0dg',
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
    { kind: 'main', label: 'Watercolour Course', amount_cents: 4900 },
    { kind: 'bump', label: 'Printable workbook', amount_cents: 1900 },
  ],
  country: 'SE',
  affiliate_code: 'ANNA',
  test: false,
};

const payment = {
  id: 'pmt_01kahv7w3xf7n9s3t7v0z2c6de',
  order_id: order.id,
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
  product_name: 'Watercolour Course',
  customer_email: 'maya@example.com',
  last_four: '4242',
  wallet: null,
  test: false,
  created_at: '2026-11-20T09:30:12.345Z',
  finished_at: '2026-11-20T09:30:13.120Z',
};

const processor = { processor: 'simulated', secrets: [], updated_at: null, version: 1, stripe: null };

const payout = {
  id: 'pay_01kb2c4d6e8f0g2h4j6k8m0n2p',
  affiliate_code: 'ANNA',
  amount_cents: 2040,
  currency: 'usd',
  commission_count: 1,
  created_at: '2026-12-21T08:00:00.000Z',
};
const sale = { kind: 'commission', order_id: order.id, payout_id: null, currency: 'usd', created_at: order.created_at };

const delivery = {
  id: 'dlv_01kahv7x2ke5m8q2r6t9y0b4cd',
  event: 'order.paid',
  event_id: 'evt_01kahv7w9ye5m8q2r6t9y0b4cf',
  order_id: order.id,
  email: order.customer_email,
  endpoint_id: 'whe_01kaf2m4q7s9v1x3z5b7d9f1hk',
  url: 'https://mayapaints.example/hooks/sales',
  status: 'pending',
  reason:
    'Attempt 2 follows at 2026-11-20T09:30:19.002Z. The last one failed: The certificate of mayapaints.example has expired, or is not valid yet.',
  attempt_count: 1,
  created_at: '2026-11-20T09:30:13.500Z',
  finished_at: null,
  next_attempt_at: '2026-11-20T09:30:19.002Z',
  test: false,
};
const diagnosis = {
  code: 'certificate_expired',
  explanation: 'The certificate of mayapaints.example has expired, or is not valid yet.',
  advice: 'Renew the certificate, or ask your host to.',
};
const attempt = {
  id: 'att_01kahv7x3me5m8q2r6t9y0b4ch',
  created_at: '2026-11-20T09:30:13.611Z',
  url: delivery.url,
  status_code: null,
  duration_ms: 58,
  error: 'the certificate has expired',
  diagnosis,
  next_attempt_at: delivery.next_attempt_at,
};
const paidPayload = {
  ...samplePayloads['order.paid'],
  orderId: order.id,
  productId: order.product_id,
  email: order.customer_email,
  name: order.customer_name,
  accessUrl: '',
  supportEmail: '',
  sentAt: '2026-11-20T09:30:13.120Z',
};
const copyOf = (copy: string, status: number, ok: boolean, explanation: string) => ({
  copy,
  expected: copy === 'good' || copy === 'doubled' ? 'accept' : 'refuse',
  status_code: status,
  error: null,
  duration_ms: 84,
  ok,
  explanation,
});

interface Examples {
  readonly body?: unknown;
  readonly response: unknown;
}

const recovery = {
  id: 'rcv_01kahw2b4de6f8h0j2m4n6q8r0',
  endpoint_id: 'whe_01kaf2m4n6p8r0t2v4x6z8b0dg',
  kind: 'recover',
  which: 'failed',
  since: '2026-11-19T18:00:00.000Z',
  until: '2026-11-20T09:30:12.345Z',
  status: 'running',
  total: 1200,
  queued: 450,
  delivered: 398,
  failed: 0,
  per_second: 50,
  created_at: '2026-11-20T09:30:12.345Z',
  finished_at: null,
};

export const examples: Readonly<Record<string, Examples>> = {
  ...automationExamples,
  ...endpointExamples,
  ...refundExamples,
  ...subscriptionExamples(payment),
  listOrders: { response: { data: [order] } },
  getOrder: {
    response: {
      ...order,
      payments: [payment],
      disputes: null,
      fees: [
        {
          kind: 'charge',
          payment_id: payment.id,
          amount_cents: 452,
          currency: payment.currency,
          incurred_at: payment.created_at,
        },
      ],
    },
  },
  createOrder: {
    body: {
      productSlug: 'watercolour-course',
      email: 'maya@example.com',
      name: 'Maya Lindqvist',
      bumpIds: ['bmp_01kaf2m4q7s9v1x3z5b7d9f1hj'],
      affiliateCode: 'ANNA',
    },
    response: { ok: true, orderId: order.id, totalCents: order.total_cents },
  },
  listPayments: { response: { data: [payment] } },
  getPayment: { response: payment },
  getPaymentProcessor: { response: processor },
  putPaymentProcessor: {
    body: { processor: 'stripe', live: { secretKey: 'rk_live_51Hx', publishableKey: 'pk_live_51Hx' } },
    response: {
      processor: 'stripe',
      secrets: ['live.secretKey'],
      updated_at: '2026-11-20T09:00:00.000Z',
      version: 2,
      stripe: {
        live: {
          account: 'acct_1Hx',
          account_name: 'Mara Lindqvist Studio',
          publishable_key: 'pk_live_51Hx',
          stored_at: '2026-11-20T09:00:00.000Z',
          settlement_currency: 'eur',
          charges_enabled: true,
          disabled_reason: null,
          requirements_due: [],
          account_checked_at: '2026-11-20T09:00:00.000Z',
          missing_permissions: [],
          webhooks: 'active',
          left_endpoints: [],
          last_event_at: '2026-11-20T10:15:00.000Z',
          wallets: {
            status: 'registered',
            domains: [{ domain: 'shop.example', apple_pay: 'active', google_pay: 'active', detail: null }],
          },
        },
        test: null,
      },
    },
  },
  selfTestWebhook: {
    response: {
      ok: false,
      results: [
        copyOf('good', 200, true, 'A genuine delivery was accepted.'),
        copyOf(
          'bad_signature',
          200,
          false,
          'A copy with a wrong signature was accepted: anyone who knows the URL could fake a sale. Check ' +
            '`webhook-signature` before you believe a body.',
        ),
        copyOf(
          'stale',
          401,
          true,
          'A copy that was signed ten minutes ago was not accepted (it answered 401), as it should be.',
        ),
        copyOf(
          'doubled',
          200,
          true,
          `The same delivery was accepted a second time, as it should be. Make sure that order ${order.id} counts once ` +
            'there: only you can see that.',
        ),
      ],
      summary: 'A wrong signature was accepted: anyone who knows the URL could fake a sale.',
    },
  },
  listCommissions: {
    response: {
      data: [
        {
          id: 'com_01kahv7w3xe5m8q2r6t9y0b4cd',
          order_id: order.id,
          amount_cents: 2040,
          currency: 'usd',
          status: 'paid',
          created_at: order.created_at,
          kind: 'sale',
          due_at: '2026-12-20T09:30:12.345Z',
          payout_id: payout.id,
        },
      ],
    },
  },
  getAffiliateStatement: {
    response: {
      balances: [{ currency: 'usd', pending_cents: 0, due_cents: 0, paid_cents: 2040 }],
      data: [
        {
          id: 'led_01kb2c4d6e8f0g2h4j6k8m0n3q',
          kind: 'payout',
          order_id: null,
          payout_id: payout.id,
          amount_cents: -2040,
          balance_cents: 0,
          currency: 'usd',
          created_at: payout.created_at,
        },
        { id: 'led_01kahv7w9ye5m8q2r6t9y0b4ce', ...sale, amount_cents: 2040, balance_cents: 2040 },
      ],
      has_more: false,
    },
  },
  createPayout: { body: { currency: 'usd' }, response: payout },
  listPayouts: { response: { data: [payout] } },
  recoverWebhooks: {
    body: { since: '2026-11-19T18:00:00Z', which: 'failed' },
    response: { ...recovery, total: null, queued: 0, delivered: 0 },
  },
  getWebhookRecovery: { response: recovery },
  listWebhookRecoveries: { response: { data: [recovery] } },
  ...checkoutExamples,
  listActivity: {
    response: {
      data: [
        {
          ...attempt,
          kind: 'webhook_attempt',
          summary: `order.paid not delivered to ${delivery.url} (the certificate has expired, after 58 ms); attempt 2 follows at ${delivery.next_attempt_at}. ${diagnosis.explanation}`,
          event: 'order.paid',
          event_id: delivery.event_id,
          delivery_id: delivery.id,
          endpoint_id: delivery.endpoint_id,
          order_id: order.id,
          attempt: 1,
          status: 'failed',
          response_excerpt: null,
          test: false,
        },
      ],
    },
  },
  listWebhookDeliveries: { response: { data: [delivery] } },
  getWebhookDelivery: {
    response: {
      ...delivery,
      attempts: [
        {
          ...attempt,
          number: 1,
          dns_ms: 12,
          connect_ms: 19,
          tls_ms: null,
          first_byte_ms: null,
          response: null,
        },
      ],
      payload: paidPayload,
    },
  },
  listEvents: {
    response: {
      data: [
        {
          id: delivery.event_id,
          sequence: 1204,
          event: 'order.paid',
          occurred_at: paidPayload.sentAt,
          test: false,
          payload: paidPayload,
        },
      ],
      has_more: false,
    },
  },
};

export const problemExample = {
  type: 'http://127.0.0.1:3000/developers/errors#validation_failed',
  title: 'Some fields are invalid',
  status: 422,
  detail: 'email must be an email address.',
  code: 'validation_failed',
  requestId: '01kahv7w3xe5m8q2r6t9y0b4cd',
  errors: [{ field: 'email', code: 'invalid_format', message: 'must be an email address' }],
};
