import { type Client, statement } from '@app/service-kit/database';

export interface OrderKey {
  readonly accountId: string;
  readonly orderId: string;
}

const lockStatement = statement<{ account_id: string; order_id: string; refunded: boolean }>(
  'orders-lock',
  `insert into order_refunds (account_id, order_id)
   select distinct account_id, order_id from unnest($1::text[], $2::text[]) as o(account_id, order_id)
   order by account_id, order_id
   on conflict (account_id, order_id) do update set order_id = excluded.order_id
   returning account_id, order_id, refunded_no > reopened_no as refunded`,
  { account_id: 'text', order_id: 'text', refunded: 'bool' },
);

/**
 * Locks the orders' rows in `order_refunds` in one order, and makes those that are missing: of a sale, its renewals and its
 * refunds that are recorded at the same time, the later sees what the earlier did.
 * @returns whether each order stands refunded, by `orderKey`
 */
export async function lockOrders(client: Client, orders: readonly OrderKey[]): Promise<ReadonlyMap<string, boolean>> {
  const { rows } = await client.query(
    lockStatement([orders.map(({ accountId }) => accountId), orders.map(({ orderId }) => orderId)]),
  );
  return new Map(rows.map((row) => [orderKey({ accountId: row.account_id, orderId: row.order_id }), row.refunded]));
}

export const orderKey = ({ accountId, orderId }: OrderKey): string => `${accountId} ${orderId}`;
