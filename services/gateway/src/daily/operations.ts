import { listOf } from '@app/contracts/common';
import { dailyResult, dailyRunResource, listDailyRuns, runDailyJob } from '@app/contracts/subscriptions';
import { defineOperation } from '../http/operation.ts';

const tag = 'Daily job';

export const dailyOperations = [
  defineOperation({
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
    response: dailyResult,
    errors: [],
    run: ({ app, actor, context }) => {
      const accountId = actor.kind === 'platform' ? null : actor.accountId;
      return app.requester.requestBytes(runDailyJob, { accountId }, context);
    },
  }),
  defineOperation({
    id: 'listDailyRuns',
    method: 'GET',
    path: '/api/v1/daily-runs',
    tag,
    summary: 'List past runs of the daily job, newest first',
    auth: 'account',
    scope: 'read',
    query: listDailyRuns.input,
    response: listOf(dailyRunResource),
    errors: [],
    run: ({ app, query, context }) => app.requester.requestBytes(listDailyRuns, query, context),
  }),
];
