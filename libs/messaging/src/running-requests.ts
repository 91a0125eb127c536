import { within } from '@app/service-kit/within';

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

/** @param signEveryMs a sixth of the time after which a caller takes a service for one that hangs */
export function createRunningRequests(signEveryMs = 500): RunningRequests {
  const entries = new Set<RequestSigns>();
  let timer: NodeJS.Timeout | undefined;
  let whenIdle: (() => void) | undefined;
  const sweep = (): void => {
    for (const signs of entries) signs.working();
  };
  const remove = (signs: RequestSigns): boolean => {
    const there = entries.delete(signs);
    if (entries.size === 0) {
      clearInterval(timer);
      timer = undefined;
      whenIdle?.();
    }
    return there;
  };
  return {
    begin: (signs) => {
      entries.add(signs);
      timer ??= setInterval(sweep, signEveryMs);
      return { end: (reply) => (remove(signs) ? reply() : undefined) };
    },
    finish: async (limitMs) => {
      if (entries.size === 0) return;
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
      await within(limitMs, idle, () => undefined);
      for (const signs of [...entries]) if (remove(signs)) signs.cutOff();
    },
  };
}
