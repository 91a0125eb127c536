import { hourMs } from '@app/contracts/durations';
import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import type { Logger } from '@app/service-kit/logger';
import { applyRetention } from './apply-retention.ts';
import type { RetentionStorage } from './give-up-waiting.ts';

/**
 * Makes partitions ahead and applies the retention, at the start and then hourly. In a copy nothing is given up or dropped: what waits there
 * is sent once it is adopted.
 */
export function startRetention(
  storage: RetentionStorage & { readonly logger: Logger },
  isCopy: () => boolean,
): BackgroundLoop {
  const logFailure = (err: unknown) =>
    storage.logger.warn({ err }, 'the retention run failed; the next one starts in an hour');
  return startLoop({
    name: 'webhook-dispatcher.retention',
    round: async (isClosing) => {
      await storage.partitions.makeAhead().catch(logFailure);
      if (!isCopy()) await applyRetention(storage, isClosing);
    },
    pauseMs: () => hourMs,
    onFailure: logFailure,
  });
}
