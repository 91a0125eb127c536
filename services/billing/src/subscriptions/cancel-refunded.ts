import { readSettings } from '@app/account-settings/read-settings';
import type { EventData } from '@app/contracts/define';
import type { orderRefunded } from '@app/contracts/orders';
import { subscriptionCanceled } from '@app/contracts/subscriptions';
import type { ReceivedEvent } from '@app/messaging/event-handler';
import { insertOutboxSql, outboxRow } from '@app/messaging/outbox';
import type { Clock } from '@app/service-kit/clock';
import { type Client, type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { namesOf, recordOf } from '@app/service-kit/row-arrays';
import { hurryRenewalsStatement } from '../charging/hurry-renewals.ts';
import { type CanceledSubscription, canceledData } from './subscription-event.rules.ts';

/** Whose order, and when it was refunded. */
interface OrderKey {
  readonly account_id: string;
  readonly order_id: string;
}
const orderTypes: ColumnsOf<OrderKey> = { account_id: 'text', order_id: 'text' };
const refundTypes = { ...orderTypes, refunded_at: 'timestamptz', by_dispute: 'bool' };
const refund = namesOf(refundTypes);

/** Any number that no other advisory lock of this database has. */
const lockClass = 0x73_75_62;
const lockBuckets = 64;

/**
 * Orders and their refunds come in any order, and at the same time. A writer of either first takes the locks of its
 * orders, so that one of the two always sees the other. Buckets keep the locks of a large batch few, and are taken in one
 * order, so that no two batches wait in a circle.
 */
const lockStatement = statement<{ pg_advisory_xact_lock: unknown }>(
  'subscriptions-lock-orders',
  `select pg_advisory_xact_lock(${lockClass}, bucket) from (
     select distinct abs(hashtext(id) % ${lockBuckets}) as bucket from unnest($1::text[]) as id order by bucket) as buckets`,
  { pg_advisory_xact_lock: 'void' },
);

export async function lockOrders(client: Client, orderIds: readonly string[]): Promise<void> {
  await client.query(lockStatement([orderIds]));
}

const lockSubscriptionStatement = statement(
  'subscriptions-lock-of-order',
  'select from subscriptions where account_id = $1 and order_id = $2 for update',
);

/**
 * Locks an order and its subscription before anything of its money: what may end the subscription with the money's record takes them in
 * this order. A claim of a renewal locks the subscription and then waits for payments of the order; one that waited for
 * the subscription with a payment changed would wait for it in a circle.
 */
export async function lockOrderFirst(client: Client, accountId: string, orderId: string): Promise<void> {
  await lockOrders(client, [orderId]);
  await client.query(lockSubscriptionStatement([accountId, orderId]));
}

const rememberStatement = statement(
  'subscriptions-remember-refunds',
  `insert into refunded_orders (${refund})
   select ${refund} from json_to_recordset($1::json) as r(${recordOf(refundTypes)})
   order by account_id, order_id
   on conflict do nothing`,
);

type RefundedOrder = ReceivedEvent<EventData<typeof orderRefunded>>;

/** A refunded order's subscription ends; of an order that is not known yet it will end as soon as it has begun. */
export async function cancelOfRefundedOrders(client: Client, events: readonly RefundedOrder[]): Promise<void> {
  await lockOrders(
    client,
    events.map(({ data }) => data.orderId),
  );
  const refunds = events.map(({ accountId, data }) => ({
    account_id: accountId,
    order_id: data.orderId,
    refunded_at: data.refundedAt,
    by_dispute: false,
  }));
  await client.query(rememberStatement([JSON.stringify(refunds)]));
  await cancelRefunded(client, refunds, events[0]?.requestId ?? null);
}

/**
 * Ends the subscription of an order all of whose own money went back, or of which a dispute was lost, in the transaction that records
 * it; of an order whose `order.paid` has not come yet it ends as soon as it has begun. Called by whoever records that: no other
 * service has to agree first. The order's charges are locked. Endpoints get an end by a dispute where the seller wants
 * cancellation notices.
 */
export async function endOfRefundedOrder(
  client: Client,
  refunded: OrderKey & { readonly refunded_at: Date; readonly by_dispute: boolean },
  requestId: string | null = null,
): Promise<void> {
  await lockOrders(client, [refunded.order_id]);
  await client.query(rememberStatement([JSON.stringify([refunded])]));
  await cancelRefunded(client, [refunded], requestId);
}

/**
 * Ends the subscription of an order that is refunded and that was never charged here, by the command of the refund. The lock
 * of its row orders this and the claim of a renewal: one that was claimed before is seen afterwards, and none follows.
 */
export async function cancelOfRecordedOrder(
  {
    database,
    clock,
    wakeRelay,
  }: { readonly database: Database; readonly clock: Clock; readonly wakeRelay: () => void },
  { accountId, requestId }: { readonly accountId: string; readonly requestId: string | null },
  orderId: string,
): Promise<void> {
  const refund = { account_id: accountId, order_id: orderId, refunded_at: clock.now(), by_dispute: false };
  await database.transaction((client) => endOfRefundedOrder(client, refund, requestId));
  wakeRelay();
}

// A rehearsal's subscription ends at the rehearsal's time. Locked in the order of ids, as daily runs lock them, so that no two wait in a circle.
const cancelStatement = statement<CanceledRow>(
  'subscriptions-cancel-refunded',
  `with living as (
     select s.id, s.status, r.refunded_at, r.by_dispute,
       greatest(r.refunded_at + case when s.test then coalesce(c.ahead_days, 0) else 0 end * interval '1 day', s.started_at)
         as ends_at
     from json_to_recordset($1::json) as o(${recordOf(orderTypes)})
       join refunded_orders as r on r.account_id = o.account_id and r.order_id = o.order_id
       join subscriptions as s on s.account_id = o.account_id and s.order_id = o.order_id
       left join rehearsal_clocks as c on c.account_id = o.account_id
     where s.status <> 'canceled'
     order by s.id for update of s
   )
   update subscriptions as s set status = 'canceled', canceled_at = l.ends_at, next_charge_at = null, paused_at = null,
     paused_by = null, paused_retry_at = null, free_attempt = false, cancel_requested_by = null
   from living as l where s.id = l.id
   returning s.id, s.account_id, s.order_id, s.product_id, s.product_name, s.customer_email, s.amount_cents, s.currency,
     s.billing_interval, s.canceled_at, s.test, l.status as status_before, l.refunded_at, l.by_dispute`,
  {
    account_id: 'text',
    amount_cents: 'int8',
    billing_interval: 'text',
    by_dispute: 'bool',
    canceled_at: 'timestamptz',
    currency: 'text',
    customer_email: 'text',
    id: 'text',
    order_id: 'text',
    product_id: 'text',
    product_name: 'text',
    refunded_at: 'timestamptz',
    status_before: 'text',
    test: 'bool',
  },
);

interface CanceledRow extends CanceledSubscription {
  readonly account_id: string;
  readonly refunded_at: Date;
  /** A dispute of its was lost, and no refund came before that. */
  readonly by_dispute: boolean;
}

/** Cancels those subscriptions of the orders whose order was refunded, and reports each once. The orders are locked. */
export async function cancelRefunded(
  client: Client,
  orders: readonly OrderKey[],
  requestId: string | null,
): Promise<void> {
  const { rows } = await client.query(cancelStatement([JSON.stringify(orders)]));
  if (rows.length === 0) return;
  await client.query(
    hurryRenewalsStatement([rows.map(({ account_id }) => account_id), rows.map(({ order_id }) => order_id)]),
  );
  const disputed = new Set(rows.filter(({ by_dispute }) => by_dispute).map(({ account_id }) => account_id));
  const settings = await readSettings(client, disputed);
  const events = rows.map((row) => {
    const { account_id: accountId, by_dispute } = row;
    const reason = by_dispute ? 'dispute' : 'refund';
    const sendWebhook = !by_dispute || (settings.get(accountId)?.cancellationNotices ?? false);
    const data = { ...canceledData(row, reason), sendWebhook };
    return outboxRow(subscriptionCanceled, data, { accountId, requestId, nowMs: row.refunded_at.getTime() });
  });
  await client.query(insertOutboxSql, [JSON.stringify(events)]);
}
