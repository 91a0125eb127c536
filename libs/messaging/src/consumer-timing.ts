/** Pauses and limits of consuming, in milliseconds of real time. */
export interface ConsumerTiming {
  /** Before an event that failed is delivered again; doubled with each further attempt. */
  readonly retryMs: number;
  /** Before a batch that the database did not take is attempted again; doubled with each further attempt, up to 5,000. */
  readonly outageMs: number;
  /** Between two scans for dead letters whose replay was requested. */
  readonly replayMs: number;
  /** Before a durable that could not be opened is opened again: at first 50, doubled with each attempt up to this. */
  readonly reopenMs: number;
}

export const usualTiming: ConsumerTiming = {
  retryMs: 1_000,
  outageMs: 500,
  replayMs: 2_000,
  reopenMs: 500,
};
