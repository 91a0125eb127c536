import { keepSettings } from '@app/account-settings/keep-settings';
import { defineService } from '@app/service-host/define-service';
import { createCheckoutSteps } from './checkouts/checkout-steps.ts';
import { checkoutEventHandlers } from './checkouts/consumers.ts';
import { checkoutRequests } from './checkouts/requests.ts';
import { sweepCheckouts } from './checkouts/sweep-checkouts.ts';
import type { CheckoutConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { createOrderBatcher } from './orders/order-batcher.ts';
import { orderRequests } from './orders/requests.ts';
import { refundEventHandlers } from './refunds/consumers.ts';
import { refundRequests } from './refunds/requests.ts';
import { sweepRefunds } from './refunds/sweep-refunds.ts';
import { startSweep } from './sweep.ts';

export const createCheckout = defineService<CheckoutConfig>({
  name: 'checkout',
  description: 'Orders and checkouts',
  database: databaseOptions,
  retention,
  start: ({ database, requester, clock, logger, wakeRelay, resources }) => {
    const batcher = createOrderBatcher({ database, requester, wakeRelay });
    resources.add('order batcher', batcher, (created) => created.close());
    const steps = createCheckoutSteps(database, requester);
    resources.add('checkout steps', steps, (created) => created.close());
    const parts = { database, requester, clock, steps, wakeRelay };
    const sweep = async (closing: () => boolean): Promise<void> => {
      await sweepCheckouts({ ...parts, logger, closing });
      await sweepRefunds({ ...parts, logger, closing });
    };
    resources.add('sweep', startSweep(sweep, logger), (started) => started.close());
    return {
      events: [...checkoutEventHandlers(wakeRelay), ...refundEventHandlers(wakeRelay), keepSettings],
      requests: [...orderRequests(database, batcher), ...checkoutRequests(parts), ...refundRequests(parts)],
    };
  },
});
