import { type Client, statement } from '@app/service-kit/database';
import { orderColumns, type RefundedOrder, refundColumns, refundedTypes, refundFields } from './refunded-order.ts';

const ordersStatement = statement<RefundedOrder>(
  'refunds-orders',
  `select ${orderColumns}, ${refundColumns}
   from unnest($1::text[], $2::text[]) as w(account_id, id)
   join orders as o on o.account_id = w.account_id and o.id = w.id
   left join lateral (
     select ${refundFields} from refunds where account_id = o.account_id and order_id = o.id order by refund_no desc limit 1
   ) as r on true
   order by o.id for update of o`,
  refundedTypes,
);

/** Orders with their last refund; they stay locked until the transaction ends. */
export async function lockOrders(
  client: Client,
  keys: readonly { readonly accountId: string; readonly orderId: string }[],
): Promise<RefundedOrder[]> {
  const values = [keys.map(({ accountId }) => accountId), keys.map(({ orderId }) => orderId)];
  return (await client.query(ordersStatement(values))).rows;
}
