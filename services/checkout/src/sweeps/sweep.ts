import { type BackgroundLoop, startLoop } from '@app/service-kit/background-loop';
import type { Logger } from '@app/service-kit/logger';

const everyMs = 60_000;

/**
 * Does the work at the start and then every minute; a run that fails is logged, and the next one goes on.
 * @param work is to end soon once the function that it is given says so
 * @param held it is left out while it says so
 */
export function startSweep(
  work: (isClosing: () => boolean) => Promise<void>,
  logger: Logger,
  held: () => boolean,
): BackgroundLoop {
  return startLoop({
    name: 'checkout.sweep',
    round: work,
    held,
    pauseMs: () => everyMs,
    onFailure: (err) => logger.warn({ err }, 'a sweep failed; retrying in a minute'),
  });
}
