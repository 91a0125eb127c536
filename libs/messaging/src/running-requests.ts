/** How often requests under way are checked; the first sign of work on one is sent after this, and not after twice this. */
const sweepEveryMs = 100;
const signEveryMs = 200;

export interface RequestSigns {
  /** Sends the caller a sign that its request is worked on. */
  working(): void;
  /** Replies to the caller that this replica gives no result. */
  cutOff(): void;
}

/** Requests that were begun and not replied to. */
export interface RunningRequests {
  /** `end` runs `reply` unless the request was cut off meanwhile. */
  begin(signs: RequestSigns): { end(reply: () => void): void };
  /** Waits for all of them, but not longer than this; cuts off those that are left. */
  finish(limitMs: number): Promise<void>;
}

interface Entry {
  readonly signs: RequestSigns;
  nextSignMs: number;
}

export function createRunningRequests(): RunningRequests {
  const entries = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  let whenIdle: (() => void) | undefined;
  const sweep = (): void => {
    const nowMs = performance.now();
    for (const entry of entries) {
      if (nowMs < entry.nextSignMs) continue;
      entry.nextSignMs = nowMs + signEveryMs;
      entry.signs.working();
    }
  };
  const remove = (entry: Entry): boolean => {
    const there = entries.delete(entry);
    if (entries.size === 0) {
      clearInterval(timer);
      timer = undefined;
      whenIdle?.();
    }
    return there;
  };
  return {
    begin: (signs) => {
      const entry = { signs, nextSignMs: performance.now() + sweepEveryMs };
      entries.add(entry);
      timer ??= setInterval(sweep, sweepEveryMs);
      return {
        end: (reply) => {
          if (remove(entry)) reply();
        },
      };
    },
    finish: async (limitMs) => {
      if (entries.size === 0) return;
      let limit: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        whenIdle = resolve;
        limit = setTimeout(resolve, limitMs);
      });
      clearTimeout(limit);
      for (const entry of [...entries]) if (remove(entry)) entry.signs.cutOff();
    },
  };
}
