import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import { funnelEmailSynced } from '@app/contracts/catalog';
import { orderPaid } from '@app/contracts/orders';
import type { WebhookEventName } from '@app/contracts/webhooks';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { recordUnmatchedCodes } from '../activity/record-unmatched-codes.ts';
import { funnelEmailSyncPayload, orderPaidPayload } from './payloads.rules.ts';
import { type OutgoingEvent, type StoreDeps, storeEvents } from './store-events.ts';

export function eventHandlers(deps: StoreDeps): EventHandler[] {
  return [
    onEvent(orderPaid, (events, client, onCommit) =>
      storeEvents(
        deps,
        events.map((event) => ({
          ...outgoingEvent(event, 'order.paid', orderPaidPayload(event.data, event.occurredAt)),
          orderId: event.data.orderId,
          test: event.data.test,
        })),
        client,
        onCommit,
      ),
    ),
    onEvent(funnelEmailSynced, (events, client, onCommit) =>
      storeEvents(
        deps,
        events.map((event) =>
          outgoingEvent(event, 'funnel.email.sync', funnelEmailSyncPayload(event.data, event.occurredAt)),
        ),
        client,
        onCommit,
      ),
    ),
    onEvent(affiliateCodeUnmatched, (events, client) => recordUnmatchedCodes(deps.clock, events, client)),
  ];
}

function outgoingEvent(event: ReceivedEvent<unknown>, name: WebhookEventName, payload: object): OutgoingEvent {
  const { id, accountId, occurredAt } = event;
  const traceparent = event.traceparent ?? null;
  return { id, accountId, name, orderId: null, test: false, body: JSON.stringify(payload), traceparent, occurredAt };
}
