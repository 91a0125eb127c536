import { defineService } from '@app/service-host/define-service';
import type { CheckoutConfig } from './config.ts';
import { databaseOptions } from './db/migrate.ts';
import { outdated } from './db/outdated.ts';
import { createOrderBatcher } from './orders/place-order.ts';
import { orderRequests } from './orders/requests.ts';

export const createCheckout = defineService<CheckoutConfig>({
  name: 'checkout',
  description: 'Orders and checkouts',
  database: databaseOptions,
  retention: () => outdated,
  start: ({ database, requester, wakeRelay, resources }) => {
    const batcher = createOrderBatcher({ database, requester, afterCommit: wakeRelay });
    resources.add('order batcher', batcher, (created) => created.close());
    return { requests: orderRequests(database, batcher) };
  },
});
