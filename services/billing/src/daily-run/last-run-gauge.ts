import type { OverdueWatch } from '@app/runs/overdue-watch';
import { allAccounts } from '@app/runs/run-lock';
import type { Clock } from '@app/service-kit/clock';
import { type Database, statement } from '@app/service-kit/database';
import { observeGauges, serviceGauge } from '@app/service-kit/metrics';

const lastRunAge = serviceGauge(
  'daily_run.age',
  's',
  'Since the end of the last daily run over all accounts, absent before the first',
);

const accountsWithProblems = serviceGauge(
  'daily_run.accounts_with_problems',
  '{account}',
  'Accounts that have a problem of this code from the last daily run over all accounts',
);

const overdueAccounts = serviceGauge(
  'daily_run.overdue_accounts',
  '{account}',
  'Accounts that have something due for 26 hours and had no daily run since, as the replica that reports counted them last',
);

/** Runs of all accounts together are one a day; one that was interrupted has no result and does not count. */
const lastRunStatement = statement<{ id: string; finished_at: Date }>(
  'daily-runs-last',
  `select id, finished_at from daily_runs where account_id = $1 and result is not null order by id desc limit 1`,
  { finished_at: 'timestamptz', id: 'text' },
);

/** An account's own run that was repeated since has no part in it: its seller has seen that. */
const problemsStatement = statement<{ code: string; accounts: number }>(
  'daily-runs-problems',
  `select problem ->> 'code' as code, count(distinct account_id)::int as accounts
   from daily_runs, jsonb_array_elements(result -> 'problems') as problem
   where platform_run_id = $1
   group by 1`,
  { accounts: 'int4', code: 'text' },
);

/** How long ago the last daily run over all accounts ended, how many accounts it left with what problems, and how many wait for one. */
export function observeLastRun(
  database: Database,
  clock: Clock,
  overdue: Pick<OverdueWatch, 'accounts'>,
): { close(): void } {
  return observeGauges('billing', [lastRunAge, accountsWithProblems, overdueAccounts], async () => {
    const waiting = { gauge: overdueAccounts, value: overdue.accounts() };
    const [last] = (await database.pool.query(lastRunStatement([allAccounts]))).rows;
    if (last === undefined) return [waiting];
    const problems = (await database.pool.query(problemsStatement([last.id]))).rows;
    return [
      waiting,
      { gauge: lastRunAge, value: (clock.nowMs() - last.finished_at.getTime()) / 1_000 },
      ...problems.map(({ code, accounts }) => ({
        gauge: accountsWithProblems,
        value: accounts,
        attributes: { code },
      })),
    ];
  });
}
