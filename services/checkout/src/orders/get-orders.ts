import type { PageQuery } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import type { OrderResource } from '@app/contracts/orders';
import { Serialized } from '@app/messaging/serve-requests';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { isPaging, pagedList } from '@app/service-kit/paging';
import { namesOf } from '@app/service-kit/row-arrays';
import { utmTypes } from './order-columns.ts';

const columns = `id, product_id, customer_email, customer_name, total_cents, currency, status,
  case when status = 'refunded' then total_cents else refunded_cents end as refunded_cents,
  ${namesOf(utmTypes)}, country, affiliate_code, test, created_at, items::text`;

/** As the published resource has it; the items as JSON. */
type OrderRow = Omit<OrderResource, 'items' | 'created_at'> & { readonly items: string; readonly created_at: Date };

const orderTypes: ColumnsOf<OrderRow> = {
  id: 'text',
  product_id: 'text',
  customer_email: 'text',
  customer_name: 'text',
  total_cents: 'int8',
  currency: 'text',
  status: 'text',
  refunded_cents: 'int8',
  ...utmTypes,
  country: 'text',
  affiliate_code: 'text',
  test: 'bool',
  created_at: 'timestamptz',
  items: 'text',
};

const byId = statement<OrderRow>(
  'orders-by-id',
  `select ${columns} from orders where account_id = $1 and id = $2 and status <> 'expired'`,
  orderTypes,
);

const ordersOfAccount = pagedList<OrderRow>({
  name: 'orders',
  table: 'orders',
  row: orderTypes,
  columns,
  scope: ['account_id'],
  filter: `not test and status <> 'expired'`,
});

/**
 * The account's latest orders, newest first, without test orders and without orders whose hold was lost. `has_more` is written only when paging was asked for:
 * the published list without paging has no such field.
 */
export async function listOrders(database: Database, accountId: string, page: PageQuery): Promise<Serialized> {
  const { data, has_more } = await ordersOfAccount(database, [accountId], page);
  const rest = isPaging(page) ? `,"has_more":${has_more}` : '';
  return new Serialized(`{"data":[${data.map(orderJson).join(',')}]${rest}}`);
}

/**
 * One order of the account, test orders too.
 * @throws DomainError order_not_found, for another account's order as well, and for one whose hold was lost: nothing
 * was sold
 */
export async function getOrder(database: Database, accountId: string, orderId: string): Promise<Serialized> {
  const { rows } = await database.pool.query(byId([accountId, orderId]));
  const [row] = rows;
  if (row === undefined) throw new DomainError('order_not_found', `There is no order with the id "${orderId}".`);
  return new Serialized(orderJson(row));
}

/** Items are stored in the published shape, so they are passed on without being parsed. */
function orderJson({ items, ...order }: OrderRow): string {
  return `${JSON.stringify(order).slice(0, -1)},"items":${items}}`;
}
