import { setTimeout as sleep } from 'node:timers/promises';

/** After this a test has failed: the machine may be slow, but what comes at all comes long before. */
const arriveWithinMs = 45_000;

/** A list that grows while a test runs, and that the test can wait for. */
export interface Arrivals<T> {
  readonly list: readonly T[];
  push(item: T): void;
  /** Forgets what has arrived. */
  clear(): void;
  /**
   * Resolves with the first `count` that match, of those that have arrived since position `from` and of those to come.
   * @throws when they have not arrived within 45 s, with what has arrived instead
   */
  wait(count: number, options?: WaitOptions<T>): Promise<T[]>;
}

interface WaitOptions<T> {
  readonly matches?: (item: T) => boolean;
  readonly from?: number;
  /** What is waited for, in the failure. */
  readonly what?: string;
  /** Which of the others the failure shows; all unless given. */
  readonly isAkin?: (item: T) => boolean;
}

export function createArrivals<T>(): Arrivals<T> {
  const list: T[] = [];
  const waiting = new Set<() => void>();
  return {
    list,
    push: (item) => {
      list.push(item);
      for (const check of [...waiting]) check();
    },
    clear: () => void list.splice(0),
    wait: async (count, { matches = () => true, from = 0, what = 'arrivals', isAkin = () => true } = {}) => {
      const found: T[] = [];
      let next = from;
      const isComplete = (): boolean => {
        for (; next < list.length && found.length < count; next++) {
          const item = list[next] as T;
          if (matches(item)) found.push(item);
        }
        return found.length >= count;
      };
      if (isComplete()) return found;
      const { promise, resolve } = Promise.withResolvers<void>();
      const check = (): void => {
        if (isComplete()) resolve();
      };
      waiting.add(check);
      const limit = new AbortController();
      const over = sleep(arriveWithinMs, true, { signal: limit.signal }).catch(() => false);
      try {
        if ((await Promise.race([promise, over])) !== true) return found;
      } finally {
        waiting.delete(check);
        limit.abort();
      }
      const instead = JSON.stringify(list.slice(from).filter(isAkin).slice(-20), null, 1);
      throw new Error(`${found.length} of ${count} ${what} within ${arriveWithinMs / 1_000} s; instead: ${instead}`);
    },
  };
}
