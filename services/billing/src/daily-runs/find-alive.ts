import { type Database, statement } from '@app/service-kit/database';
import type { DailyRunRow } from './daily-run-rows.ts';

/** A run holds its account's lock for as long as its process lives: see `single-flight.ts`, which looks in the same way. */
const aliveStatement = statement(
  'daily-runs-alive',
  `select not pg_try_advisory_xact_lock_shared(hashtextextended('daily_runs:' || $1::text, 0)) as alive`,
);

/** Whether a run of the account without an end is under way; it is not asked where each of them has ended. */
export async function findAlive(
  { pool }: Pick<Database, 'pool'>,
  accountId: string,
  runs: readonly Pick<DailyRunRow, 'finished_at'>[],
): Promise<boolean> {
  if (runs.every(({ finished_at }) => finished_at !== null)) return false;
  const { rows } = await pool.query<{ alive: boolean }>(aliveStatement([accountId]));
  return rows[0]?.alive ?? false;
}
