import { affiliateCodeUnmatched } from '@app/contracts/affiliates';
import { funnelEmailSynced } from '@app/contracts/catalog';
import { orderPaid } from '@app/contracts/orders';
import type { WebhookEventName } from '@app/contracts/webhooks';
import { on, type ReceivedEvent, type Subscription } from '@app/messaging/subscription';
import { noteUnmatchedCodes } from '../activity/note-unmatched-codes.ts';
import { funnelEmailSyncPayload, orderPaidPayload } from './payloads.rules.ts';
import { type OutgoingEvent, type StoreDeps, storeEvents } from './store-events.ts';

export function subscriptions(deps: StoreDeps): Subscription[] {
  return [
    on(orderPaid, (events, client, onCommit) =>
      storeEvents(
        deps,
        events.map((event) => ({
          ...outgoing(event, 'order.paid', orderPaidPayload(event.data, event.occurredAt)),
          orderId: event.data.orderId,
          test: event.data.test,
        })),
        client,
        onCommit,
      ),
    ),
    on(funnelEmailSynced, (events, client, onCommit) =>
      storeEvents(
        deps,
        events.map((event) =>
          outgoing(event, 'funnel.email.sync', funnelEmailSyncPayload(event.data, event.occurredAt)),
        ),
        client,
        onCommit,
      ),
    ),
    on(affiliateCodeUnmatched, (events, client) => noteUnmatchedCodes(deps.clock, events, client)),
  ];
}

function outgoing(event: ReceivedEvent<unknown>, name: WebhookEventName, payload: object): OutgoingEvent {
  const { id, accountId, occurredAt } = event;
  const traceparent = event.traceparent ?? null;
  return { id, accountId, name, orderId: null, test: false, body: JSON.stringify(payload), traceparent, occurredAt };
}
