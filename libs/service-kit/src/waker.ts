/** A sleep that can be cut short. A wake while no task sleeps is remembered, so that none gets lost. */
export interface Waker {
  wake(): void;
  /** @returns whether a wake ended it, or had come before */
  sleep(limitMs: number): Promise<boolean>;
}

export function createWaker(): Waker {
  let woken = false;
  let rouse: (() => void) | undefined;
  return {
    wake: () => {
      woken = true;
      rouse?.();
    },
    sleep: async (limitMs) => {
      if (!woken) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, limitMs);
          rouse = () => {
            clearTimeout(timer);
            resolve();
          };
        });
        rouse = undefined;
      }
      const wasWoken = woken;
      woken = false;
      return wasWoken;
    },
  };
}
