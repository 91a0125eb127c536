/** Tasks that one producer starts, a limited number at a time. */
export interface TaskGroup {
  /** A task has failed. */
  readonly failed: boolean;
  /** Resolves as soon as the work has begun. */
  begin(work: () => Promise<void>): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  /** @throws the first failure */
  throwFailure(): void;
}

/** For one producer: two that begin at the same time would take one slot. */
export function createTaskGroup(max: number): TaskGroup {
  let free = max;
  let failures: unknown[] = [];
  let whenFree: (() => void) | undefined;
  const slotsFree = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (free < count) return;
        whenFree = undefined;
        resolve();
      };
      whenFree = check;
      check();
    });
  const run = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (err) {
      failures = [...failures, err];
    }
    free += 1;
    whenFree?.();
  };
  return {
    get failed() {
      return failures.length > 0;
    },
    begin: async (work) => {
      if (free === 0) await slotsFree(1);
      free -= 1;
      void run(work);
    },
    idle: () => slotsFree(max),
    throwFailure: () => {
      if (failures.length > 0) throw failures[0];
    },
  };
}
