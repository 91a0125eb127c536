import { limits, type PageQuery } from '@app/contracts/common';
import { DomainError } from '@app/contracts/errors';
import { Serialized } from '@app/messaging/serve-requests';
import { type Database, statement } from '@app/service-kit/database';

const columns = `id, product_id, customer_email, customer_name, total_cents, currency, status, utm_source, utm_medium,
  utm_campaign, utm_term, utm_content, country, affiliate_code, test, created_at, items::text`;

const newest = statement(
  'orders-newest',
  `select ${columns} from orders where account_id = $1 and not test order by id desc limit $2`,
);
const newestBefore = statement(
  'orders-newest-before',
  `select ${columns} from orders where account_id = $1 and not test and id < $3 order by id desc limit $2`,
);
const byId = statement('orders-by-id', `select ${columns} from orders where account_id = $1 and id = $2`);

interface OrderRow {
  readonly items: string;
  readonly created_at: Date;
}

/** The account's latest orders, newest first, rehearsals left out. Ids sort by time, so they page by id. */
export async function readOrders(database: Database, accountId: string, page: PageQuery): Promise<Serialized> {
  const limit = page.limit ?? limits.listMax;
  const paging = page.limit !== undefined || page.before !== undefined;
  const values = [accountId, limit + 1];
  const query = page.before === undefined ? newest(values) : newestBefore([...values, page.before]);
  const { rows } = await database.pool.query<OrderRow>(query);
  const data = rows.slice(0, limit).map(orderJson).join(',');
  return new Serialized(`{"data":[${data}]${paging ? `,"has_more":${rows.length > limit}` : ''}}`);
}

/** One order of the account, rehearsals too. Another account's order is as unknown as one that never was. */
export async function readOrder(database: Database, accountId: string, orderId: string): Promise<Serialized> {
  const { rows } = await database.pool.query<OrderRow>(byId([accountId, orderId]));
  const [row] = rows;
  if (row === undefined) throw new DomainError('order_not_found', `There is no order with the id "${orderId}".`);
  return new Serialized(orderJson(row));
}

/** Items are stored in the published shape: they are passed on as they are, not parsed and written again. */
function orderJson({ items, ...order }: OrderRow): string {
  return `${JSON.stringify(order).slice(0, -1)},"items":${items}}`;
}
