import type { PageQuery } from '@app/contracts/common';
import type { BooksComparison, listDailyRuns as contract, DailyResult } from '@app/contracts/daily-runs';
import type { RequestOutput } from '@app/contracts/define';
import type { Database } from '@app/service-kit/database';
import { pagedList } from '@app/service-kit/paging';

interface RunRow {
  readonly done: number | null;
  readonly left_to_do: number | null;
  readonly recovery: DailyResult['recovery'] | null;
  readonly books: BooksComparison | null;
  readonly id: string;
  readonly started_at: Date;
  readonly finished_at: Date | null;
  readonly result: DailyResult | null;
}

const runsOfAccount = pagedList<RunRow>({
  name: 'daily-runs',
  table: 'daily_runs',
  columns: 'id, started_at, finished_at, result, done, left_to_do, recovery, books',
  scope: ['account_id'],
});

/** The account's runs, newest first, those within runs over all accounts too. */
export async function listDailyRuns(
  database: Database,
  accountId: string,
  page: PageQuery,
): Promise<RequestOutput<typeof contract>> {
  const { data, ...rest } = await runsOfAccount(database, [accountId], page);
  const runs = data.map(resourceOf);
  return { data: runs, ...rest };
}

function resourceOf({ id, started_at, finished_at, result, done, left_to_do, recovery, books }: RunRow) {
  const seconds = ((finished_at?.getTime() ?? Date.now()) - started_at.getTime()) / 1_000;
  return {
    id,
    started_at: started_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    result: result && { ...result, recovery: recovery ?? result.recovery, problems: result.problems ?? [] },
    progress:
      done === null ? null : { done, left: left_to_do ?? 0, per_second: seconds > 0 ? Math.round(done / seconds) : 0 },
    books,
  };
}
