import { settingsHandler } from '@app/account-settings/settings-handler';
import {
  followPayments as followPaymentsRequest,
  ordersToCompare as ordersToCompareRequest,
} from '@app/contracts/order-comparisons';
import { createMailer } from '@app/email/mailer';
import { createEmailTransport } from '@app/email/transports';
import { onRequest } from '@app/messaging/serve-requests';
import { defineService } from '@app/service-host/define-service';
import { createSemaphore } from '@app/service-kit/semaphore';
import { createOpeningBound } from './checkouts/bound-openings.ts';
import { createCheckoutSteps } from './checkouts/checkout-steps.ts';
import { checkoutEventHandlers } from './checkouts/consumers.ts';
import { followPayments } from './checkouts/follow-payments.ts';
import { checkoutRequests } from './checkouts/requests.ts';
import { subscriptionHandlers } from './checkouts/sold-subscriptions.ts';
import { sweepCheckouts } from './checkouts/sweep-checkouts.ts';
import { ordersToCompare } from './comparisons/orders-to-compare.ts';
import type { CheckoutConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { createOrderBatcher } from './orders/order-batcher.ts';
import { orderRequests } from './orders/requests.ts';
import { refundEventHandlers } from './refunds/consumers.ts';
import { refundRequests } from './refunds/requests.ts';
import { sweepRefunds } from './refunds/sweep-refunds.ts';
import { watchOverdue } from './reminders/overdue.ts';
import { reminderRequests } from './reminders/requests.ts';
import { closeRuns, createRunDeps, partsAtOnce } from './reminders/run-reminders.ts';
import { settingsRequests } from './settings/requests.ts';
import { startSweep } from './sweeps/sweep.ts';

export const createCheckout = defineService<CheckoutConfig>({
  name: 'checkout',
  description: 'Orders and checkouts',
  database: databaseOptions,
  retention,
  start: ({ config, database, requester, clock, logger, wakeRelay, resources }) => {
    const batcher = createOrderBatcher({ database, requester, wakeRelay });
    resources.add('order batcher', batcher, (created) => created.close());
    const steps = createCheckoutSteps(database, requester);
    resources.add('checkout steps', steps, (created) => created.close());
    const openingBound = createOpeningBound(database, logger, config.OPEN_CHECKOUTS_PER_ACCOUNT);
    resources.add('opening bound', openingBound, (created) => created.close());
    const parts = { database, requester, clock, steps, wakeRelay };
    const sweep = async (closing: () => boolean): Promise<void> => {
      await sweepCheckouts({ ...parts, logger, closing });
      await sweepRefunds({ ...parts, logger, closing });
    };
    resources.add('sweep', startSweep(sweep, logger), (started) => started.close());
    const perDay = config.REMINDERS_PER_DAY;
    const overdue = watchOverdue({ ...parts, logger, perDay });
    resources.add('overdue watch', overdue, (watch) => watch.close());
    let isClosing = false;
    const reminders = createRunDeps({
      ...{
        ...parts,
        logger,
        publicUrl: config.PUBLIC_URL,
        perDay,
        isClosing: () => isClosing,
      },
      mailer: createMailer(createEmailTransport(config)),
      // The run over all accounts has one permit, each account that it works on another.
      semaphore: createSemaphore(partsAtOnce + 1),
    });
    resources.add('reminders', reminders, closeRuns);
    return {
      closing: () => {
        isClosing = true;
      },
      checks: [overdue.check],
      events: [
        ...checkoutEventHandlers(wakeRelay),
        ...refundEventHandlers(wakeRelay),
        ...subscriptionHandlers,
        settingsHandler,
      ],
      requests: [
        ...orderRequests(database, batcher),
        onRequest(ordersToCompareRequest, (input, { accountId }) => ordersToCompare(database, accountId, input)),
        ...checkoutRequests(parts, openingBound),
        onRequest(followPaymentsRequest, (input, context) => followPayments({ ...parts, logger }, input, context)),
        ...refundRequests(parts),
        ...reminderRequests(reminders, overdue),
        ...settingsRequests(database),
      ],
    };
  },
});
