import { DomainError } from '@app/contracts/errors';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';
import { type OrderRow, orderColumns, orderJson, orderTypes } from './order-rows.ts';

const byId = statement<OrderRow>(
  'orders-by-id',
  `select ${orderColumns} from orders where account_id = $1 and id = $2`,
  orderTypes,
);

/**
 * One order of the account, test orders too, and one that has expired.
 * @throws DomainError order_not_found, for another account's order as well
 */
export async function getOrder(database: Database, accountId: string, orderId: string): Promise<Serialized> {
  const { rows } = await database.pool.query(byId([accountId, orderId]));
  const [row] = rows;
  if (row === undefined) throw new DomainError('order_not_found', `No order has the id "${orderId}".`);
  return new Serialized(orderJson(row));
}
