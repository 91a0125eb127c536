import type { OverdueWatch } from '@app/runs/overdue-watch';
import type { ServiceContext } from '@app/service-host/define-service';
import { createSemaphore } from '@app/service-kit/semaphore';
import type { PaymentDeps } from './charging/payment-deps.ts';
import type { BillingConfig } from './config.ts';
import { checkAccountDaily } from './daily-run/check-account-state.ts';
import { observeLastRun } from './daily-run/last-run-gauge.ts';
import { watchOverdue } from './daily-run/overdue.ts';
import { createDailyDeps, type DailyDeps } from './daily-run/start-daily-run.ts';
import { dailySteps } from './daily-run/steps.ts';
import type { StripeProcessor } from './processors/stripe/stripe-processor.ts';
import { compareOrders } from './reconciliation/order-comparisons/compare-orders.ts';

/** Far longer than an account's run takes. A slower run is stuck, or it finishes after the sum was stored. */
const partLimitMs = 10 * 60_000;

/** What runs once a day, and what watches that it does. */
export interface DailyRuns {
  readonly deps: DailyDeps;
  readonly overdue: OverdueWatch;
  readonly isClosing: () => boolean;
  /** Ends runs after what is under way. */
  readonly closing: () => void;
}

/** @param payments what the steps charge and compare with; `context.resources` close what is opened here */
export function openDailyRuns(
  context: ServiceContext<BillingConfig>,
  payments: PaymentDeps,
  stripe: Pick<StripeProcessor, 'accountState'>,
): DailyRuns {
  const { config, database, requester, clock, logger, resources, wakeRelay, nextDailyRunMs } = context;
  const overdue = watchOverdue({ database, clock, logger, wakeRelay, nextDailyRunMs });
  resources.add('overdue watch', overdue, (watch) => watch.close());
  resources.add('daily run gauge', observeLastRun(database, clock, overdue), (observed) => observed.close());
  // Locks of runs take half of the pool, and the work of the runs has the other half. The run over all needs two locks.
  const runsMax = Math.max(2, Math.floor(config.DATABASE_POOL_MAX / 2));
  let closing = false;
  const isClosing = () => closing;
  const deps = createDailyDeps({
    database,
    clock,
    logger,
    steps: [
      checkAccountDaily({ ...payments, stripe }),
      ...dailySteps(payments, compareOrders({ ...payments, requester })),
    ],
    semaphore: createSemaphore(runsMax),
    partsAtOnce: runsMax - 1,
    partLimitMs,
    isClosing,
  });
  return {
    deps,
    overdue,
    isClosing,
    closing: () => {
      closing = true;
    },
  };
}
