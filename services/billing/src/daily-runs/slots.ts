/** Lets at most `max` pieces of work run at once; others wait their turn. */
export interface Slots {
  use<T>(work: () => Promise<T>): Promise<T>;
}

export function createSlots(max: number): Slots {
  const waiting: Array<() => void> = [];
  let free = max;
  return {
    use: async (work) => {
      if (free > 0) free -= 1;
      else await new Promise<void>((resolve) => waiting.push(resolve));
      try {
        return await work();
      } finally {
        // The slot is handed on, or becomes free.
        const next = waiting.shift();
        if (next === undefined) free += 1;
        else next();
      }
    },
  };
}
