const tickMs = 200;
/** Above what garbage collection or a long computation takes. */
const stallMinMs = 1_000;
/** What arrived during a stall is read within this after its end. */
const readWithinMs = 1_000;

/**
 * Notices when this process stood still (SIGSTOP, a frozen machine). What is read just after that may have waited all
 * the while, here or in the server: it says so itself only by the sender's clock, which need not agree with ours.
 */
export interface StallWatch {
  /** How long, in milliseconds, a message that is read now may have waited; 0 in a process that runs. */
  waitedMs(): number;
  close(): void;
}

export function watchStalls(): StallWatch {
  let tickedMs = performance.now();
  let stall = { startedMs: Number.NEGATIVE_INFINITY, endedMs: Number.NEGATIVE_INFINITY };
  const look = (): number => {
    const nowMs = performance.now();
    if (nowMs - tickedMs > stallMinMs) stall = { startedMs: tickedMs, endedMs: nowMs };
    tickedMs = nowMs;
    return nowMs;
  };
  const timer = setInterval(look, tickMs);
  timer.unref();
  return {
    waitedMs: () => {
      const nowMs = look();
      return nowMs - stall.endedMs < readWithinMs ? nowMs - stall.startedMs : 0;
    },
    close: () => clearInterval(timer),
  };
}
