/** Lets at most `max` pieces of work run at once; others wait their turn. */
export interface Slots {
  /** Undefined when the deadline (milliseconds since the epoch, real time) came before the turn. */
  use<T>(deadlineMs: number, work: () => Promise<T>): Promise<T | undefined>;
}

export function createSlots(max: number): Slots {
  const waiting = new Set<() => void>();
  let free = max;
  return {
    use: async (deadlineMs, work) => {
      if (free > 0) free -= 1;
      else if (!(await turn(waiting, deadlineMs))) return undefined;
      try {
        return await work();
      } finally {
        // The slot is handed on, or becomes free.
        const [next] = waiting;
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}

function turn(waiting: Set<() => void>, deadlineMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const settle = (come: boolean): void => {
      clearTimeout(timer);
      waiting.delete(next);
      resolve(come);
    };
    const next = (): void => settle(true);
    waiting.add(next);
    // A timer cannot wait for ever.
    if (deadlineMs !== Number.POSITIVE_INFINITY) timer = setTimeout(() => settle(false), deadlineMs - Date.now());
  });
}
