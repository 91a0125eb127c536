import { chargesRefunded, refundFailed } from '@app/contracts/payments';
import { type EventHandler, onEvent, type ReceivedEvent } from '@app/messaging/event-handler';
import { type Client, statement } from '@app/service-kit/database';
import { recordRefund, recordReopening } from './record-refund.ts';
import { orderColumns, type RefundedOrder, refundColumns, refundFields } from './refunded-order.ts';

/** What billing tells of refunds: whoever died between its reply and the record finishes from this. */
export function refundEventHandlers(wakeRelay: () => void): EventHandler[] {
  return [
    onEvent(chargesRefunded, async (events, client, onCommit) => {
      for (const { event, order } of await withOrders(client, events)) {
        const refundedMs = Date.parse(event.data.refundedAt);
        if (!isOpen(order, refundedMs)) continue;
        const source = { requestId: event.requestId, nowMs: refundedMs };
        if (await recordRefund(client, order, event.data.refundedCents, source)) onCommit(wakeRelay);
      }
    }),
    onEvent(refundFailed, async (events, client, onCommit) => {
      for (const { event, order } of await withOrders(client, events)) {
        const failedMs = Date.parse(event.data.failedAt);
        if (isOfEarlierRefund(order, failedMs)) continue;
        const source = { requestId: event.requestId, nowMs: failedMs };
        if (await recordReopening(client, order, event.data.detail, source)) onCommit(wakeRelay);
      }
    }),
  ];
}

/** What failed before the last refund was asked for is given back by that one. */
function isOfEarlierRefund({ refund_no, refund_created_at }: RefundedOrder, failedMs: number): boolean {
  return refund_no !== null && refund_no > 1 && refund_created_at !== null && failedMs < refund_created_at.getTime();
}

/**
 * What was said before a failure is void, in whatever order the two come: billing is asked again. A refusal alone is none:
 * a later try may have succeeded.
 */
function isOpen({ refund_status, failed_at }: RefundedOrder, refundedMs: number): boolean {
  if (failed_at !== null) return refund_status === 'requested' && failed_at.getTime() < refundedMs;
  return refund_status === 'requested' || refund_status === 'failed';
}

const ordersStatement = statement(
  'refunds-orders',
  `select ${orderColumns}, ${refundColumns}
   from unnest($1::text[], $2::text[]) as w(account_id, id)
   join orders as o on o.account_id = w.account_id and o.id = w.id
   left join lateral (
     select ${refundFields} from refunds where account_id = o.account_id and order_id = o.id order by refund_no desc limit 1
   ) as r on true
   order by o.id for update of o`,
);

type About<Data> = ReceivedEvent<Data & { orderId: string }>;

/** Each event with its order, which stays locked until the events took effect. */
async function withOrders<Data>(
  client: Client,
  events: readonly About<Data>[],
): Promise<{ event: About<Data>; order: RefundedOrder }[]> {
  const values = [events.map(({ accountId }) => accountId), events.map(({ data }) => data.orderId)];
  const { rows } = await client.query<RefundedOrder>(ordersStatement(values));
  const byId = new Map(rows.map((order) => [`${order.account_id} ${order.id}`, order]));
  return events.map((event) => {
    const order = byId.get(`${event.accountId} ${event.data.orderId}`);
    if (order === undefined) throw new Error(`a refund of the order ${event.data.orderId}, and there is no such order`);
    return { event, order };
  });
}
