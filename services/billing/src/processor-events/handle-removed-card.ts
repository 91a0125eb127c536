import { notifyOnce } from '@app/messaging/notify-once';
import { statement } from '@app/service-kit/database';
import { noticeEvent } from '../charging/payment-notices.ts';
import type { EventDeps, EventHandling } from './event-deps.ts';
import type { ProcessorEvent } from './event-rows.ts';

interface Renewing {
  readonly order_id: string;
  readonly payment_method: string;
}

/** A saved method is `cus_…/pm_…`: $3 is the one or the other. */
const renewingStatement = statement<Renewing>(
  'processor-events-renewing-with',
  `select order_id, payment_method from subscriptions
   where account_id = $1 and test = $2 and status <> 'canceled'
     and (split_part(payment_method, '/', 1) = $3 or split_part(payment_method, '/', 2) = $3)
   order by order_id`,
  { order_id: 'text', payment_method: 'text' },
);

const removedText = (orderId: string): string =>
  `The card of the subscription of order ${orderId} was removed at Stripe, so its next renewal will be declined. Ask its buyer to give a card again, in their portal.`;

/** Notifies the seller of each subscription that renews with the card, once. Nothing is recorded: the renewal reads how the card stands. */
async function notifyRemoved(deps: EventDeps, event: ProcessorEvent): Promise<'done'> {
  const { database, clock, wakeRelay } = deps;
  const { account_id: accountId, test, object_id } = event;
  const { rows } = await database.pool.query(renewingStatement([accountId, test, object_id]));
  const now = clock.now();
  const notifications = rows.map(({ order_id, payment_method }) => ({
    accountId,
    key: `card removed ${order_id} ${payment_method}`,
    event: noticeEvent({ orderId: order_id, test }, removedText(order_id), {
      accountId,
      requestId: null,
      nowMs: now.getTime(),
    }),
  }));
  if (notifications.length > 0 && (await notifyOnce(database.pool, notifications, { now })) > 0) wakeRelay();
  return 'done';
}

export const removedMethods: EventHandling = {
  objectKind: 'payment_method',
  types: ['payment_method.detached'],
  handle: notifyRemoved,
};

export const deletedCustomers: EventHandling = {
  objectKind: 'customer',
  types: ['customer.deleted'],
  handle: notifyRemoved,
};
