import { definePoint } from './points.ts';
import { createWaker } from './waker.ts';

/** A round of a background loop has ended, with or without a failure. */
export const roundEnded = definePoint<{ readonly loop: string; readonly failed: boolean }>('service-kit.round-ended');

/** Work in the background of a process, round after round, until it is closed. */
export interface BackgroundLoop {
  /** Begins the next round now, or right after the one under way. */
  wake(): void;
  /** Resolves when no round is under way. */
  close(): Promise<void>;
}

export interface LoopOptions {
  /** Its service, but for loops of every service, and what it does: `billing.payments`, `retention`. */
  readonly name: string;
  /** One round; it is to end soon once the function that it is given says that the loop is closing. */
  readonly round: (isClosing: () => boolean) => Promise<unknown>;
  /** Rounds are left out while it says so. */
  readonly held?: () => boolean;
  /** Milliseconds of real time before the first round; it begins at once unless given. */
  readonly firstAfterMs?: number;
  /** Milliseconds of real time between the end of a round and the next one. */
  readonly pauseMs: () => number;
  /**
   * Called with the reason of a failed round, or with what `pauseMs` throws; the loop goes on. What fails while the loop
   * closes is not reported.
   */
  readonly onFailure: (err: unknown) => void;
}

/** Where the pause is not known. */
const unknownPauseMs = 10_000;

/** Does a round, at once unless `firstAfterMs` is given, and then after each pause, one at a time. */
export function startLoop({ name, round, held, firstAfterMs = 0, pauseMs, onFailure }: LoopOptions): BackgroundLoop {
  const waker = createWaker();
  let closing = false;
  const isClosing = (): boolean => closing;
  // An error in either is of this process's own code: its end would take the other loops with it.
  const report = (err: unknown): void => {
    try {
      onFailure(err);
    } catch (cause) {
      process.emitWarning(cause instanceof Error ? cause : String(cause));
    }
  };
  const nextPauseMs = (): number => {
    try {
      return pauseMs();
    } catch (err) {
      report(err);
      return unknownPauseMs;
    }
  };
  const roundUnlessHeld = async (): Promise<void> => {
    if (held?.() !== true) await round(isClosing);
  };
  const running = (async () => {
    if (firstAfterMs > 0) await waker.sleep(firstAfterMs);
    while (!closing) {
      let failed = false;
      try {
        await roundUnlessHeld();
      } catch (err) {
        failed = true;
        if (!closing) report(err);
      }
      roundEnded.announce(() => ({ loop: name, failed }));
      if (!closing) await waker.sleep(nextPauseMs());
    }
  })();
  return {
    wake: waker.wake,
    close: async () => {
      closing = true;
      waker.wake();
      await running;
    },
  };
}
