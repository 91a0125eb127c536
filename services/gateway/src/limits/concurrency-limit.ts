import type { DomainError } from '@app/contracts/errors';
import { createSemaphore, type Semaphore } from '@app/service-kit/semaphore';

/** Runs a caller's work as soon as the caller has a free slot; the callers do not wait for each other. */
export type ConcurrencyLimit = <T>(caller: string, work: () => Promise<T>) => Promise<T>;

export interface ConcurrencyOptions {
  /** Slots of each caller: the pieces of its work that are under way at once. */
  readonly atOnce: number;
  /** How long work waits for a slot, in milliseconds. */
  readonly withinMs: number;
  /** Thrown when that was too long: the work was not begun. */
  tooLate(): DomainError;
}

export function createConcurrencyLimit({ atOnce, withinMs, tooLate }: ConcurrencyOptions): ConcurrencyLimit {
  const callers = new Map<string, { readonly slots: Semaphore; count: number }>();
  return async (caller, work) => {
    const own = callers.get(caller) ?? { slots: createSemaphore(atOnce), count: 0 };
    callers.set(caller, own);
    own.count += 1;
    try {
      const done = await own.slots.runBefore(Date.now() + withinMs, async () => ({ value: await work() }));
      if (done === undefined) throw tooLate();
      return done.value;
    } finally {
      own.count -= 1;
      if (own.count === 0) callers.delete(caller);
    }
  };
}
