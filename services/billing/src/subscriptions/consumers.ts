import { orderPaid } from '@app/contracts/orders';
import { on, type Subscription } from '@app/messaging/subscription';
import { startSubscriptions, startsSubscription } from './start-subscriptions.ts';

export function subscriptions(wakeRelay: () => void): Subscription[] {
  return [
    on(
      orderPaid,
      async (events, client, onCommit) => {
        if ((await startSubscriptions(client, events)) > 0) onCommit(wakeRelay);
      },
      startsSubscription,
    ),
  ];
}
