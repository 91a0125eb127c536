import { settingsHandler } from '@app/account-settings/settings-handler';
import { affiliateCodeUnmatched, affiliatePaid } from '@app/contracts/affiliates';
import { paymentsLimited } from '@app/contracts/checkouts';
import { dailyRunNoticed } from '@app/contracts/daily-runs';
import type { EventData, EventDefinition } from '@app/contracts/define';
import { disputeClosed, disputeOpened } from '@app/contracts/disputes';
import { funnelEmailSynced } from '@app/contracts/funnels';
import {
  orderExpired,
  orderNoticed,
  orderPaid,
  orderRefunded,
  orderReopened,
  paymentRefunded,
  upsellAccepted,
} from '@app/contracts/orders';
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
import { withdrawalRequested } from '@app/contracts/withdrawals';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import type { Client } from '@app/service-kit/database';
import type { z } from 'zod';
import { recordNotices } from '../activity/record-notices.ts';
import { priorityOf } from '../deliveries/priority.rules.ts';
import { oneLine, reopenedText, unmatchedCodeText } from '../texts/activity.rules.ts';
import type { OutgoingEvent } from './outgoing-event.ts';
import * as payloads from './payloads.rules.ts';
import { type StoreEventsDeps, storeEvents } from './store-events.ts';

/** Of one transaction: all of a day's orders may come at once after an outage, and each is 1 KB. */
const ordersMax = 500;

export function webhookEventHandlers(deps: WebhookEventDeps): EventHandler[] {
  return [
    { ...onWebhookEvent(deps, orderPaid, 'order.paid', payloads.orderPaidPayload, keysOfPaid), batchMax: ordersMax },
    onWebhookEvent(deps, orderRefunded, 'order.refunded', payloads.orderRefundedPayload, keysOfOrder),
    onWebhookEvent(deps, orderExpired, 'order.expired', payloads.orderExpiredPayload, keysOfOrder),
    ...paymentHandlers(deps),
    onWebhookEvent(deps, upsellAccepted, 'upsell.accepted', payloads.upsellAcceptedPayload, keysOfOrder),
    onWebhookEvent(
      deps,
      subscriptionRebilled,
      'subscription.rebilled',
      payloads.subscriptionRebilledPayload,
      keysOfOrder,
    ),
    onWebhookEvent(
      deps,
      subscriptionPaymentFailed,
      'subscription.payment_failed',
      payloads.subscriptionPaymentFailedPayload,
      keysOfOrder,
    ),
    onWebhookEvent(
      deps,
      subscriptionCanceled,
      'subscription.canceled',
      payloads.subscriptionCanceledPayload,
      keysOfOrder,
      isSentToWebhooks,
    ),
    onWebhookEvent(deps, subscriptionPaused, 'subscription.paused', payloads.subscriptionPausedPayload, keysOfOrder),
    onWebhookEvent(deps, subscriptionResumed, 'subscription.resumed', payloads.subscriptionResumedPayload, keysOfOrder),
    onWebhookEvent(deps, affiliatePaid, 'affiliate.paid', payloads.affiliatePaidPayload, () => noKeys),
    onWebhookEvent(deps, funnelEmailSynced, 'funnel.email.sync', payloads.funnelEmailSyncPayload, keysOfProduct),
    onWebhookEvent(
      deps,
      withdrawalRequested,
      'withdrawal.requested',
      payloads.withdrawalRequestedPayload,
      keysOfWithdrawal,
    ),
    onEvent(affiliateCodeUnmatched, (events, client) =>
      recordNotices(deps, events, client, ({ code }) => unmatchedCodeText(code)),
    ),
    onEvent(orderNoticed, (events, client) => recordNotices(deps, events, client, ({ summary }) => oneLine(summary))),
    onEvent(paymentNoticed, (events, client) => recordWithKeyNotices(deps, events, client)),
    onEvent(dailyRunNoticed, (events, client) => recordWithKeyNotices(deps, events, client)),
    onEvent(reminderNoticed, (events, client) =>
      recordNotices(deps, events, client, ({ summary }) => oneLine(summary)),
    ),
    onEvent(paymentsLimited, (events, client) =>
      recordNotices(deps, events, client, ({ summary }) => oneLine(summary)),
    ),
    settingsHandler,
    onEvent(orderReopened, async (events, client, onCommit) => {
      await recordNotices(deps, events, client, reopenedText);
      const outgoing = events.map((event) =>
        outgoingOf(event, 'order.reopened', payloads.orderReopenedPayload, keysOfOrder(event.data)),
      );
      await storeEvents(deps, outgoing, client, onCommit);
    }),
  ];
}

