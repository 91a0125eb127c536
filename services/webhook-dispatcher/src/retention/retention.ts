import type { Clock } from '@app/service-kit/clock';
import type { Database } from '@app/service-kit/database';
import type { Logger } from '@app/service-kit/logger';
import { createWaker } from '@app/service-kit/waker';
import { forgetOutdated } from './forget-outdated.ts';

const everyMs = 60 * 60 * 1000;

/** Forgets what has had its time: at the start and then hourly. */
export function startRetention(options: { database: Database; clock: Clock; logger: Logger }): {
  close(): Promise<void>;
} {
  const { database, clock, logger } = options;
  const waker = createWaker();
  let closing = false;
  const running = (async () => {
    while (!closing) {
      await forgetOutdated(database, clock, () => closing).catch((err: unknown) =>
        logger.warn({ err }, 'what is outdated was not all forgotten; it goes on in an hour'),
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
