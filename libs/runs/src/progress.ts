import { startLoop } from '@app/service-kit/background-loop';
import { type Database, statement } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { progressWritten } from './points.ts';

/** How far a run is. A step says what it found due, and what of it is done. */
export interface Progress {
  expect(n: number): void;
  done(n: number): void;
}

/** A table of runs with the columns `done` and `left_to_do`, and the statement that writes them. */
interface ProgressTable {
  readonly table: string;
  readonly write: ReturnType<typeof statement>;
}

/** Of a run that is under way alone: what is written late changes no finished row. */
export const progressTable = (table: string): ProgressTable => ({
  table,
  write: statement(
    `${table.replaceAll('_', '-')}-progress`,
    `update ${table} set done = $3, left_to_do = $4 where account_id = $1 and id = $2 and finished_at is null`,
  ),
});

export interface ProgressDeps {
  readonly database: Database;
  readonly logger: Logger;
  /** Milliseconds between two writes; a second unless given. */
  readonly progressEveryMs?: number;
}

export interface WrittenProgress extends Progress {
  /** Writes what is not written yet, and no more after it. */
  close(): Promise<void>;
}

/**
 * Writes the progress of a run to its row in this interval, if it changed. A write that fails costs no run its work.
 */
export function startProgress(
  { database, logger, progressEveryMs = 1_000 }: ProgressDeps,
  { table, write: writeTo }: ProgressTable,
  run: { readonly accountId: string; readonly runId: string },
): WrittenProgress {
  let expected = 0;
  let done = 0;
  let changed = false;
  const write = async (): Promise<void> => {
    if (!changed) return;
    changed = false;
    const written = done;
    try {
      const values = [run.accountId, run.runId, written, Math.max(0, expected - written)];
      await database.pool.query(writeTo(values));
      progressWritten.announce(() => ({ table, ...run, done: written }));
    } catch (err) {
      changed = true;
      throw err;
    }
  };
  const logFailure = (err: unknown): void => logger.warn({ err, ...run }, 'the progress of a run could not be saved');
  const loop = startLoop({ name: 'progress', round: write, pauseMs: () => progressEveryMs, onFailure: logFailure });
  return {
    expect: (n) => {
      expected += n;
      changed ||= n > 0;
    },
    done: (n) => {
      done += n;
      changed ||= n > 0;
    },
    close: async () => {
      await loop.close();
      await write().catch(logFailure);
    },
  };
}
