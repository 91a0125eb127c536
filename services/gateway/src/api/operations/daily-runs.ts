import {
  dailyResult,
  getDailyRun,
  listDailyRuns,
  previewDailyRun as preview,
  startDailyRunBody,
} from '@app/contracts/daily-runs';
import { z } from 'zod';
import { forwardOperation } from '../forward-operation.ts';
import { defineOperation, tagged } from '../operation.ts';
import { pathId } from '../path-params.ts';
import { previewDailyRun } from './preview-daily-run.ts';
import { dailyRunWaitMs, runDailyJob } from './run-daily-job.ts';

export const dailyOperations = tagged('Daily job', [
  defineOperation({
    id: 'runDailyJob',
    method: 'POST',
    path: '/api/cron/daily',
    summary: 'Run the daily collections job',
    description:
      'Charges renewals that are due, retries declined cards, reminds buyers of stalled checkouts, settles holds. Running ' +
      'it more than once a day is safe: of each subscription one period at most is charged on a UTC day. With the platform key it runs for every account and answers with the sum. `problems` says ' +
      'why a run is not `ok`. `charging_stopped`: the payment processor shows payments that the platform does not know, as after a restored backup; look them up, and confirm with `confirmUnmatchedPayments`. A run that takes longer than 285 seconds, or than `waitSeconds`, is answered with 503 `outcome_unknown`, which names ' +
      'the run, and goes on.',
    auth: 'daily',
    scope: 'money',
    body: startDailyRunBody.optional(),
    response: dailyResult,
    errors: [],
    longestMs: dailyRunWaitMs,
    run: (call) => runDailyJob(call),
  }),
  forwardOperation(listDailyRuns, {
    id: 'listDailyRuns',
    method: 'GET',
    path: '/api/v1/daily-runs',
    summary: 'List past runs of the daily job, newest first',
    description: 'With the platform key, runs over all accounts.',
    auth: 'daily',
    errors: [],
  }),
  defineOperation({
    id: 'previewDailyRun',
    method: 'GET',
    path: '/api/v1/daily-runs/preview',
    summary: 'What the daily job would do now',
    description: 'It changes nothing. The totals are of all pages; `next`, sent as `after`, gives the next page.',
    auth: 'account',
    scope: 'read',
    query: preview.input,
    response: preview.output,
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
