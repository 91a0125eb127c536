import { orderPaid } from '@app/contracts/orders';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { namesCode, recordCommissions } from './record-commissions.ts';

/** The relay is woken only after batches that wrote to the outbox: few do. */
export function eventHandlers(clock: Clock, wakeRelay: () => void): EventHandler[] {
  return [
    onEvent(
      orderPaid,
      async (orders, client, onCommit) => {
        if ((await recordCommissions(client, clock, orders)) > 0) onCommit(wakeRelay);
      },
      namesCode,
    ),
  ];
}
