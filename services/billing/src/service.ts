import { settingsHandler } from '@app/account-settings/settings-handler';
import { defineService } from '@app/service-host/define-service';
import { createSemaphore } from '@app/service-kit/semaphore';
import { paymentRequests } from './advancing/requests.ts';
import type { BillingConfig } from './config.ts';
import { observeLastRun } from './daily-runs/last-run-gauge.ts';
import { watchOverdue } from './daily-runs/overdue.ts';
import { dailyRunRequests } from './daily-runs/requests.ts';
import { createDailyDeps } from './daily-runs/start-daily-run.ts';
import { dailySteps } from './daily-runs/steps.ts';
import { storeReminderCounts } from './daily-runs/store-reminder-counts.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { openPayments } from './open-payments.ts';
import { compareOrders } from './order-comparisons/compare-orders.ts';
import { paymentProcessorRequests } from './processors/requests.ts';
import { rehearsalSteps } from './rehearsals/rehearsal-steps.ts';
import { rehearsalRequests } from './rehearsals/requests.ts';
import { eventHandlers } from './subscriptions/consumers.ts';
import { subscriptionRequests } from './subscriptions/requests.ts';

/** Far longer than an account's run takes. A slower run is stuck, or it finishes after the sum was stored. */
const partLimitMs = 10 * 60_000;

export const createBilling = defineService<BillingConfig>({
  name: 'billing',
  description: 'Payments, holds, refunds, subscriptions and the daily run',
  database: databaseOptions,
  retention,
  start: async ({ config, database, requester, clock, logger, resources, wakeRelay }) => {
    resources.add('daily run gauge', observeLastRun(database, clock), (observed) => observed.close());
    const context = { config, database, clock, logger, resources, wakeRelay };
    const { payments, secrets, processors } = await openPayments(context);
    // Locks of runs take half of the pool, and the work of the runs has the other half. The run over all needs two locks.
    const runsMax = Math.max(2, Math.floor(config.DATABASE_POOL_MAX / 2));
    const overdue = watchOverdue({ database, clock, logger, wakeRelay });
    resources.add('overdue watch', overdue, (watch) => watch.close());
    const steps = dailySteps(payments, compareOrders({ ...payments, requester }));
    let closing = false;
    const running = {
      semaphore: createSemaphore(runsMax),
      partsAtOnce: runsMax - 1,
      partLimitMs,
      isClosing: () => closing,
    };
    return {
      closing: () => {
        closing = true;
      },
      checks: [overdue.check],
      events: [...eventHandlers(wakeRelay), settingsHandler, storeReminderCounts],
      requests: [
        ...subscriptionRequests({ database, clock, wakeRelay, processors }),
        ...paymentRequests(payments),
        ...paymentProcessorRequests({
          database,
          clock,
          secrets,
          processors,
        }),
        ...rehearsalRequests({ ...payments, rehearsalSteps: rehearsalSteps(payments), isClosing: () => closing }),
        ...dailyRunRequests(createDailyDeps({ database, clock, logger, steps, ...running }), overdue),
      ],
    };
  },
});
