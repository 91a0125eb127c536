import { timestamp } from '@app/contracts/common';
import {
  type DailyResult,
  dailyResult,
  getDailyRun,
  listDailyRuns,
  type PlannedAction,
  previewDailyRun as previewBilling,
  problemsMax,
  startDailyRun,
  startDailyRunBody,
} from '@app/contracts/daily-runs';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { previewReminders, runReminders } from '@app/contracts/reminders';
import { z } from 'zod';
import type { Actor } from '../../identity/actors.ts';
import { dueSince } from '../../identity/due-since.ts';
import type { App } from '../app.ts';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, type OperationContext, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';

/** Of a preview's page. */
const limitDefault = 50;
/** Begins a cursor among the reminders; every other one is billing's. */
const reminderCursor = 'reminder:';
/** Billing's cursor after its last action. */
const billingDone = 'end';

/** The rows and `has_more` stand last, where the address of the next page is read from. */
const runsResponse = z.object({
  due_since: timestamp
    .nullable()
    .describe(
      'Since when a run is due each day: when the account was made, with the platform key the first one. Null without accounts.',
    ),
  next_start_at: timestamp
    .nullable()
    .describe('When the deployment runs it next by itself, for every account; null where a scheduler of yours has to.'),
  ...listDailyRuns.output.shape,
});

type Preview = RequestOutput<typeof previewBilling>;

export const dailyOperations = tagged('Daily job', [
  defineOperation({
    id: 'runDailyJob',
    audit: 'daily_job',
    method: 'POST',
    path: '/api/cron/daily',
    summary: 'Run the daily collections job',
    description:
      'Charges renewals that are due, retries declined cards, reminds buyers of stalled checkouts, settles holds. Running ' +
      'it more than once a day is safe: of each subscription one period at most is charged on a UTC day. With the platform key it runs for every account and answers with the sum. `problems` says ' +
      'why a run is not `ok`. `charging_stopped`: the payment processor shows payments that the platform does not know, as after a restored backup; look them up, and confirm with `confirmUnmatchedPayments`. `charges_disabled`: Stripe takes no payments for the account until its seller has done what Stripe wants; nothing is to be confirmed. A run that takes longer than 285 seconds, or than `waitSeconds`, is answered with 503 `outcome_unknown`, which names ' +
      'the run, and goes on.',
    auth: 'daily',
    scope: 'money',
    body: startDailyRunBody.optional(),
    response: dailyResult,
    errors: [],
    longestMs: startDailyRun.timeoutMs,
    run: (call) => runDailyJob(call),
  }),
  defineOperation({
    id: 'listDailyRuns',
    method: 'GET',
    path: '/api/v1/daily-runs',
    summary: 'List past runs of the daily job, newest first',
    description: 'With the platform key, runs over all accounts.',
    auth: 'daily',
    scope: 'read',
    query: listDailyRuns.input,
    response: runsResponse,
    errors: [],
    run: ({ app, query, context }) => listRuns(app, query, context),
  }),
  defineOperation({
    id: 'previewDailyRun',
    method: 'GET',
    path: '/api/v1/daily-runs/preview',
    summary: 'What the daily job would do now',
    description: 'It changes nothing. The totals are of all pages; `next`, sent as `after`, gives the next page.',
    auth: 'account',
    scope: 'read',
    query: previewBilling.input,
    response: previewBilling.output,
    errors: [],
    run: ({ app, query, context }) => previewDailyRun(app, query, context),
  }),
  forwardOperation(getDailyRun, {
    id: 'getDailyRun',
    method: 'GET',
    path: '/api/v1/daily-runs/{runId}',
    summary: 'Read one run of the daily job',
    description:
      'Also while it runs: `progress` is about a second old. With the platform key, a run over all accounts.',
    params: z.object({ runId: pathId('dailyRun', 'daily_run_not_found') }),
    auth: 'daily',
    errors: ['daily_run_not_found'],
  }),
]);

/**
 * The daily run of the caller's account, or with the platform key of every account: billing's `runDailyForAccount` or `runDailyForAll`. Billing
 * and checkout get one command id at the same time, and their results are one. Whatever becomes of the reminders, billing's result is answered.
 * @throws DomainError outcome_unknown when billing has no result in time; it names the run
 */