/** A lost dispute is sent as `dispute.closed` alone. */
const paymentHandlers = (deps: StoreEventsDeps): EventHandler[] => [
  onWebhookEvent(deps, paymentRefunded, 'payment.refunded', payloads.paymentRefundedPayload, keysOfRefund, isNoDispute),
  onWebhookEvent(deps, disputeOpened, 'dispute.opened', payloads.disputeOpenedPayload, keysOfOrder),
  onWebhookEvent(deps, disputeClosed, 'dispute.closed', payloads.disputeClosedPayload, keysOfOrder),
];

/** Stores, in the client's transaction, what notifies a seller by a built-in automation alone. */
export type StoreKeyNotices = (client: Client, notices: readonly KeyNotice[]) => Promise<void>;

export interface KeyNotice {
  readonly accountId: string;
  readonly summary: string;
  readonly occurredAt: string;
  readonly lacksPermission: boolean;
}

export interface WebhookEventDeps extends StoreEventsDeps {
  readonly storeKeyNotices: StoreKeyNotices;
}

interface Noticed {
  readonly code?: string | undefined;
  readonly lacksPermission?: boolean | undefined;
  readonly summary: string;
  readonly orderId: string | null;
  readonly test: boolean;
}

/** A live key that is refused keeps everyone from paying: the seller gets an email as well. That of test mode keeps the seller alone. */
async function recordWithKeyNotices(
  deps: Pick<WebhookEventDeps, 'clock' | 'partitions' | 'storeKeyNotices'>,
  events: readonly ReceivedEvent<Noticed>[],
  client: Client,
): Promise<void> {
  await deps.storeKeyNotices(
    client,
    events
      .filter(({ data }) => data.code === 'key_refused' && !data.test)
      .map(({ accountId, occurredAt, data: { summary, lacksPermission = false } }) => ({
        ...{ accountId, summary, occurredAt, lacksPermission },
      })),
  );
  await recordNotices(deps, events, client, ({ summary }) => oneLine(summary));
}

/** By what an event is found in the lists. */
type EventKeys = Pick<OutgoingEvent, 'orderId' | 'email' | 'productId' | 'test' | 'charged' | 'isNotFor'>;

interface OrderData {
  readonly orderId: string;
  readonly customerEmail: string;
  readonly productId: string;
  readonly test: boolean;
}
const keysOfOrder = ({ orderId, customerEmail: email, productId, test }: OrderData): EventKeys => ({
  orderId,
  email,
  productId,
  test,
});
/** A buyer gets one email of a refund. */
const keysOfRefund = (refund: EventData<typeof paymentRefunded>): EventKeys => ({
  ...keysOfOrder(refund),
  isNotFor: payloads.isWholeRefund(refund) ? 'partial_refund_notice' : undefined,
});
/** The simulated processor moves no money, also where it sells live. */
const keysOfPaid = (order: EventData<typeof orderPaid>): EventKeys => ({
  ...keysOfOrder(order),
  charged: !order.test && order.processor !== undefined && order.processor !== 'simulated',
});
/** The address was typed by anyone: it is in the payload, and is no buyer's. */
const keysOfWithdrawal = ({ orderId, productId, test }: EventData<typeof withdrawalRequested>): EventKeys => ({
  ...noKeys,
  orderId,
  productId,
  test,
});
const keysOfProduct = ({ productId }: { readonly productId: string }): EventKeys => ({ ...noKeys, productId });
const noKeys: EventKeys = { orderId: null, email: null, productId: null, test: false };

/** What a lost dispute gave back is said by the event of its end. */
const isNoDispute = ({ disputeId }: EventData<typeof paymentRefunded>): boolean => disputeId === undefined;

/** A subscription that ends after its last attempt is sent only where the account wants such notices. */
const isSentToWebhooks = ({ sendWebhook }: EventData<typeof subscriptionCanceled>): boolean => sendWebhook;

function outgoingOf<Data>(
  { id, accountId, occurredAt, traceparent, data }: ReceivedEvent<Data>,
  name: WebhookEventName,
  payloadOf: (data: Data, sentAt: string) => object,
  keys: EventKeys,
): OutgoingEvent {
  const body = JSON.stringify(payloadOf(data, occurredAt));
  const about = { id, accountId, name, ...keys, priority: priorityOf(name), body, occurredAt };
  return { ...about, traceparent: traceparent ?? null };
}

/** Handles a kind of event that sellers' endpoints receive, as `name`. */
function onWebhookEvent<Data>(
  deps: StoreEventsDeps,
  definition: EventDefinition<z.ZodType<Data>>,
  name: WebhookEventName,
  payloadOf: (data: Data, sentAt: string) => object,
  keysOf: (data: Data) => EventKeys,
  isSent: (data: Data) => boolean = () => true,
): EventHandler {
  return onEvent(
    definition,
    (events, client, onCommit) => {
      const outgoing = events.map((event) => outgoingOf(event, name, payloadOf, keysOf(event.data)));
      return storeEvents(deps, outgoing, client, onCommit);
    },
    isSent,
  );
}
