import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { createWaker } from '@app/service-kit/waker';
import { applyRetention } from './apply-retention.ts';

const runIntervalMs = 60 * 60 * 1000;

/** Applies the retention at the start and then hourly. */
export function startRetention(options: { database: Database; clock: Clock; logger: Logger }): {
  close(): Promise<void>;
} {
  const { database, clock, logger } = options;
  const waker = createWaker();
  let closing = false;
  const running = (async () => {
    while (!closing) {
      await applyRetention(database, clock, () => closing).catch((err: unknown) =>
        logger.warn({ err }, 'the retention run failed; the next one starts in an hour'),
      );
      if (!closing) await waker.sleep(runIntervalMs);
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
