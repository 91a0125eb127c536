/** How a request is waited for, in milliseconds. */
export interface Waiting {
  /** How long its reply is waited for; a caller may wait less. */
  readonly timeoutMs: number;
  /**
   * After how long without a reply it is sent again: its replica may have died or hang, and NATS gives it to any. A replica that
   * works on it already drops what comes again.
   */
  readonly repeatAfterMs: number;
}

/** Unless a definition says something else. */
export const usualWaiting = {
  // Three attempts. More would let a slow database read the same for every replica.
  read: { timeoutMs: 3_000, repeatAfterMs: 1_000 },
  command: { timeoutMs: 10_000, repeatAfterMs: 2_000 },
} as const satisfies Record<string, Waiting>;

/** What takes its time is not asked of another replica sooner: that one would say that it is under way. */
const slowRepeatAfterMs = 5_000;

/** How long a call of a payment processor may take, in milliseconds, where `PROCESSOR_DEADLINE_MS` says nothing else. */
export const processorDeadlineMs = 8_000;

/** Of a command that calls the processor so often in turn, and commits before and after. */
export const processorCalls = (calls: number): Waiting => ({
  timeoutMs: calls * processorDeadlineMs + 2_000,
  repeatAfterMs: slowRepeatAfterMs,
});

/** Time enough to record the reply to an inner request, and to reply in turn, in milliseconds. */
export const answerWithinMs = 1_000;

/** Of a request that makes these in turn while its own caller waits. */
export const around = (...inner: readonly Waiting[]): Waiting => ({
  timeoutMs: inner.reduce((sum, { timeoutMs }) => sum + timeoutMs, answerWithinMs),
  repeatAfterMs: slowRepeatAfterMs,
});

/** Of what takes longer than the usual, up to `timeoutMs`. */
export const slow = (timeoutMs: number): Waiting => ({ timeoutMs, repeatAfterMs: slowRepeatAfterMs });

/**
 * Of a run that takes as long as it takes, in milliseconds. Node's fetch gives up on an answer after 300 s, and so do many
 * proxies; a run that takes longer is answered with 503 before that, and goes on.
 */
export const dailyRunTimeoutMs = 285_000;
