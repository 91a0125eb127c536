import { subscriptionId } from './subscriptions.ts';

const rebills = { charged: 12, chargedCents: 22_800, retried: 1, canceled: 0 };
const result = {
  ok: true,
  rebills,
  recovery: { sent: 3, recovered: 1 },
  holdsSettled: 0,
  chargedByCurrency: { usd: 22_800 },
  blocked: 0,
  waiting: 0,
  problems: [],
};

const run = {
  id: 'run_01kb3d5f7h9k1m3p5r7t9v1x3z',
  status: 'finished',
  started_at: '2026-11-30T10:00:00.000Z',
  finished_at: '2026-11-30T10:00:04.210Z',
  result,
  progress: { done: 13, left: 0, per_second: 6.2 },
  books: {
    compared_from: '2026-11-29T10:00:00.000Z',
    compared_until: '2026-11-30T09:55:00.000Z',
    charges: 9,
    refunds: 1,
    holds: 0,
    disputes: 0,
    orphans: [],
    orphan_count: 0,
    fees: [{ currency: 'usd', amount_cents: 2052 }],
  },
};
const renewals = { count: 12, amounts: [{ currency: 'usd', cents: 22_800 }] };
const none = { count: 0, amounts: [] };

/** Of the daily job and of rehearsals, by operation. */
export const dailyExamples = {
  runDailyJob: { body: { waitSeconds: 60 }, response: result },
  listDailyRuns: {
    response: { due_since: '2026-09-14T08:30:00.000Z', next_start_at: '2026-12-01T03:00:00.500Z', data: [run] },
  },
  getDailyRun: { response: run },
  previewDailyRun: {
    response: {
      at: '2026-11-30T09:00:00.000Z',
      totals: {
        renewals,
        retries: none,
        cancellations: 0,
        settlements: none,
        look_ups: 0,
        look_up_amounts: [],
        reminders: 0,
      },
      charge_limit: {
        exceeded: false,
        always_allowed_count: 100,
        currencies: [
          {
            currency: 'usd',
            due_count: 12,
            due_cents: 22_800,
            normal_cents: 19_000,
            limit_cents: 57_000,
            exceeded: false,
            waiting_count: 0,
            waiting_cents: 0,
          },
        ],
      },
      unmatched_payments: 0,
      data: [
        {
          kind: 'renewal',
          id: subscriptionId,
          customer_email: 'maya@example.com',
          product_name: 'Watercolour Club',
          amount_cents: 1900,
          currency: 'usd',
          due_at: '2026-11-30T09:30:12.345Z',
          attempt: 1,
        },
      ],
      next: null,
    },
  },
  getRehearsal: { response: { now: '2026-12-30T10:00:00.000Z', days_ahead: 30 } },
  advanceRehearsal: {
    body: { days: 30 },
    response: {
      ok: true,
      now: '2026-12-30T10:00:00.000Z',
      days: 30,
      rebills: { charged: 1, chargedCents: 1900, retried: 0, canceled: 0 },
      chargedByCurrency: { usd: 1900 },
    },
  },
};
