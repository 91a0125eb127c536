import { DomainError } from '@app/contracts/errors';
import { idOfCommand } from '@app/contracts/ids';
import * as contract from '@app/contracts/reminders';
import { onRequest, onRequestAcrossAccounts, type RequestHandler } from '@app/messaging/serve-requests';
import type { OverdueWatch } from '@app/runs/overdue-watch';
import { getOptOut, optOut } from './opt-out.ts';
import { previewReminders } from './preview-reminders.ts';
import { type RunDeps, remindAccount, remindAll } from './run-reminders.ts';

/** Buyers act for no account: the token says whose reminders end. */
export function reminderRequests(
  deps: RunDeps,
  overdue: Pick<OverdueWatch, 'accounts' | 'runEnded'>,
): RequestHandler[] {
  return [
    onRequestAcrossAccounts(contract.runReminders, async ({ accountId }, context) => {
      // Only the platform sends a request without an account; an account may run for itself alone.
      if (context.accountId !== '' && context.accountId !== accountId)
        throw new DomainError('insufficient_scope', 'Only the platform key may run the reminders of all accounts.');
      const request = { runId: idOfCommand('dailyRun', context.commandId), deadlineMs: context.deadlineMs };
      const run = accountId === null ? remindAll(deps, request) : remindAccount(deps, accountId, request);
      return await run.finally(() => overdue.runEnded());
    }),
    onRequest(contract.previewReminders, (page, { accountId }) => previewReminders(deps, accountId, page)),
    onRequestAcrossAccounts(contract.countOverdueReminders, async () => ({ accounts: overdue.accounts() })),
    onRequestAcrossAccounts(contract.getOptOut, ({ token }) => getOptOut(deps, token)),
    onRequestAcrossAccounts(contract.optOut, ({ token }) => optOut(deps, token)),
  ];
}
