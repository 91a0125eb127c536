import { within } from '@app/service-kit/within';

/** Requests that were begun and not replied to. */
export interface RunningRequests {
  /**
   * @param reply where its reply goes, which names the call: undefined when a request of the same call is running, since the reply
   * to that one is for this one too
   * @param cutOff replies to the caller that this replica gives no result
   * @returns `end`, which runs `reply` unless the request was cut off meanwhile
   */
  begin(reply: string, cutOff: () => void): { end(reply: () => void): void } | undefined;
  /** Waits for all of them, but not longer than this, in milliseconds; cuts off those that are left. */
  finish(limitMs: number): Promise<void>;
}

export function createRunningRequests(): RunningRequests {
  const running = new Map<string, () => void>();
  let whenIdle: (() => void) | undefined;
  return {
    begin: (name, cutOff) => {
      if (running.has(name)) return undefined;
      running.set(name, cutOff);
      return {
        end: (reply) => {
          if (running.get(name) !== cutOff) return;
          running.delete(name);
          if (running.size === 0) whenIdle?.();
          reply();
        },
      };
    },
    finish: async (limitMs) => {
      if (running.size === 0) return;
      const idle = new Promise<void>((resolve) => {
        whenIdle = resolve;
      });
      await within(limitMs, idle, () => undefined);
      const cutOffs = [...running.values()];
      running.clear();
      for (const cutOff of cutOffs) cutOff();
    },
  };
}
