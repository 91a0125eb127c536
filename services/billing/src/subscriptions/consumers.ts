import { orderPaid } from '@app/contracts/orders';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import { startSubscriptions, startsSubscription } from './start-subscriptions.ts';

export function eventHandlers(wakeRelay: () => void): EventHandler[] {
  return [
    onEvent(
      orderPaid,
      async (events, client, onCommit) => {
        await startSubscriptions(client, events);
        onCommit(wakeRelay);
      },
      startsSubscription,
    ),
  ];
}
