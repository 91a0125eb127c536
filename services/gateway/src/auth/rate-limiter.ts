/** One caller's minute. */
export interface Window {
  readonly startedMs: number;
  count: number;
}

/**
 * Fixed windows: each caller's minute begins with its first request. Per process: n replicas together allow n times
 * the limit, so that a flood of callers whom nobody knows costs no question to the database.
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

  /** Counts one request of the caller; refused when its window's count is beyond the limit. */
  take(caller: string, nowMs: number): Window {
    const current = this.#windows.get(caller);
    if (current !== undefined && nowMs - current.startedMs < this.#windowMs) {
      current.count += 1;
      return current;
    }
    // Windows lie in the map in the order they began, so that the first ones are the first to go.
    this.#windows.delete(caller);
    this.#forget(nowMs);
    const begun = { startedMs: nowMs, count: 1 };
    this.#windows.set(caller, begun);
    return begun;
  }

  /** One request of this window turned out not to count. */
  release(window: Window): void {
    window.count -= 1;
  }

  allowed(window: Window): boolean {
    return window.count <= this.limit;
  }

  /** Seconds until the window ends, at least 1 and never more than it has. */
  resetSeconds(window: Window, nowMs: number): number {
    // Subtracted in this order, so that a window that has just begun lasts no fraction of a microsecond too long.
    return Math.max(1, Math.ceil((this.#windowMs - (nowMs - window.startedMs)) / 1000));
  }

  remaining(window: Window): number {
    return Math.max(0, this.limit - window.count);
  }

  /** Drops what has ended, and the oldest ones when there are still too many. */
  #forget(nowMs: number): void {
    for (const [caller, window] of this.#windows) {
      const ended = nowMs - window.startedMs >= this.#windowMs;
      if (!ended && this.#windows.size < this.#maxCallers) return;
      this.#windows.delete(caller);
    }
  }
}
