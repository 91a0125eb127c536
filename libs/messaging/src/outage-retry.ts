import type { ServiceName } from '@app/contracts/services';
import type { Logger } from '@app/service-kit/logger';
import type { Waker } from '@app/service-kit/waker';
import { batchHeld } from './points.ts';
import { mayBeOneEvent } from './retry-policy.ts';

/** The consumer closes: the messages that it was handling go back to the durable. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** Repeats work while the database is away: the batch stays in the buffer, and nothing more is fetched. */
export interface OutageRetry {
  /**
   * @throws what is not an outage, as it comes
   * @throws InterruptedError when the consumer closes meanwhile
   */
  retryOutage<T>(work: () => Promise<T>): Promise<T>;
  /** As `retryOutage`, for the consumer's own bookkeeping: nothing can go on while that fails, whatever the reason. */
  retryAlways<T>(work: () => Promise<T>): Promise<T>;
}

interface OutageRetryOptions {
  readonly service: ServiceName;
  readonly logger: Logger;
  readonly pause: Waker;
  /** Before the second attempt; see `ConsumerTiming`. */
  readonly pauseMs: number;
  readonly isClosing: () => boolean;
  readonly onBegin: () => void;
}

const pauseMaxMs = 5_000;

export function createOutageRetry(options: OutageRetryOptions): OutageRetry {
  const { service, logger, pause, pauseMs, isClosing, onBegin } = options;
  const wait = async (failures: number, err: unknown): Promise<void> => {
    if (failures === 0) logger.warn({ err }, 'consuming paused: the database is unavailable');
    onBegin();
    batchHeld.announce(() => ({ service, failures: failures + 1 }));
    if (!isClosing()) await pause.sleep(Math.min(pauseMaxMs, pauseMs * 2 ** Math.min(failures, 10)));
    if (isClosing()) throw new InterruptedError('closing');
  };
  const repeat = async <T>(work: () => Promise<T>, isRetried: (err: unknown) => boolean): Promise<T> => {
    for (let failures = 0; ; failures += 1) {
      const outcome = await attempt(work);
      if (outcome.done) {
        if (failures > 0) logger.info({ failures }, 'consuming resumed');
        return outcome.result;
      }
      if (!isRetried(outcome.err)) throw outcome.err;
      await wait(failures, outcome.err);
    }
  };
  return {
    retryOutage: (work) => repeat(work, (err) => !mayBeOneEvent(err)),
    retryAlways: (work) => repeat(work, () => true),
  };
}

type Attempted<T> = { readonly done: true; readonly result: T } | { readonly done: false; readonly err: unknown };

async function attempt<T>(work: () => Promise<T>): Promise<Attempted<T>> {
  try {
    return { done: true, result: await work() };
  } catch (err) {
    return { done: false, err };
  }
}
