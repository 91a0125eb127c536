import type { DomainError } from '@app/contracts/errors';
import { createSemaphore, type Semaphore } from '@app/service-kit/semaphore';

/** Runs a caller's work when it is its turn; the callers do not wait for each other. */
export type Turns = <T>(caller: string, work: () => Promise<T>) => Promise<T>;

export interface TurnLimits {
  /** Pieces of work that one caller has under way at once. */
  readonly atOnce: number;
  /** How long work waits for its turn, in milliseconds. */
  readonly withinMs: number;
  /** Thrown when that was too long: the work was not begun. */
  tooLate(): DomainError;
}

export function createTurns({ atOnce, withinMs, tooLate }: TurnLimits): Turns {
  const lines = new Map<string, { readonly line: Semaphore; count: number }>();
  return async (caller, work) => {
    const turns = lines.get(caller) ?? { line: createSemaphore(atOnce), count: 0 };
    lines.set(caller, turns);
    turns.count += 1;
    try {
      const done = await turns.line.runBefore(Date.now() + withinMs, async () => ({ value: await work() }));
      if (done === undefined) throw tooLate();
      return done.value;
    } finally {
      turns.count -= 1;
      if (turns.count === 0) lines.delete(caller);
    }
  };
}
