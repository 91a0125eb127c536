import type { RequestInput, RequestOutput } from '@app/contracts/define';
import {
  type ComparedOrder,
  comparedOrdersMax,
  type ordersToCompare as contract,
} from '@app/contracts/order-comparisons';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import type { FixedSale } from '../checkouts/fixed-sale.ts';

const columns =
  'id, status, source, total_cents, currency, customer_email, affiliate_code, created_at, paid_at, refunded_at, refunded_cents';

/** With the product as its checkout sold it. @param where which orders, by index */
const ordersWith = (where: string): string =>
  `select o.id, o.status, o.source, o.total_cents, o.currency, o.customer_email, o.affiliate_code, o.refunded_cents,
     coalesce(o.paid_at, o.created_at) as paid_at,
     greatest(o.created_at, o.paid_at, o.refunded_at) as changed_at, s.product
   from (select ${columns} from orders where account_id = $1 and not test and ${where} order by id limit ${comparedOrdersMax}) as o
   left join lateral (
     select t.sale -> 'product' as product from checkouts as c
     join checkout_attempts as t on t.account_id = c.account_id and t.checkout_id = c.id and t.attempt_no = c.attempt_no
     where c.account_id = $1 and c.order_id = o.id limit 1) as s on o.source = 'checkout'
   order by o.id`;

interface Row {
  readonly id: string;
  readonly status: ComparedOrder['status'];
  readonly source: ComparedOrder['source'];
  readonly total_cents: number;
  readonly currency: string;
  readonly refunded_cents: number;
  readonly customer_email: string;
  readonly affiliate_code: string | null;
  readonly paid_at: Date;
  readonly changed_at: Date;
  readonly product: FixedSale['product'] | null;
}

const rowTypes: ColumnsOf<Row> = {
  id: 'text',
  status: 'text',
  source: 'text',
  total_cents: 'int8',
  currency: 'text',
  refunded_cents: 'int8',
  customer_email: 'text',
  affiliate_code: 'text',
  paid_at: 'timestamptz',
  changed_at: 'timestamptz',
  product: 'json',
};
const namedStatement = statement<Row>('orders-to-compare-named', ordersWith('id = any ($2)'), rowTypes);
const pageStatement = statement<Row>('orders-to-compare', ordersWith('id > $2 and id < $3'), rowTypes);
const openStatement = statement<Row>(
  'orders-to-compare-open',
  ordersWith(`id > $2 and id < $3 and status = 'authorized'`),
  rowTypes,
);

/** Live orders for billing's comparison: those that it names, or a page of them by their ids. */
export async function ordersToCompare(
  { pool }: Database,
  accountId: string,
  input: RequestInput<typeof contract>,
): Promise<RequestOutput<typeof contract>> {
  const query =
    'orderIds' in input
      ? namedStatement([accountId, input.orderIds])
      : (input.open ? openStatement : pageStatement)([accountId, input.after, input.until]);
  const { rows } = await pool.query(query);
  return { orders: rows.map(comparedOrderOf) };
}

const comparedOrderOf = (row: Row): ComparedOrder => ({
  orderId: row.id,
  status: row.status,
  source: row.source,
  totalCents: row.total_cents,
  currency: row.currency,
  refundedCents: row.refunded_cents,
  changedAt: row.changed_at.toISOString(),
  subscription: subscriptionOf(row),
});

function subscriptionOf({ product, customer_email, affiliate_code, paid_at }: Row): ComparedOrder['subscription'] {
  if (product === null || product.pricingType !== 'subscription' || product.billingInterval === null) return null;
  const { productId, name: productName, priceCents, billingInterval } = product;
  return {
    productId,
    productName,
    priceCents,
    billingInterval,
    customerEmail: customer_email,
    affiliateNamed: Boolean(affiliate_code),
    paidAt: paid_at.toISOString(),
  };
}
