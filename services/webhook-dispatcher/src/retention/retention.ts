import type { Logger } from '@app/service-kit/logger';
import { createWaker } from '@app/service-kit/waker';
import { applyRetention } from './apply-retention.ts';
import type { RetentionStorage } from './give-up-waiting.ts';

const runIntervalMs = 60 * 60 * 1000;

/** Makes partitions ahead and applies the retention, at the start and then hourly. */
export function startRetention(storage: RetentionStorage & { readonly logger: Logger }): { close(): Promise<void> } {
  const waker = createWaker();
  let closing = false;
  const logFailure = (err: unknown) =>
    storage.logger.warn({ err }, 'the retention run failed; the next one starts in an hour');
  const running = (async () => {
    while (!closing) {
      await storage.partitions.makeAhead().catch(logFailure);
      await applyRetention(storage, () => closing).catch(logFailure);
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
