import type { BooksComparison, DailyResult, dailyRunResource } from '@app/contracts/daily-runs';
import { isRunning } from '@app/runs/run-lock';
import type { ColumnsOf, Database } from '@app/service-kit/database';
import type { z } from 'zod';
import { noCounts, resultOf } from '../runs/daily-counts.rules.ts';
import { dailyRuns } from './start-daily-run.ts';

export interface DailyRunRow {
  readonly id: string;
  readonly started_at: Date;
  readonly finished_at: Date | null;
  readonly result: DailyResult | null;
  readonly done: number | null;
  readonly left_to_do: number | null;
  /** Checkout's part; `problem` says why it was not ok. */
  readonly recovery: (DailyResult['recovery'] & { readonly problem?: string | null }) | null;
  readonly books: BooksComparison | null;
}

export const dailyRunTypes: ColumnsOf<DailyRunRow> = {
  id: 'text',
  started_at: 'timestamptz',
  finished_at: 'timestamptz',
  result: 'jsonb',
  done: 'int4',
  left_to_do: 'int4',
  recovery: 'jsonb',
  books: 'jsonb',
};

/** Whether a run of the account without an end is under way; it is not read where each of them has ended. */
export const findAlive = async (
  database: Pick<Database, 'pool'>,
  accountId: string,
  runs: readonly Pick<DailyRunRow, 'finished_at'>[],
): Promise<boolean> =>
  runs.some(({ finished_at }) => finished_at === null) && (await isRunning(database, dailyRuns, accountId));

/**
 * @param now of the clock that dates the rows
 * @param alive whether a run of the account is under way: one without an end that is not has lost its process
 */
export function dailyRunOf(row: DailyRunRow, now: Date, alive: boolean): z.output<typeof dailyRunResource> {
  const { id, started_at, finished_at, done, left_to_do: left, books } = row;
  const seconds = Math.max(1, ((finished_at ?? now).getTime() - started_at.getTime()) / 1_000);
  const result = resultOfRow(row);
  const running = finished_at === null && alive;
  return {
    id,
    status: running ? 'running' : finished_at === null || result === null ? 'interrupted' : 'finished',
    started_at: started_at.toISOString(),
    finished_at: finished_at?.toISOString() ?? null,
    result,
    progress: done === null ? null : { done, left: left ?? 0, per_second: Math.round((10 * done) / seconds) / 10 },
    books,
  };
}

function resultOfRow({ result, recovery, done, left_to_do }: DailyRunRow): DailyResult | null {
  // Nothing else of the account was due: only reminders were sent.
  const remindersAlone = recovery !== null && done === 0 && left_to_do === 0;
  const kept = result ?? (remindersAlone ? resultOf(noCounts()) : null);
  if (kept === null) return null;
  const { problems, ...rest } = kept;
  if (recovery === null) return { ...rest, problems };
  const { problem = null, ...sent } = recovery;
  if (problem === null) return { ...rest, recovery: sent, problems };
  const failed = { code: 'reminders_failed', detail: problem } as const;
  return { ...rest, ok: false, recovery: sent, problems: [...problems, failed] };
}
