import type { EventData } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { idOfCommand } from '@app/contracts/ids';
import type { orderPaid } from '@app/contracts/orders';
import { subscriptionStarted } from '@app/contracts/subscriptions';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import { type OutboxRow, outboxColumns, outboxRow, outboxTypes } from '@app/messaging/outbox';
import { type Client, statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { readAheadDays, rehearsalTime } from '../runs/rehearsal-time.ts';
import { cancelRefunded, lockOrders } from './cancel-refunded.ts';
import { nthPeriodEnd } from './period.rules.ts';
import type { SubscriptionIdentity } from './subscription-event.rules.ts';
import { identityTypes } from './subscription-rows.ts';

/** A subscription and its event's outbox row, as one statement writes them; fields are named as the columns. */
interface NewSubscription extends OutboxRow, SubscriptionIdentity {
  readonly account_id: string;
  readonly email_key: string;
  /** The processor's token that the order came with; an order of the checkout has none, its card is stored here. */
  readonly own_method: string | null;
  /** Bought in the checkout at a price of 0: no processor was called, and none will be. */
  readonly free: boolean;
  readonly affiliate_named: boolean;
  readonly started_at: string;
  readonly current_period_end: string;
}

const ownTypes = {
  ...identityTypes,
  account_id: 'text',
  email_key: 'text',
  affiliate_named: 'bool',
  started_at: 'timestamptz',
  current_period_end: 'timestamptz',
} as const;
const own = namesOf(ownTypes);
const incomingTypes: Readonly<Record<keyof NewSubscription, string>> = {
  ...ownTypes,
  own_method: 'text',
  free: 'bool',
  ...outboxTypes,
};

/**
 * Writes subscriptions and their events in one statement. An order that has its subscription already gets neither a second
 * one nor a second event. Rows are written in the order of their keys, so that two replicas never wait in a circle. With a card it renews by
 * itself (`automatic`): the token that came with the order, or the one that its checkout was paid with. One that its checkout
 * gave away renews by itself without a card.
 */
const insertSubscriptions = statement(
  'subscriptions-insert',
  `with incoming as (
     select s.*, coalesce(s.own_method, m.method) as payment_method, m.processor,
       case when s.own_method is null or s.own_method = m.method then m.last_four end as last_four,
       case when s.own_method is null or s.own_method = m.method then m.wallet end as wallet,
       s.free or coalesce(s.own_method, m.method) is not null as renews
     from json_to_recordset($1::json) as s (${recordOf(incomingTypes)})
     left join payment_methods as m on m.account_id = s.account_id and m.order_id = s.order_id
   ), inserted as (
     insert into subscriptions (${own}, status, collection, payment_method, processor, last_four, wallet, anchor, period,
       next_charge_at)
     select ${own}, 'active', case when renews then 'automatic' else 'external' end, payment_method, processor, last_four,
       wallet, started_at, 1, case when renews then current_period_end end
     from incoming order by account_id, order_id
     on conflict (account_id, order_id) do nothing
     returning id
   )
   insert into outbox (${outboxColumns})
   select ${outboxColumns} from incoming where id in (select id from inserted) order by id`,
);

/** What a subscription is made of. */
export type SoldSubscription = Pick<
  EventData<typeof orderPaid>,
  | 'orderId'
  | 'productId'
  | 'productName'
  | 'customerEmail'
  | 'priceCents'
  | 'currency'
  | 'billingInterval'
  | 'affiliateCode'
  | 'paymentMethod'
  | 'source'
  | 'test'
  | 'paidAt'
>;
type PaidOrder = Pick<ReceivedEvent<SoldSubscription>, 'accountId' | 'requestId' | 'traceparent' | 'data'>;

/** Every order of a subscription product starts one subscription; other orders have no effect in billing. */
export const startsSubscription = ({ pricingType }: EventData<typeof orderPaid>): boolean =>
  pricingType === 'subscription';

/** @param events of orders that start one; it ends at once if its order was refunded before this event came */
export async function startSubscriptions(client: Client, events: readonly PaidOrder[]): Promise<void> {
  await lockOrders(
    client,
    events.map(({ data }) => data.orderId),
  );
  const rehearsing = events.filter(({ data }) => data.test).map(({ accountId }) => accountId);
  const aheadDays = await readAheadDays(client, [...new Set(rehearsing)]);
  const started = events.map((event) => newSubscription(event, aheadDays.get(event.accountId) ?? 0));
  // Of two events of one order in one batch the statement would write one subscription and two outbox rows.
  const distinct = [...new Map(started.map((subscription) => [subscription.id, subscription])).values()];
  await client.query(insertSubscriptions([JSON.stringify(distinct)]));
  await cancelRefunded(client, distinct, null);
}

/** That of a rehearsal starts at the rehearsal's time. Its id ends as the order's, so that subscriptions list in the order of their sales, however late the event comes. */
function newSubscription(event: PaidOrder, aheadDays: number): NewSubscription {
  const { accountId, requestId, data: order } = event;
  const { billingInterval } = order;
  if (billingInterval === null) throw new Error(`order ${order.orderId} bought a subscription without an interval`);
  const paidAt = new Date(order.paidAt);
  const anchor = order.test ? rehearsalTime(paidAt, aheadDays) : paidAt;
  const startedAt = anchor.toISOString();
  const id = idOfCommand('subscription', order.orderId.slice(-26));
  const data = {
    subscriptionId: id,
    orderId: order.orderId,
    productId: order.productId,
    customerEmail: order.customerEmail,
    amountCents: order.priceCents,
    currency: order.currency,
    billingInterval,
    startedAt,
    test: order.test,
  };
  return {
    id,
    account_id: accountId,
    order_id: order.orderId,
    product_id: order.productId,
    product_name: order.productName,
    customer_email: order.customerEmail,
    email_key: emailKey(order.customerEmail),
    // Bumps and discounts belong to the first order alone, so a period costs the price.
    amount_cents: order.priceCents,
    currency: order.currency,
    billing_interval: billingInterval,
    own_method: order.paymentMethod,
    affiliate_named: Boolean(order.affiliateCode),
    free: order.source === 'checkout' && order.priceCents === 0,
    started_at: startedAt,
    current_period_end: nthPeriodEnd(anchor, billingInterval, 1).toISOString(),
    test: order.test,
    ...outboxRow(subscriptionStarted, data, { accountId, requestId, nowMs: paidAt.getTime() }),
    // The batch has a trace of its own; each event continues the trace of its order.
    traceparent: event.traceparent ?? null,
  };
}
