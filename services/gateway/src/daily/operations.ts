import { listDailyRuns, startDailyRun } from '@app/contracts/daily-runs';
import { forwardOperation } from '../operations/forward-operation.ts';

const tag = 'Daily job';

export const dailyOperations = [
  forwardOperation(startDailyRun, {
    id: 'runDailyJob',
    method: 'POST',
    path: '/api/cron/daily',
    tag,
    summary: 'Run the daily collections job',
    description:
      'Charges renewals that are due, retries declined cards, nudges stalled checkouts, settles holds. Running it more ' +
      'than once a day is safe. With the platform key it runs for every account and answers with the sum.',
    auth: 'daily',
    scope: 'money',
    errors: [],
    addedInput: ({ kind, accountId }) => ({ accountId: kind === 'platform' ? null : accountId, force: false }),
  }),
  forwardOperation(listDailyRuns, {
    id: 'listDailyRuns',
    method: 'GET',
    path: '/api/v1/daily-runs',
    tag,
    summary: 'List past runs of the daily job, newest first',
    errors: [],
  }),
];
