import { affiliateCodeUnmatched, affiliatePaid } from '@app/contracts/affiliates';
import { funnelEmailSynced } from '@app/contracts/catalog';
import { dailyRunNoticed } from '@app/contracts/daily-runs';
import type { EventData, EventDefinition } from '@app/contracts/define';
import { orderPaid, orderRefunded, orderReopened, upsellAccepted } from '@app/contracts/orders';
import { paymentNoticed } from '@app/contracts/payments';
import { reminderNoticed } from '@app/contracts/reminders';
import {
  subscriptionCanceled,
  subscriptionPaused,
  subscriptionPaymentFailed,
  subscriptionRebilled,
  subscriptionResumed,
} from '@app/contracts/subscriptions';
import type { WebhookEventName } from '@app/contracts/webhooks';
import { type EventHandler, onEvent } from '@app/messaging/event-handler';
import type { z } from 'zod';
import { oneLine, reopenedText, unmatchedCodeText } from '../activity/activity.rules.ts';
import { recordNotices } from '../activity/record-notices.ts';
import {
  affiliatePaidPayload,
  funnelEmailSyncPayload,
  orderPaidPayload,
  orderRefundedPayload,
  subscriptionCanceledPayload,
  subscriptionPausedPayload,
  subscriptionPaymentFailedPayload,
  subscriptionRebilledPayload,
  subscriptionResumedPayload,
  upsellAcceptedPayload,
} from './payloads.rules.ts';
import { type StoreDeps, storeEvents } from './store-events.ts';

export function eventHandlers(deps: StoreDeps): EventHandler[] {
  const { clock } = deps;
  return [
    onSent(deps, orderPaid, 'order.paid', orderPaidPayload, ofOrder),
    onSent(deps, orderRefunded, 'order.refunded', orderRefundedPayload, ofOrder),
    onSent(deps, upsellAccepted, 'upsell.accepted', upsellAcceptedPayload, ofOrder),
    onSent(deps, subscriptionRebilled, 'subscription.rebilled', subscriptionRebilledPayload, ofOrder),
    onSent(deps, subscriptionPaymentFailed, 'subscription.payment_failed', subscriptionPaymentFailedPayload, ofOrder),
    onSent(deps, subscriptionCanceled, 'subscription.canceled', subscriptionCanceledPayload, ofOrder, isForSellers),
    onSent(deps, subscriptionPaused, 'subscription.paused', subscriptionPausedPayload, ofOrder),
    onSent(deps, subscriptionResumed, 'subscription.resumed', subscriptionResumedPayload, ofOrder),
    onSent(deps, affiliatePaid, 'affiliate.paid', affiliatePaidPayload, () => ofNoOrder),
    onSent(deps, funnelEmailSynced, 'funnel.email.sync', funnelEmailSyncPayload, () => ofNoOrder),
    onEvent(affiliateCodeUnmatched, (events, client) =>
      recordNotices(clock, events, client, ({ code }) => unmatchedCodeText(code)),
    ),
    onEvent(paymentNoticed, (events, client) =>
      recordNotices(clock, events, client, ({ summary }) => oneLine(summary)),
    ),
    onEvent(dailyRunNoticed, (events, client) =>
      recordNotices(clock, events, client, ({ summary }) => oneLine(summary)),
    ),
    onEvent(reminderNoticed, (events, client) =>
      recordNotices(clock, events, client, ({ summary }) => oneLine(summary)),
    ),
    onEvent(orderReopened, (events, client) => recordNotices(clock, events, client, reopenedText)),
  ];
}

interface AboutOrder {
  readonly orderId: string | null;
  readonly test: boolean;
}
const ofOrder = ({ orderId, test }: AboutOrder): AboutOrder => ({ orderId, test });
const ofNoOrder: AboutOrder = { orderId: null, test: false };

/** A subscription that ends after its last try is sent only where the account wants such notices. */
const isForSellers = ({ sendWebhook = true }: EventData<typeof subscriptionCanceled>): boolean => sendWebhook;

/** Handles a kind of event that sellers' endpoints receive, as `name`. */
function onSent<Data>(
  deps: StoreDeps,
  definition: EventDefinition<z.ZodType<Data>>,
  name: WebhookEventName,
  payloadOf: (data: Data, sentAt: string) => object,
  aboutOf: (data: Data) => AboutOrder,
  isSent: (data: Data) => boolean = () => true,
): EventHandler {
  return onEvent(
    definition,
    (events, client, onCommit) => {
      const outgoing = events.map(({ id, accountId, occurredAt, traceparent = null, data }) => {
        const body = JSON.stringify(payloadOf(data, occurredAt));
        return { id, accountId, name, ...aboutOf(data), body, traceparent, occurredAt };
      });
      return storeEvents(deps, outgoing, client, onCommit);
    },
    isSent,
  );
}
