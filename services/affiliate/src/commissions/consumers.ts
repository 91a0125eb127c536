import { orderPaid } from '@app/contracts/orders';
import { type ConsumerOptions, on } from '@app/messaging/subscription';
import type { Clock } from '@app/service-kit/clock';
import { recordCommissions } from './record-commissions.ts';

/** What checkout's events do here. The relay is woken only after batches that wrote to the outbox: few do. */
export function checkoutConsumer(
  clock: Clock,
  wakeRelay: () => void,
): Pick<ConsumerOptions, 'subscriptions' | 'afterCommit'> {
  let eventsWaiting = false;
  return {
    subscriptions: [
      on(orderPaid, async (orders, client) => {
        if ((await recordCommissions(client, clock, orders)) > 0) eventsWaiting = true;
      }),
    ],
    afterCommit: () => {
      if (eventsWaiting) wakeRelay();
      eventsWaiting = false;
    },
  };
}
