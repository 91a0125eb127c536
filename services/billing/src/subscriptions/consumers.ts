import { orderPaid, orderRefunded } from '@app/contracts/orders';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import { cancelOfRefundedOrders } from './cancel-refunded.ts';
import { startSubscriptions, startsSubscription } from './start-subscriptions.ts';

export function subscriptionEventHandlers(wakeRelay: () => void): EventHandler[] {
  return [
    onEvent(
      orderPaid,
      async (events, client, onCommit) => {
        await startSubscriptions(client, events);
        onCommit(wakeRelay);
      },
      startsSubscription,
    ),
    onEvent(orderRefunded, async (events, client, onCommit) => {
      await cancelOfRefundedOrders(client, events);
      onCommit(wakeRelay);
    }),
  ];
}
