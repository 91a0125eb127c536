import { z } from 'zod';
import { listOf, pageQueryOf, timestamp } from './common.ts';
import { defineEvent, defineRequest } from './define.ts';
import { hourMs } from './durations.ts';
import { idSchema } from './ids.ts';
import { dailyRunTimeoutMs, slow } from './time-outs.ts';

/** A day, and two hours for a scheduler that is late: then the payments loop does what the daily run would have done. */
export const withoutDailyRunMs = 26 * hourMs;

/** Why a run was not `ok`; the same words are in Recent activity. */
const runProblem = z.object({
  code: z.enum([
    'charge_limit',
    'account_failed',
    'no_payment_processor',
    'new_cards_needed',
    'key_refused',
    'reminders_failed',
    'orphans_found',
    'books_not_compared',
    'outcome_unknown',
    'orders_differ',
    'orders_not_compared',
    'charging_stopped',
    'charges_disabled',
  ]),
  detail: z.string(),
});

/** Problems of the platform; those of other codes are an account's own, which its seller reads and mends. */
export const platformProblems: ReadonlySet<string> = new Set<z.infer<typeof runProblem>['code']>([
  'account_failed',
  'orders_not_compared',
  'reminders_failed',
]);

/** A result names no more problems than these; the others are in the log and in the accounts' own runs. */
export const problemsMax = 10;

/** The published result. `problems` is empty when `ok`, and has `problemsMax` at most. */
export const dailyResult = z
  .object({
    ok: z.boolean(),
    rebills: z.object({ charged: z.int(), chargedCents: z.int(), retried: z.int(), canceled: z.int() }),
    // What the reminders of stalled checkouts did; the published name is `recovery`.
    recovery: z.object({ sent: z.int(), recovered: z.int() }),
    holdsSettled: z
      .int()
      .describe('Holds that this run settled, without those of rehearsals and those that a look-up ended.'),
    chargedByCurrency: z
      .record(z.string(), z.int())
      .describe('What `chargedCents` is made of: a sum for each currency.'),
    blocked: z
      .int()
      .describe(
        'Renewals that are due and wait until it is known how an earlier payment for them ended, or that their order’s refund or an open dispute keeps out.',
      ),
    waiting: z
      .int()
      .describe('Charges that are due and wait for the next run, because more is due than the limit of charges.'),
    problems: z.array(runProblem),
    declined: z
      .int()
      .optional()
      .describe('Renewals that were declined, those tried again among them; left out where none was.'),
  })
  .meta({ id: 'DailyResult' });
export type DailyResult = z.infer<typeof dailyResult>;
export type RunProblem = z.infer<typeof runProblem>;

/** What a caller may say of the run. */
export const startDailyRunBody = z
  .strictObject({
    force: z.boolean().optional().describe('Charges all that is due, also beyond the limit of charges.'),
    confirmUnmatchedPayments: z
      .boolean()
      .optional()
      .describe(
        'You have looked up the payments that the payment processor shows and the platform does not know: charging goes on. Each account confirms for itself.',
      ),
    waitSeconds: z
      .int()
      .min(1)
      .max(dailyRunTimeoutMs / 1_000)
      .optional()
      .describe('How long the result is waited for; 285 unless given. The run goes on after that.'),
  })
  .meta({ id: 'DailyRunStart' });

/**
 * The daily run of one account, or of every account of the deployment when `accountId` is null; `recovery` is 0 in it. Its
 * subject keeps its first name, as that of `createOrder`.
 */
export const startDailyRun = defineRequest('command', 'billing', 'daily-runs.run', {
  input: z.object({
    accountId: z.string().nullable(),
    force: z.boolean(),
    confirmUnmatchedPayments: z.boolean().optional(),
  }),
  output: dailyResult,
  ...slow(dailyRunTimeoutMs),
});

/** How many accounts have something due and had no run for 26 hours: for the health of the deployment. */
export const countOverdue = defineRequest('read', 'billing', 'daily-runs.count-overdue', {
  input: z.object({}),
  output: z.object({ accounts: z.int() }),
});

const moneyCount = z.object({
  count: z.int(),
  amounts: z.array(z.object({ currency: z.string().max(3), cents: z.int() })),
});

/** How far a run is: `left` is what was due at its beginning and is not done. */
const runProgress = z.object({ done: z.int(), left: z.int(), per_second: z.number() });

/** How our records compare with the processor's list after a run. An orphan stands on one side only. */
export const booksComparison = z.object({
  compared_from: timestamp,
  compared_until: timestamp,
  charges: z.int().describe('Charges that stand on both sides.'),
  refunds: z.int(),
  holds: z.int().describe('Holds that stand on both sides.'),
  disputes: z.int().describe('Disputes that the processor opened in this time, of charges that stand on both sides.'),
  orphans: z
    .array(
      z.object({
        side: z.enum(['processor', 'platform']),
        kind: z.enum(['charge', 'refund', 'hold']),
        id: z.string().describe('The processor’s reference, or our payment’s id.'),
        amount_cents: z.int(),
        currency: z.string().max(3),
        detail: z.string().describe('What to do.'),
      }),
    )
    .describe('100 at most; `orphan_count` counts all.'),
  orphan_count: z.int(),
  fees: z
    .array(z.object({ currency: z.string(), amount_cents: z.int() }))
    .optional()
    .describe(
      'What the processor kept of the charges and disputes of this time, by the currency in which it pays out.',
    ),
});
export type BooksComparison = z.infer<typeof booksComparison>;

