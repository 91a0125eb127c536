import { definePoint } from '@app/service-kit/points';

interface OfRun {
  /** The table that has the run's row, as in `daily_runs`. */
  readonly table: string;
  /** '' for the run over all accounts. */
  readonly accountId: string;
  readonly runId: string;
}

/** A run holds the run lock of its account, and its row is committed; its work begins. */
export const runBegan = definePoint<OfRun>('runs.run-began');

/** A request found a run of its account under way, and its command row says that it waits for that run's result. */
export const runJoined = definePoint<OfRun & { readonly joinedRunId: string }>('runs.run-joined');

/** The row of a run is finished, with its result or without one. Its run lock is released next. */
export const runEnded = definePoint<OfRun & { readonly hasResult: boolean }>('runs.run-ended');

/** The row of a run says how far it is. */
export const progressWritten = definePoint<OfRun & { readonly done: number }>('runs.progress-written');
