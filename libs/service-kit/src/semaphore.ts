/** Lets a limited number of pieces of work run at once; others wait, first come, first served. */
export interface Semaphore {
  run<T>(work: () => Promise<T>): Promise<T>;
  /**
   * As `run`, but undefined when the deadline (milliseconds since the epoch, real time) passed before the work could
   * begin.
   */
  runBefore<T>(deadlineMs: number, work: () => Promise<T>): Promise<T | undefined>;
}

export function createSemaphore(max: number): Semaphore {
  const waiting = new Set<() => void>();
  let free = max;
  const acquire = async (deadlineMs: number): Promise<boolean> => {
    if (free > 0) {
      free -= 1;
      return true;
    }
    return await waitInLine(waiting, deadlineMs);
  };
  // The next waiter takes over the permit; without one it becomes free.
  const release = (): void => {
    const [next] = waiting;
    if (next === undefined) free += 1;
    else next();
  };
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } finally {
      release();
    }
  };
  return {
    run: async (work) => {
      await acquire(Number.POSITIVE_INFINITY);
      return await run(work);
    },
    runBefore: async (deadlineMs, work) => ((await acquire(deadlineMs)) ? await run(work) : undefined),
  };
}

/** Resolves true with a permit, and false when the deadline passed. */
function waitInLine(waiting: Set<() => void>, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const end = (granted: boolean): void => {
      clearTimeout(timer);
      waiting.delete(next);
      resolve(granted);
    };
    const next = (): void => end(true);
    waiting.add(next);
    // A timer cannot wait infinitely long.
    if (deadlineMs !== Number.POSITIVE_INFINITY) timer = setTimeout(() => end(false), deadlineMs - Date.now());
  });
}
