/** Lets a limited number of pieces of work run at once; others wait, first come, first served. */
export interface Semaphore {
  /** Undefined when the deadline (milliseconds since the epoch, real time) passed before the work could begin. */
  use<T>(deadlineMs: number, work: () => Promise<T>): Promise<T | undefined>;
}

export function createSemaphore(max: number): Semaphore {
  const waiting = new Set<() => void>();
  let free = max;
  return {
    use: async (deadlineMs, work) => {
      if (free > 0) free -= 1;
      else if (!(await permit(waiting, deadlineMs))) return undefined;
      try {
        return await work();
      } finally {
        // The next waiter takes over the permit; without one it becomes free.
        const [next] = waiting;
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

function permit(waiting: Set<() => void>, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (granted: boolean): void => {
      clearTimeout(timer);
      waiting.delete(next);
      resolve(granted);
    };
    const next = (): void => settle(true);
    waiting.add(next);
    // A timer cannot wait infinitely long.
    if (deadlineMs !== Number.POSITIVE_INFINITY) timer = setTimeout(() => settle(false), deadlineMs - Date.now());
  });
}
