import type { PageQuery } from '@app/contracts/common';
import type { listDailyRuns as contract } from '@app/contracts/daily-runs';
import type { RequestOutput } from '@app/contracts/define';
import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';
import { type DailyRunRow, dailyRunOf, dailyRunTypes, findAlive } from './daily-run-rows.ts';

const runsOfAccount = pagedList<DailyRunRow>({
  name: 'daily-runs',
  table: 'daily_runs',
  row: dailyRunTypes,
  scope: ['account_id'],
});

/** The account's runs, newest first, those within runs over all accounts too. */
export async function listDailyRuns(
  { database, clock }: { database: Database; clock: Clock },
  accountId: string,
  page: PageQuery,
): Promise<RequestOutput<typeof contract>> {
  const { data, ...rest } = await runsOfAccount(database, [accountId], page);
  const now = clock.now();
  const alive = await findAlive(database, accountId, data);
  return { data: data.map((row) => dailyRunOf(row, now, alive)), ...rest };
}
