import { orderPaid } from '@app/contracts/orders';
import { on, type Subscription } from '@app/messaging/subscription';
import type { Clock } from '@app/service-kit/clock';
import { namesCode, recordCommissions } from './record-commissions.ts';

/** The relay is woken only after batches that wrote to the outbox: few do. */
export function subscriptions(clock: Clock, wakeRelay: () => void): Subscription[] {
  return [
    on(
      orderPaid,
      async (orders, client, onCommit) => {
        if ((await recordCommissions(client, clock, orders)) > 0) onCommit(wakeRelay);
      },
      namesCode,
    ),
  ];
}
