import type { PageQuery } from '@app/contracts/common';
import type { RequestOutput } from '@app/contracts/define';
import type { listDailyRuns as contract, DailyResult } from '@app/contracts/subscriptions';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';

interface RunRow {
  readonly id: string;
  readonly started_at: Date;
  readonly finished_at: Date | null;
  readonly result: DailyResult | null;
}

const runsOfAccount = pagedList<RunRow>({
  name: 'daily-runs',
  table: 'daily_runs',
  columns: 'id, started_at, finished_at, result',
  scope: ['account_id'],
});

/** The account's runs, newest first, those within runs over all accounts too. */
export async function listDailyRuns(
  database: Database,
  accountId: string,
  page: PageQuery,
): Promise<RequestOutput<typeof contract>> {
  const { data, ...rest } = await runsOfAccount(database, [accountId], page);
  const runs = data.map((row) => ({
    ...row,
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }));
  return { data: runs, ...rest };
}
