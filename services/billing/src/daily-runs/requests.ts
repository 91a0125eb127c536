import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { listDailyRuns, runDailyJob } from '@app/contracts/subscriptions';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import { readDailyRuns } from './read-daily-runs.ts';
import { type DailyDeps, runForAccount, runForAll } from './run-daily-job.ts';

export function dailyRunRequests(deps: DailyDeps): RequestHandler[] {
  return [
    onRequestAcrossAccounts(runDailyJob, async ({ accountId }, context) => {
      // Only the platform acts without an account; an account acts on itself.
      if (context.accountId !== '' && context.accountId !== accountId) {
        throw new DomainError('insufficient_scope', 'The daily job of other accounts is the platform’s.');
      }
      const asked = { runId: idOfCommand('dailyRun', context.commandId), deadlineMs: context.deadlineMs };
      return accountId === null ? await runForAll(deps, asked) : await runForAccount(deps, accountId, asked);
    }),
    onRequest(listDailyRuns, (page, { accountId }) => readDailyRuns(deps.database, accountId, page)),
  ];
}
