/** The window of one client. */
export interface Window {
  readonly startedMs: number;
  count: number;
}

/**
 * Fixed windows: a client's window begins with its first request. Each process counts alone, so that a flood of unknown
 * clients costs no statement: n replicas together allow n times the limit.
 */
export class RateLimiter {
  readonly limit: number;
  readonly #windowMs: number;
  readonly #maxCallers: number;
  readonly #windows = new Map<string, Window>();

  /** @param maxCallers callers remembered at once; 20,000 of about 150 bytes are 3 MB */
  constructor(limit: number, windowMs = 60_000, maxCallers = 20_000) {
    this.limit = limit;
    this.#windowMs = windowMs;
    this.#maxCallers = maxCallers;
  }

  /** Counts one request; `allowed` tells whether the window is within the limit. */
  take(caller: string, nowMs: number): Window {
    const current = this.#windows.get(caller);
    if (current !== undefined && nowMs - current.startedMs < this.#windowMs) {
      current.count += 1;
      return current;
    }
    // The map holds the windows in the order in which they began, so that `#forget` finds the oldest first.
    this.#windows.delete(caller);
    this.#forget(nowMs);
    const begun = { startedMs: nowMs, count: 1 };
    this.#windows.set(caller, begun);
    return begun;
  }

  /** Takes back one request of this window that does not count after all. */
  release(window: Window): void {
    window.count -= 1;
  }

  allowed(window: Window): boolean {
    return window.count <= this.limit;
  }

  /** Seconds until the window ends, at least 1 and never more than it has. */
  resetSeconds(window: Window, nowMs: number): number {
    // The order of subtraction keeps rounding errors from making a new window longer than it is.
    return Math.max(1, Math.ceil((this.#windowMs - (nowMs - window.startedMs)) / 1000));
  }

  remaining(window: Window): number {
    return Math.max(0, this.limit - window.count);
  }

  /** Drops ended windows, and the oldest ones while there are still too many. */
  #forget(nowMs: number): void {
    for (const [caller, window] of this.#windows) {
      const ended = nowMs - window.startedMs >= this.#windowMs;
      if (!ended && this.#windows.size < this.#maxCallers) return;
      this.#windows.delete(caller);
    }
  }
}
