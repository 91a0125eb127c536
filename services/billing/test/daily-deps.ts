import { createSemaphore } from '@app/service-kit/semaphore';
import type { PaymentDeps } from '../src/charging/payment-deps.ts';
import { createDailyDeps, type DailyDeps } from '../src/daily-run/start-daily-run.ts';
import type { DailyStep } from '../src/runs/daily-step.ts';

/** What daily runs need: two parts at once, each within a minute of the machine's time. */
export const dailyDepsOf = (
  { database, clock, logger }: Pick<PaymentDeps, 'database' | 'clock' | 'logger'>,
  steps: readonly DailyStep[],
): DailyDeps =>
  createDailyDeps({
    ...{ database, clock, logger, steps, semaphore: createSemaphore(4) },
    ...{ partsAtOnce: 2, partLimitMs: 60_000, isClosing: () => false },
  });
