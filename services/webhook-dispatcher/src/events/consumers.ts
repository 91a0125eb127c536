import { keepSettings } from '@app/account-settings/keep-settings';
import { affiliateCodeUnmatched, affiliatePaid } from '@app/contracts/affiliates';
import { dailyRunNoticed } from '@app/contracts/daily-runs';
import type { EventData, EventDefinition } from '@app/contracts/define';
import { funnelEmailSynced } from '@app/contracts/funnels';
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
import { priorityOf } from '../deliveries/priority.rules.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
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
import { type StoreEventsDeps, storeEvents } from './store-events.ts';

/** Of one transaction: all of a day's orders may come at once after an outage, and each is 1 KB. */
const ordersMax = 500;

export function eventHandlers(deps: StoreEventsDeps): EventHandler[] {
  return [
    { ...onSent(deps, orderPaid, 'order.paid', orderPaidPayload, ofOrder), batchMax: ordersMax },
    onSent(deps, orderRefunded, 'order.refunded', orderRefundedPayload, ofOrder),
    onSent(deps, upsellAccepted, 'upsell.accepted', upsellAcceptedPayload, ofOrder),
    onSent(deps, subscriptionRebilled, 'subscription.rebilled', subscriptionRebilledPayload, ofOrder),
    onSent(deps, subscriptionPaymentFailed, 'subscription.payment_failed', subscriptionPaymentFailedPayload, ofOrder),
    onSent(deps, subscriptionCanceled, 'subscription.canceled', subscriptionCanceledPayload, ofOrder, isForSellers),
    onSent(deps, subscriptionPaused, 'subscription.paused', subscriptionPausedPayload, ofOrder),
    onSent(deps, subscriptionResumed, 'subscription.resumed', subscriptionResumedPayload, ofOrder),
    onSent(deps, affiliatePaid, 'affiliate.paid', affiliatePaidPayload, () => ofNoOrder),
    onSent(deps, funnelEmailSynced, 'funnel.email.sync', funnelEmailSyncPayload, ofProduct),
    onEvent(affiliateCodeUnmatched, (events, client) =>
      recordNotices(deps, events, client, ({ code }) => unmatchedCodeText(code)),
    ),
    onEvent(paymentNoticed, (events, client) => recordNotices(deps, events, client, ({ summary }) => oneLine(summary))),
    onEvent(dailyRunNoticed, (events, client) =>
      recordNotices(deps, events, client, ({ summary }) => oneLine(summary)),
    ),
    onEvent(reminderNoticed, (events, client) =>
      recordNotices(deps, events, client, ({ summary }) => oneLine(summary)),
    ),
    keepSettings,
    onEvent(orderReopened, (events, client) => recordNotices(deps, events, client, reopenedText)),
  ];
}

/** By what an event is found in the lists. */
type About = Pick<OutgoingEvent, 'orderId' | 'email' | 'productId' | 'test'>;

interface OfOrder {
  readonly orderId: string;
  readonly customerEmail: string;
  readonly productId: string;
  readonly test: boolean;
}
const ofOrder = ({ orderId, customerEmail: email, productId, test }: OfOrder): About => ({
  orderId,
  email,
  productId,
  test,
});
const ofProduct = ({ productId }: { readonly productId: string }): About => ({ ...ofNoOrder, productId });
const ofNoOrder: About = { orderId: null, email: null, productId: null, test: false };

/** A subscription that ends after its last try is sent only where the account wants such notices. */
const isForSellers = ({ sendWebhook = true }: EventData<typeof subscriptionCanceled>): boolean => sendWebhook;

/** Handles a kind of event that sellers' endpoints receive, as `name`. */
function onSent<Data>(
  deps: StoreEventsDeps,
  definition: EventDefinition<z.ZodType<Data>>,
  name: WebhookEventName,
  payloadOf: (data: Data, sentAt: string) => object,
  aboutOf: (data: Data) => About,
  isSent: (data: Data) => boolean = () => true,
): EventHandler {
  return onEvent(
    definition,
    (events, client, onCommit) => {
      const outgoing = events.map(({ id, accountId, occurredAt, traceparent = null, data }) => {
        const body = JSON.stringify(payloadOf(data, occurredAt));
        return { id, accountId, name, ...aboutOf(data), priority: priorityOf(name), body, traceparent, occurredAt };
      });
      return storeEvents(deps, outgoing, client, onCommit);
    },
    isSent,
  );
}
