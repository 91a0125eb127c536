import { defineService } from '@app/service-host/define-service';
import type { BillingConfig } from './config.ts';
import { emailKeys } from './db/email-keys.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { answeredRequests, consumedEvents } from './handlers.ts';
import { openDailyRuns } from './open-daily-runs.ts';
import { openPayments } from './open-payments.ts';

export const createBilling = defineService<BillingConfig>({
  name: 'billing',
  description: 'Payments, holds, refunds, subscriptions and the daily run',
  database: databaseOptions,
  emailKeys,
  retention,
  start: async (context) => {
    const payments = await openPayments(context);
    const runs = openDailyRuns(context, payments.payments, payments.accounts);
    return {
      closing: runs.closing,
      checks: [runs.overdue.check],
      events: consumedEvents(context, payments),
      requests: answeredRequests(payments, runs),
    };
  },
});
