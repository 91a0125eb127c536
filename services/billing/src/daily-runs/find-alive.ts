import { isRunning } from '@app/messaging/single-flight';
import type { Database } from '@app/service-kit/database';
import type { DailyRunRow } from './daily-run-rows.ts';
import { dailyRuns } from './start-daily-run.ts';

/** Whether a run of the account without an end is under way; it is not asked where each of them has ended. */
export const findAlive = async (
  database: Pick<Database, 'pool'>,
  accountId: string,
  runs: readonly Pick<DailyRunRow, 'finished_at'>[],
): Promise<boolean> =>
  runs.some(({ finished_at }) => finished_at === null) && (await isRunning(database, dailyRuns, accountId));
