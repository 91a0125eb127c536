/** By default: 20,000 of about 200 bytes are 4 MB. */
const callersMax = 20_000;

/** A caller's window, as this process has it. */
export interface CallerWindow {
  /** By `performance.now()`. */
  endsAtMs: number;
}

/** The windows of callers. Those that have ended are dropped, and the oldest ones while there are too many. */
export class CallerWindows<W extends CallerWindow> {
  readonly #seconds: number;
  readonly #max: number;
  readonly #begin: (caller: string, endsAtMs: number) => W;
  // In the order in which they began, so that `#drop` finds the oldest first.
  readonly #byCaller = new Map<string, W>();

  /**
   * @param seconds that each window lasts
   * @param begin makes the window of a caller that has none
   */
  constructor(seconds: number, begin: (caller: string, endsAtMs: number) => W, max = callersMax) {
    this.#seconds = seconds;
    this.#begin = begin;
    this.#max = max;
  }

  /** The window of this caller that goes on, or a new one. */
  of(caller: string): W {
    const nowMs = performance.now();
    const current = this.#byCaller.get(caller);
    if (current !== undefined && nowMs < current.endsAtMs) return current;
    this.#byCaller.delete(caller);
    this.#drop(nowMs);
    const begun = this.#begin(caller, nowMs + this.#seconds * 1_000);
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

/** Seconds until the window ends, at least 1 and never more than it lasts. */
export function resetSecondsOf({ endsAtMs }: CallerWindow, seconds: number): number {
  return Math.min(seconds, Math.max(1, Math.ceil((endsAtMs - performance.now()) / 1_000)));
}
