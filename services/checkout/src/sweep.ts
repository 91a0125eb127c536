import type { Logger } from '@app/service-kit/logger';
import { createWaker } from '@app/service-kit/waker';

const everyMs = 60_000;

/**
 * Does the work at the start and then every minute; a run that fails is logged, and the next one goes on.
 * @param work is to end soon once the function that it is given says so
 */
export function startSweep(
  work: (closing: () => boolean) => Promise<void>,
  logger: Logger,
): { close(): Promise<void> } {
  const waker = createWaker();
  let closing = false;
  const running = (async () => {
    while (!closing) {
      await work(() => closing).catch((err: unknown) =>
        logger.warn({ err }, 'a sweep failed; the next one starts in a minute'),
      );
      if (!closing) await waker.sleep(everyMs);
    }
  })();
  return {
    close: async () => {
      closing = true;
      waker.wake();
      await running;
    },
  };
}
