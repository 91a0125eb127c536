import { minuteMs, minuteSeconds } from '@app/contracts/durations';

/** By default: 20,000 of about 200 bytes are 4 MB. */
const callersMax = 20_000;

/** A caller's minute, as this process has it. */
export interface Minute {
  /** By `performance.now()`. */
  endsAtMs: number;
}

/** The minutes of callers. Those that have ended are dropped, and the oldest ones while there are too many. */
export class Minutes<M extends Minute> {
  readonly #max: number;
  readonly #begin: (caller: string, endsAtMs: number) => M;
  // In the order in which they began, so that `#drop` finds the oldest first.
  readonly #byCaller = new Map<string, M>();

  /** @param begin makes the minute of a caller that has none */
  constructor(begin: (caller: string, endsAtMs: number) => M, max = callersMax) {
    this.#begin = begin;
    this.#max = max;
  }

  /** The minute of this caller that goes on, or a new one. */
  of(caller: string): M {
    const nowMs = performance.now();
    const current = this.#byCaller.get(caller);
    if (current !== undefined && nowMs < current.endsAtMs) return current;
    this.#byCaller.delete(caller);
    this.#drop(nowMs);
    const begun = this.#begin(caller, nowMs + minuteMs);
    this.#byCaller.set(caller, begun);
    return begun;
  }

  #drop(nowMs: number): void {
    for (const [caller, { endsAtMs }] of this.#byCaller) {
      if (nowMs < endsAtMs && this.#byCaller.size < this.#max) return;
      this.#byCaller.delete(caller);
    }
  }
}

/** Seconds until the minute ends, at least 1 and never more than it has. */
export function resetSecondsOf({ endsAtMs }: Minute): number {
  const seconds = Math.ceil((endsAtMs - performance.now()) / 1000);
  return Math.min(minuteSeconds, Math.max(1, seconds));
}
