/** Looks at what is under way so often; a request is first told to be worked on after this, and not after twice this. */
const sweepEveryMs = 100;
const tellEveryMs = 200;

export interface RequestSigns {
  /** Tells the caller that its request is worked on. */
  working(): void;
  /** Tells the caller that there will be no answer from here. */
  cutOff(): void;
}

/** Requests that were begun and not answered. */
export interface RunningRequests {
  /** `end` runs `answer` unless the request was cut off meanwhile. */
  begin(signs: RequestSigns): { end(answer: () => void): void };
  /** Waits for all of them, but not longer than this; cuts off those that are left. */
  finish(limitMs: number): Promise<void>;
}

interface Entry {
  readonly signs: RequestSigns;
  tellMs: number;
}

export function createRunningRequests(): RunningRequests {
  const entries = new Set<Entry>();
  let timer: NodeJS.Timeout | undefined;
  let whenIdle: (() => void) | undefined;
  const sweep = (): void => {
    const nowMs = performance.now();
    for (const entry of entries) {
      if (nowMs < entry.tellMs) continue;
      entry.tellMs = nowMs + tellEveryMs;
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
      const entry = { signs, tellMs: performance.now() + sweepEveryMs };
      entries.add(entry);
      timer ??= setInterval(sweep, sweepEveryMs);
      return {
        end: (answer) => {
          if (remove(entry)) answer();
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
