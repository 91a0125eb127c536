import { samplePayloads } from '@app/contracts/webhook-samples';
import { order } from './orders.ts';

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
/** A delivery whose seller requested it as a test, of an endpoint or an automation. */
export const testDelivery = {
  ...delivery,
  id: 'dlv_01kb5q7s9v1x3z5b7d9f1h3j5k',
  event_id: 'evt_01kb5q7s9v1x3z5b7d9f1h3j5m',
  order_id: null,
  email: null,
  status: 'pending',
  reason: 'Waits for its first attempt, which is due.',
  attempt_count: 0,
  created_at: '2026-11-28T16:20:00.000Z',
  next_attempt_at: '2026-11-28T16:20:00.000Z',
  test: true,
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

/** Of deliveries, and of what repeats them, by operation. */
export const deliveryExamples = {
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
  recoverWebhooks: {
    body: { since: '2026-11-19T18:00:00Z', which: 'failed' },
    response: { ...recovery, total: null, queued: 0, delivered: 0 },
  },
  getWebhookRecovery: { response: recovery },
  listWebhookRecoveries: { response: { data: [recovery] } },
  cancelWebhookRecovery: { response: { ...recovery, status: 'canceled', finished_at: '2026-11-20T09:31:00.000Z' } },
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
          email: delivery.email,
          product: 'Watercolour Course',
          amount_cents: 6_800,
          currency: 'usd',
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
  sendTestWebhook: { body: { event: 'order.paid' }, response: testDelivery },
  redeliverWebhook: {
    response: { ...delivery, status: 'sending', reason: 'Is being sent now: attempt 2.', next_attempt_at: null },
  },
};