export const dailyRunResource = z
  .object({
    id: z.string(),
    status: z
      .enum(['running', 'finished', 'interrupted'])
      .describe('`interrupted`: its process died or closed, so it has no result; the next run does what it left.'),
    started_at: timestamp,
    finished_at: timestamp.nullable(),
    result: dailyResult.nullable(),
    progress: runProgress.nullable(),
    books: booksComparison.nullable(),
  })
  .meta({ id: 'DailyRun' });

export const listDailyRuns = defineRequest('read', 'billing', 'daily-runs.list', {
  input: pageQueryOf(idSchema('dailyRun')),
  output: listOf(dailyRunResource),
});
/** The account's own run; with the platform key one over all accounts. */
export const getDailyRun = defineRequest('read', 'billing', 'daily-runs.get', {
  input: z.object({ runId: z.string() }),
  output: dailyRunResource,
});

/** One thing that the next run would do. */
const plannedAction = z.object({
  kind: z.enum(['renewal', 'retry', 'cancellation', 'settlement', 'look_up', 'reminder']),
  id: z.string().describe('Of the subscription, the order, the payment or the checkout.'),
  customer_email: z.string(),
  product_name: z.string(),
  amount_cents: z
    .int()
    .describe(
      'What would be charged or captured, with an accepted upsell; of a look-up what it charges if the processor never got the payment, 0 for a payment of the buyer’s own; 0 for a cancellation and a reminder.',
    ),
  currency: z.string().max(3),
  due_at: timestamp,
  attempt: z.int().nullable().describe('The number of the attempt, for a renewal and a retry.'),
});
export type PlannedAction = z.infer<typeof plannedAction>;

/**
 * What the next run would do now, one kind after the other in the order in which it does them. The totals are of all pages.
 * `charge_limit.exceeded`: the run would charge up to the limit, the longest due first, and names no charges but those.
 */
const dailyPreview = z
  .object({
    at: timestamp,
    totals: z.object({
      renewals: moneyCount,
      retries: moneyCount,
      cancellations: z.int().describe('Subscriptions that were canceled for the end of their period.'),
      settlements: moneyCount,
      look_ups: z.int(),
      look_up_amounts: moneyCount.shape.amounts.describe(
        'What look-ups charge at most: a capture or upsell that the processor never got is sent again, a renewal also charged anew; an accepted upsell follows its capture. What it got is not charged twice, and a payment of the buyer’s own is never sent again.',
      ),
      reminders: z.int(),
    }),
    charge_limit: z.object({
      exceeded: z
        .boolean()
        .describe('More is due than the run would charge: it charges up to the limit, and names no other charge.'),
      always_allowed_count: z.int().describe('So many charges in a currency a run makes in any case.'),
      currencies: z.array(
        z.object({
          currency: z.string().max(3),
          due_count: z.int().describe('Charges that are due and that no forced run has begun.'),
          due_cents: z.int(),
          normal_cents: z.int().describe('The larger of the largest run of late and what fell due of late.'),
          limit_cents: z
            .int()
            .nullable()
            .describe(
              'Null: no limit. The setting `dailyChargeLimit` is 0, or no more than `always_allowed_count` are due.',
            ),
          exceeded: z.boolean(),
          waiting_count: z.int().describe('Charges that would wait for the next run.'),
          waiting_cents: z.int(),
        }),
      ),
    }),
    unmatched_payments: z.int().describe('Of the platform, and unknown to it: no run charges before you confirm them.'),
    data: z.array(plannedAction),
    next: z.string().nullable().describe('Send it as `after` for the next page.'),
  })
  .meta({ id: 'DailyRunPreview' });
export const previewDailyRun = defineRequest('read', 'billing', 'daily-runs.preview', {
  input: z.object({ limit: z.coerce.number().int().min(1).max(100).optional(), after: z.string().max(200).optional() }),
  output: dailyPreview,
});

/** Moves the clock of the account's rehearsals, and runs their daily jobs day by day. */
const advanceRehearsalBody = z.strictObject({ days: z.int().min(1).max(366) }).meta({ id: 'RehearsalAdvance' });
const rehearsalResult = z
  .object({
    ok: z
      .boolean()
      .describe('False where another request has replaced this one, or the payment processor refused the API key.'),
    now: timestamp.describe('The rehearsal’s time.'),
    days: z.int(),
    rebills: dailyResult.shape.rebills,
    chargedByCurrency: dailyResult.shape.chargedByCurrency,
  })
  .meta({ id: 'RehearsalResult' });
const rehearsalResource = z
  .object({
    now: timestamp.describe('What time it is for rehearsals.'),
    days_ahead: z.int().describe('How far that is ahead of the clock.'),
  })
  .meta({ id: 'Rehearsal' });
export const getRehearsal = defineRequest('read', 'billing', 'rehearsals.get', {
  input: z.object({}),
  output: rehearsalResource,
});
export const advanceRehearsal = defineRequest('command', 'billing', 'rehearsals.advance', {
  input: z.object({ body: advanceRehearsalBody }),
  output: rehearsalResult,
  ...slow(dailyRunTimeoutMs),
});

/** Something about daily runs that the seller has to know, for Recent activity. */
export const dailyRunNoticed = defineEvent(
  'billing',
  'daily-run.noticed',
  1,
  z.object({
    code: z.enum(['charge_limit', 'overdue', 'orphan', 'order_differs', 'charging_stopped', 'key_refused', 'failed']),
    /** One line that says what happened and what to do. */
    summary: z.string(),
    orderId: z.string().nullable(),
    test: z.boolean(),
    /** Of a key that is refused: it is accepted, and may not do all that it has to. Left out, it is not accepted. */
    lacksPermission: z.boolean().optional(),
  }),
);
