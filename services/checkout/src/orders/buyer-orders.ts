import { limits } from '@app/contracts/common';
import type { RequestInput, RequestOutput } from '@app/contracts/define';
import { emailKey } from '@app/contracts/email-key';
import { DomainError } from '@app/contracts/errors';
import type * as contract from '@app/contracts/portal';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { pageOf, unknownBefore } from '@app/service-kit/paging';
import type { OrderItem, StoredItem } from './order.rules.ts';
import { wholeItems } from './order-rows.ts';

type Order = RequestOutput<typeof contract.listBuyerOrders>['data'][number];
type OrderWithRefunds = RequestOutput<typeof contract.getBuyerOrder>;

interface OrderRow extends Omit<Order, 'created_at'> {
  readonly created_at: Date;
}

const stored = `id, product_id, customer_email, customer_name, total_cents, refunded_cents, currency, status, created_at,
  test, items, immediate_access`;

/** `$1` the account, `$2` the key of the email, `$3` whether rehearsals are among them: a branch for each index. */
const ofBuyer = `(
  select ${stored} from orders
  where account_id = $1 and email_key = $2 and not test and status <> 'expired'
  union all
  select ${stored} from orders
  where $3::boolean and account_id = $1 and email_key = $2 and test and status <> 'expired'
) as o`;

const columns = `o.id, (
    select item ->> 'label' from json_array_elements(o.items) as item where item ->> 'kind' = 'main' limit 1
  ) as product_name, o.total_cents,
  case when o.status = 'refunded' then o.total_cents else o.refunded_cents end as refunded_cents, o.currency, o.status,
  o.created_at, o.test`;

const types: ColumnsOf<OrderRow> = {
  id: 'text',
  product_name: 'text',
  total_cents: 'int8',
  refunded_cents: 'int8',
  currency: 'text',
  status: 'text',
  created_at: 'timestamptz',
  test: 'bool',
};

const page = statement<OrderRow>(
  'buyer-orders-page',
  `select ${columns} from ${ofBuyer} where $4::text is null or o.id < $4 order by o.id desc limit $5`,
  types,
);
const known = statement('buyer-orders-known', `select from ${ofBuyer} where o.id = $4`);

/**
 * What one buyer ordered, newest first.
 * @throws DomainError validation_failed when `before` is the id of no order of the buyer
 */
export async function listBuyerOrders(
  { pool }: Database,
  accountId: string,
  { email, test, ...wanted }: RequestInput<typeof contract.listBuyerOrders>,
): Promise<RequestOutput<typeof contract.listBuyerOrders>> {
  const buyer = [accountId, emailKey(email), test];
  const { before } = wanted;
  const limit = wanted.limit ?? limits.listMax;
  const [{ rows }, position] = await Promise.all([
    pool.query<OrderRow>(page([...buyer, before ?? null, limit + 1])),
    before === undefined ? undefined : pool.query(known([...buyer, before])),
  ]);
  if (position?.rowCount === 0) throw unknownBefore();
  const { data, ...rest } = pageOf(rows, wanted);
  return { data: data.map(orderOf), ...rest };
}

interface ReceiptRow
  extends OrderRow,
    Pick<OrderWithRefunds, 'product_id' | 'customer_email' | 'customer_name' | 'immediate_access'> {
  readonly items: readonly StoredItem[];
}

const byId = statement<ReceiptRow>(
  'buyer-orders-by-id',
  `select ${columns}, o.product_id, o.customer_email, o.customer_name, o.items, o.immediate_access from ${ofBuyer} where o.id = $4`,
  {
    ...types,
    ...{ product_id: 'text', customer_email: 'text', customer_name: 'text', items: 'json', immediate_access: 'text' },
  },
);

interface RefundRow extends Omit<OrderWithRefunds['refunds'][number], 'refunded_at'> {
  readonly refunded_at: Date;
}

/** One that failed before anything else was known of it has no payment. */
const refundsOf = statement<RefundRow>(
  'buyer-orders-refunds',
  `select payment_id, subscription_id is not null as renewal, amount_cents, refunded_at from payment_refunds
   where account_id = $1 and order_id = $2 and not failed and payment_id is not null order by refunded_at, refund_id`,
  { payment_id: 'text', renewal: 'bool', amount_cents: 'int8', refunded_at: 'timestamptz' },
);

/** @throws DomainError order_not_found, for the order of another buyer and of another account as well */
export async function getBuyerOrder(
  { pool }: Database,
  accountId: string,
  { email, test, orderId }: RequestInput<typeof contract.getBuyerOrder>,
): Promise<OrderWithRefunds> {
  const [{ rows }, refunds] = await Promise.all([
    pool.query<ReceiptRow>(byId([accountId, emailKey(email), test, orderId])),
    pool.query<RefundRow>(refundsOf([accountId, orderId])),
  ]);
  const [row] = rows;
  if (row === undefined) throw new DomainError('order_not_found', `No order has the id "${orderId}".`);
  const { product_id, customer_email, customer_name, items, immediate_access } = row;
  return {
    ...orderOf(row),
    product_id,
    customer_email,
    customer_name,
    immediate_access,
    items: wholeItems(items, product_id).map((item) => lineOf(row, item)),
    refunds: refunds.rows.map((refund) => ({ ...refund, refunded_at: refund.refunded_at.toISOString() })),
  };
}

const bought = statement<RequestOutput<typeof contract.findBuyer>>(
  'buyer-orders-find',
  `select
     exists (select from orders
       where account_id = $1 and email_key = $2 and not test and status <> 'expired') as bought,
     exists (select from orders
       where account_id = $1 and email_key = $2 and test and status <> 'expired') as rehearsed`,
  { bought: 'bool', rehearsed: 'bool' },
);

export async function findBuyer(
  { pool }: Database,
  accountId: string,
  email: string,
): Promise<RequestOutput<typeof contract.findBuyer>> {
  const { rows } = await pool.query<RequestOutput<typeof contract.findBuyer>>(bought([accountId, emailKey(email)]));
  return rows[0] ?? { bought: false, rehearsed: false };
}

/** Only while it is paid: what was given back, or is not paid yet, opens nothing. */
const lineOf = ({ status }: OrderRow, { kind, label, amount_cents, access_url }: OrderItem) => ({
  kind,
  label,
  amount_cents,
  access_url: status === 'paid' ? (access_url ?? '') : '',
});

const orderOf = (row: OrderRow): Order => ({
  id: row.id,
  product_name: row.product_name,
  total_cents: row.total_cents,
  refunded_cents: row.refunded_cents,
  currency: row.currency,
  status: row.status,
  created_at: row.created_at.toISOString(),
  test: row.test,
});
