import { defineService } from '@app/service-host/define-service';
import { checkoutEventHandlers } from './checkouts/consumers.ts';
import { checkoutRequests } from './checkouts/requests.ts';
import type { CheckoutConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { retention } from './db/retention.ts';
import { createOrderBatcher } from './orders/order-batcher.ts';
import { orderRequests } from './orders/requests.ts';

export const createCheckout = defineService<CheckoutConfig>({
  name: 'checkout',
  description: 'Orders and checkouts',
  database: databaseOptions,
  retention: () => retention,
  start: ({ database, requester, clock, wakeRelay, resources }) => {
    const batcher = createOrderBatcher({ database, requester, wakeRelay });
    resources.add('order batcher', batcher, (created) => created.close());
    const checkouts = { database, requester, clock, wakeRelay };
    return {
      events: checkoutEventHandlers(wakeRelay),
      requests: [...orderRequests(database, batcher), ...checkoutRequests(checkouts)],
    };
  },
});
