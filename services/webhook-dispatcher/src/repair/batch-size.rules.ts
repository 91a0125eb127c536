/**
 * How many deliveries a recovery enqueues now. Recovered deliveries go out after all others of their endpoint, so the
 * bounds protect the receiver and not the fresh events.
 */

/**
 * A receiver that has just come back gets 50 a second beside its fresh events: 100,000 deliveries take 34 minutes, a
 * small shop's server bears it, and twenty recoveries at once are 1,000 a second, a fifth of what one process sends.
 */
export const recoveryPerSecond = 50;

/** Four seconds of the rate: a receiver that takes fewer stops the recovery, and a restart finds only this many in line. */
export const inLineMax = 200;

/**
 * Deliveries that the receiver has refused wait for hours for their next attempt, and must not stop the recovery for as long.
 * This many of them do, because a receiver that refuses so much will refuse the rest too.
 */
export const waitingMax = 1_000;

/** With this many failures and no success between, the receiver is down, and not just one body bad. */
export const failuresMax = 10;
/** While the receiver is down, one delivery at a time checks whether it is back. */
export const probeIntervalMs = 30_000;

/** Several wakes at once must not make a transaction for each delivery. */
const batchIntervalMs = 200;
/** A transaction of at most about 20 ms. */
const batchMax = 500;

export interface EnqueueState {
  readonly perSecond: number;
  /** Since the batch before; null before the first. */
  readonly elapsedMs: number | null;
  /** Enqueued, and due or in flight. */
  readonly inLine: number;
  /** Enqueued, failed, and waiting for the next attempt. */
  readonly waiting: number;
  /** Failed attempts of the endpoint since its last success. */
  readonly failures: number;
}

/** The size of the next batch; 0 while the recovery has to wait. The first batch is a second's worth, at once. */
export function nextBatch({ perSecond, elapsedMs, inLine, waiting, failures }: EnqueueState): number {
  if (waiting >= waitingMax) return 0;
  const passedMs = elapsedMs ?? Number.POSITIVE_INFINITY;
  if (failures >= failuresMax) return inLine === 0 && passedMs >= probeIntervalMs ? 1 : 0;
  if (passedMs < batchIntervalMs) return 0;
  const earned = Math.min(perSecond, Math.floor((perSecond * passedMs) / 1_000));
  return Math.max(0, Math.min(earned, inLineMax - inLine, batchMax));
}
