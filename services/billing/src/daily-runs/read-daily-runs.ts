import { limits, type PageQuery } from '@app/contracts/common';
import type { RequestOutput } from '@app/contracts/define';
import type { DailyResult, listDailyRuns } from '@app/contracts/subscriptions';
import { type Database, statement } from '@app/service-kit/database';

const newest = statement(
  'daily-runs-newest',
  'select id, started_at, finished_at, result from daily_runs where account_id = $1 order by id desc limit $2',
);
const newestBefore = statement(
  'daily-runs-newest-before',
  'select id, started_at, finished_at, result from daily_runs where account_id = $1 and id < $3 order by id desc limit $2',
);

interface RunRow {
  readonly id: string;
  readonly started_at: Date;
  readonly finished_at: Date | null;
  readonly result: DailyResult | null;
}

/** The account's runs, newest first; its part in runs over all accounts too. */
export async function readDailyRuns(
  database: Database,
  accountId: string,
  page: PageQuery,
): Promise<RequestOutput<typeof listDailyRuns>> {
  const limit = page.limit ?? limits.listMax;
  const values = [accountId, limit + 1];
  const query = page.before === undefined ? newest(values) : newestBefore([...values, page.before]);
  const { rows } = await database.pool.query<RunRow>(query);
  const data = rows.slice(0, limit).map((row) => ({
    ...row,
    started_at: row.started_at.toISOString(),
    finished_at: row.finished_at?.toISOString() ?? null,
  }));
  const paging = page.limit !== undefined || page.before !== undefined;
  return paging ? { data, has_more: rows.length > limit } : { data };
}
