import type { Entry } from '../../src/dashboard/activity/activity-page.ts';
import type { Delivery } from '../../src/dashboard/activity/delivery-page.ts';
import type { Preview, Run } from '../../src/dashboard/daily-job/parts.ts';
import type { Endpoint, Recovery } from '../../src/dashboard/integrations/parts.ts';
import { longName } from './samples.ts';

const at = '2026-10-23T12:00:00.000Z';

const endpoint: Endpoint = {
  id: 'whe_01jd2q5v8kfw9s3x6z7yabcdef',
  role: 'primary',
  url: 'https://members.atelier.example/hooks/sales',
  description: 'The members’ site',
  events: null,
  headers: [],
  active: true,
  switched_off: null,
  failing_since: null,
  held: { count: 0, more: false, oldest_at: null },
  recovery_id: null,
  previous_secret_expires_at: null,
  created_at: at,
  updated_at: at,
};
export const endpointOf = (changes: Partial<Endpoint> = {}): Endpoint => Object.assign({}, endpoint, changes);

export const recovery: Recovery = {
  id: 'rcv_01jd2q5v8kfw9s3x6z7yabcdef',
  endpoint_id: endpoint.id,
  kind: 'recover',
  which: 'failed',
  since: at,
  until: '2026-10-23T14:00:00.000Z',
  status: 'running',
  total: 1_204,
  queued: 310,
  delivered: 288,
  failed: 1,
  per_second: 25,
  created_at: '2026-10-23T14:00:00.000Z',
  finished_at: null,
};

const diagnosis = {
  code: 'not_found',
  explanation: 'The receiver answered 404: it has no page at this URL.',
  advice: 'Compare the URL of the endpoint with the one of your receiver, letter by letter.',
};

const delivery: Delivery = {
  id: 'dlv_01jd2q5v8kfw9s3x6z7yabcdef',
  event: 'order.paid',
  event_id: 'evt_01jd2q5v8kfw9s3x6z7yabcdef',
  order_id: 'ord_01jd2q5v8kfw9s3x6z7yabcdef',
  email: 'ada@example.com',
  endpoint_id: endpoint.id,
  url: endpoint.url,
  status: 'failed',
  reason: 'Given up after 2 attempts. The receiver answered 404.',
  attempt_count: 2,
  created_at: at,
  finished_at: at,
  next_attempt_at: null,
  test: false,
  attempts: [2, 1].map((number) => ({
    id: `att_01jd2q5v8kfw9s3x6z7yabcde${number}`,
    number,
    created_at: at,
    url: endpoint.url,
    status_code: 404,
    duration_ms: 182,
    error: null,
    next_attempt_at: null,
    dns_ms: 12,
    connect_ms: 31,
    tls_ms: 64,
    first_byte_ms: 70,
    diagnosis,
    response: `<!doctype html><title>Not found</title><p>${'There is no such page here. '.repeat(8)}</p>`,
  })),
  payload: { event: 'order.paid', email: 'ada@example.com', totalCents: 14_565, sentAt: at },
};
export const deliveryOf = (changes: Partial<Delivery> = {}): Delivery => Object.assign({}, delivery, changes);

const entry: Entry = {
  id: 'att_01jd2q5v8kfw9s3x6z7yabcdef',
  kind: 'webhook_attempt',
  created_at: at,
  summary: 'order.paid not delivered',
  event: 'order.paid',
  event_id: delivery.event_id,
  delivery_id: delivery.id,
  endpoint_id: endpoint.id,
  order_id: delivery.order_id,
  url: endpoint.url,
  attempt: 2,
  status: 'failed',
  status_code: 404,
  duration_ms: 182,
  response_excerpt: null,
  error: null,
  diagnosis,
  next_attempt_at: null,
  test: false,
  email: 'ada@example.com',
  product: longName,
  amount_cents: 14_900,
  currency: 'usd',
};
export const entryOf = (changes: Partial<Entry> = {}): Entry => Object.assign({}, entry, changes);

const usd = (cents: number) => [{ currency: 'usd', cents }];

export const preview: Preview = {
  at,
  totals: {
    renewals: { count: 12, amounts: [...usd(34_800), { currency: 'eur', cents: 9_900 }] },
    retries: { count: 1, amounts: usd(2_900) },
    cancellations: 1,
    settlements: { count: 0, amounts: [] },
    look_ups: 0,
    look_up_amounts: [],
    reminders: 3,
  },
  charge_limit: { exceeded: false, always_allowed_count: 100, currencies: [] },
  unmatched_payments: 0,
  data: [
    {
      kind: 'renewal',
      id: 'sub_1',
      customer_email: 'ada@example.com',
      product_name: 'The open studio',
      amount_cents: 2_900,
      currency: 'usd',
      due_at: at,
      attempt: 1,
    },
    {
      kind: 'retry',
      id: 'sub_2',
      customer_email: `${'a'.repeat(64)}@example.com`,
      product_name: 'The open studio',
      amount_cents: 2_900,
      currency: 'usd',
      due_at: at,
      attempt: 2,
    },
  ],
  next: 'more',
};

export const run: Run = {
  id: 'run_01jd2q5v8kfw9s3x6z7yabcdef',
  status: 'finished',
  started_at: at,
  finished_at: '2026-10-23T12:00:04.000Z',
  result: {
    ok: true,
    rebills: { charged: 12, chargedCents: 44_700, retried: 1, canceled: 1 },
    recovery: { sent: 3, recovered: 1 },
    holdsSettled: 0,
    chargedByCurrency: { usd: 34_800, eur: 9_900 },
    blocked: 0,
    waiting: 0,
    problems: [],
  },
  progress: { done: 12, left: 0, per_second: 6 },
  books: {
    compared_from: at,
    compared_until: at,
    charges: 188,
    refunds: 3,
    disputes: 0,
    holds: 2,
    orphans: [],
    orphan_count: 0,
  },
};
