import {
  countOverdue,
  type DailyResult,
  getDailyRun,
  listDailyRuns,
  previewDailyRun,
  startDailyRun,
} from '@app/contracts/daily-runs';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { countOverdueReminders, previewReminders, runReminders } from '@app/contracts/reminders';
import type { RequestContext } from '@app/messaging/request-headers';
import { onRequest, onRequestAcrossAccounts } from '@app/messaging/serve-requests';
import { nothingDone } from '@app/testing/daily-result';

export const nothingPlanned: RequestOutput<typeof previewDailyRun> = {
  at: '2026-03-15T12:00:00.000Z',
  totals: {
    ...{
      renewals: { count: 0, amounts: [] },
      retries: { count: 0, amounts: [] },
      cancellations: 0,
      settlements: { count: 0, amounts: [] },
    },
    ...{ look_ups: 0, look_up_amounts: [], reminders: 0 },
  },
  charge_limit: { exceeded: false, always_allowed_count: 100, currencies: [] },
  unmatched_payments: 0,
  data: [],
  next: null,
};

/** What billing and checkout make of a daily run; a test may change each. */
export interface DailyStandIn {
  /** Accounts that waited too long for a run. */
  overdue: number;
  /** The same for reminders. */
  overdueReminders: number;
  collect: (input: RequestInput<typeof startDailyRun>, context: RequestContext) => Promise<DailyResult>;
  remind: (
    input: RequestInput<typeof runReminders>,
    context: RequestContext,
  ) => Promise<RequestOutput<typeof runReminders>>;
  preview: (input: RequestInput<typeof previewDailyRun>) => Promise<RequestOutput<typeof previewDailyRun>>;
  previewReminders: (input: RequestInput<typeof previewReminders>) => Promise<RequestOutput<typeof previewReminders>>;
}

/** @param requested gets the input of each run that billing was requested to start */
export function createDailyStandIn(requested: { push(input: unknown): void }) {
  const standIn: DailyStandIn = {
    overdue: 0,
    overdueReminders: 0,
    collect: async () => nothingDone,
    remind: async () => ({ ok: true, sent: 0, recovered: 0, problem: null }),
    preview: async () => nothingPlanned,
    previewReminders: async () => ({ count: 0, data: [], next: null }),
  };
  return {
    standIn,
    billing: [
      onRequestAcrossAccounts(startDailyRun, async (input, context) => {
        requested.push(input);
        return await standIn.collect(input, context);
      }),
      onRequestAcrossAccounts(listDailyRuns, async () => ({ data: [] })),
      onRequestAcrossAccounts(getDailyRun, async ({ runId }, { accountId }) => ({
        ...{
          id: runId,
          status: 'running' as const,
          started_at: '2026-03-15T12:00:00.000Z',
          finished_at: null,
          result: null,
          books: null,
        },
        progress: { done: accountId === '' ? 7 : 3, left: 2, per_second: 1 },
      })),
      onRequestAcrossAccounts(countOverdue, async () => ({ accounts: standIn.overdue })),
      onRequest(previewDailyRun, (input) => standIn.preview(input)),
    ],
    checkout: [
      onRequestAcrossAccounts(countOverdueReminders, async () => ({ accounts: standIn.overdueReminders })),
      onRequestAcrossAccounts(runReminders, (input, context) => standIn.remind(input, context)),
      onRequest(previewReminders, (input) => standIn.previewReminders(input)),
    ],
  };
}