async function runDailyJob(call: {
  readonly app: App;
  readonly actor: Actor;
  readonly body: z.output<typeof startDailyRunBody> | undefined;
  readonly context: OperationContext;
}): Promise<DailyResult> {
  const { app, actor, body } = call;
  const waitMs = body?.waitSeconds === undefined ? startDailyRun.timeoutMs : body.waitSeconds * 1_000;
  const context = { ...call.context, deadlineMs: Date.now() + waitMs };
  const accountId = actor.kind === 'platform' ? null : actor.accountId;
  const [billing, reminders] = await Promise.allSettled([
    app.requester.request(startDailyRun, { accountId, ...wishesOf(body) }, context),
    app.requester.request(runReminders, { accountId }, context),
  ]);
  if (billing.status === 'rejected') throw namingTheRun(billing.reason, context.commandId);
  if (reminders.status === 'rejected') {
    app.logger.warn({ err: reminders.reason, requestId: context.requestId }, 'reminders of a daily run failed');
    return withProblem(
      billing.value,
      'Whether reminders were sent is not known; the next run sends those that were not.',
    );
  }
  const { ok, sent, recovered, problem } = reminders.value;
  const result = { ...billing.value, recovery: { sent, recovered } };
  return ok ? result : withProblem(result, problem ?? 'Some reminders could not be sent; the next run tries again.');
}

async function listRuns(
  { requester, database, nextDailyRunMs }: App,
  query: RequestInput<typeof listDailyRuns>,
  context: OperationContext,
): Promise<z.output<typeof runsResponse>> {
  const [runs, since] = await Promise.all([
    requester.request(listDailyRuns, query, context),
    dueSince(database, context.accountId),
  ]);
  const nextMs = nextDailyRunMs();
  return {
    due_since: since?.toISOString() ?? null,
    next_start_at: nextMs === undefined ? null : new Date(nextMs).toISOString(),
    ...runs,
  };
}

const wishesOf = (body: z.output<typeof startDailyRunBody> | undefined) => ({
  force: body?.force ?? false,
  ...(body?.confirmUnmatchedPayments === true && { confirmUnmatchedPayments: true }),
});

function withProblem(result: DailyResult, detail: string): DailyResult {
  const problem = { code: 'reminders_failed', detail } as const;
  // Last in time, but never left out: what is left out of many failed accounts is in the log.
  return { ...result, ok: false, problems: [...result.problems.slice(0, problemsMax - 1), problem] };
}

function namingTheRun(err: unknown, commandId: string): unknown {
  if (!(err instanceof DomainError) || err.code !== 'outcome_unknown') return err;
  const runId = idOfCommand('dailyRun', commandId);
  return new DomainError(
    'outcome_unknown',
    `There is no result yet, and the run goes on: GET /api/v1/daily-runs/${runId} says how far it is. The request ` +
      'repeated with its Idempotency-Key waits for the result again.',
  );
}

/** What the next run would do: billing's actions first, then checkout's reminders, under one cursor. Totals are of all pages. */
async function previewDailyRun(
  app: App,
  { limit = limitDefault, after }: { readonly limit?: number | undefined; readonly after?: string | undefined },
  context: OperationContext,
): Promise<Preview> {
  const atReminders = after?.startsWith(reminderCursor) === true;
  const ofBilling = { limit, ...(after !== undefined && { after: atReminders ? billingDone : after }) };
  const ofCheckout = {
    limit,
    ...(atReminders && after.length > reminderCursor.length && { after: after.slice(reminderCursor.length) }),
  };
  const [billing, checkout] = await Promise.all([
    app.requester.request(previewBilling, ofBilling, context),
    app.requester.request(previewReminders, ofCheckout, context),
  ]);
  const totals = { ...billing.totals, reminders: checkout.count };
  if (billing.next !== null) return { ...billing, totals };
  const room = limit - billing.data.length;
  const planned = checkout.data.map(plannedReminder);
  // A page that billing has filled in part is followed by one of reminders alone: their cursor is checkout's.
  const fits = planned.length <= room;
  const next = fits ? checkout.next : '';
  return {
    ...billing,
    totals,
    data: fits ? [...billing.data, ...planned] : billing.data,
    next: next === null ? null : `${reminderCursor}${next}`,
  };
}

const plannedReminder = (reminder: RequestOutput<typeof previewReminders>['data'][number]): PlannedAction => ({
  kind: 'reminder',
  id: reminder.checkoutId,
  customer_email: reminder.customerEmail,
  product_name: reminder.productName,
  amount_cents: 0,
  currency: reminder.currency,
  due_at: reminder.dueAt,
  attempt: null,
});
