import * as contract from '@app/contracts/daily-runs';
import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import type { OverdueWatch } from '@app/runs/overdue-watch';
import { getDailyRun } from './get-daily-run.ts';
import { listDailyRuns } from './list-daily-runs.ts';
import { previewDailyRun } from './preview-daily-run.ts';
import { type DailyDeps, runDailyForAccount, runDailyForAll } from './start-daily-run.ts';

export function dailyRunRequests(
  deps: DailyDeps,
  overdue: Pick<OverdueWatch, 'accounts' | 'runEnded'>,
): RequestHandler[] {
  return [
    onRequestAcrossAccounts(
      contract.startDailyRun,
      async ({ accountId, force, confirmUnmatchedPayments: confirmsUnmatched = false }, context) => {
        // Only the platform sends a request without an account; an account may run for itself alone.
        if (context.accountId !== '' && context.accountId !== accountId) {
          throw new DomainError('insufficient_scope', 'Only the platform key may start the daily run of all accounts.');
        }
        const request = {
          runId: idOfCommand('dailyRun', context.commandId),
          deadlineMs: context.deadlineMs,
          force,
          confirmsUnmatched,
        };
        if (accountId === null && confirmsUnmatched) throw eachForItself();
        const run = accountId === null ? runDailyForAll(deps, request) : runDailyForAccount(deps, accountId, request);
        return await run.finally(() => overdue.runEnded());
      },
    ),
    onRequest(contract.previewDailyRun, (page, { accountId }) => previewDailyRun(deps, accountId, page)),
    onRequestAcrossAccounts(contract.countOverdue, async () => ({ accounts: overdue.accounts() })),
    // The platform, which has no account, requests runs over all of them.
    onRequestAcrossAccounts(contract.listDailyRuns, (page, { accountId }) => listDailyRuns(deps, accountId, page)),
    onRequestAcrossAccounts(contract.getDailyRun, ({ runId }, { accountId }) => getDailyRun(deps, accountId, runId)),
  ];
}

const eachForItself = (): DomainError =>
  new DomainError('validation_failed', 'Each account confirms its unmatched payments itself, with a key of its own.');
