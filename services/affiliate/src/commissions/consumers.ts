import { orderPaid } from '@app/contracts/orders';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import type { Clock } from '@app/service-kit/clock';
import { namesCode, recordCommissions } from './record-commissions.ts';

/** Few batches write to the outbox; the relay is woken after those alone. */
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
