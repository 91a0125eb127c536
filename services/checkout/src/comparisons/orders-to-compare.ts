import type { RequestInput, RequestOutput } from '@app/contracts/define';
import {
  type ComparedOrder,
  comparedOrdersMax,
  type ordersToCompare as contract,
} from '@app/contracts/order-comparisons';
import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import type { FixedSale } from '../checkouts/fixed-sale.ts';
import { attemptOf } from '../checkouts/request-payment.ts';

const columns =
  'id, status, source, total_cents, currency, customer_email, affiliate_code, created_at, paid_at, refunded_at, refunded_cents';

/** With the product as its checkout sold it. @param where which orders, by index */
const ordersWith = (where: string): string =>
  `select o.id, o.status, o.source, o.total_cents, o.currency, o.customer_email, o.affiliate_code, o.refunded_cents,
     coalesce(o.paid_at, o.created_at) as paid_at,
     greatest(o.created_at, o.paid_at, o.refunded_at) as changed_at, s.sale -> 'product' as product,
     case when o.status = 'authorized' then s.sale end as held_sale, s.attempt_no, s.began_at, s.decision_minutes
   from (select ${columns} from orders where account_id = $1 and not test and ${where} order by id limit ${comparedOrdersMax}) as o
   left join lateral (
     select t.sale, t.attempt_no, t.created_at as began_at, c.decision_minutes from checkouts as c
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
  /** Of an authorized order. */
  readonly held_sale: FixedSale | null;
  /** Null where the seller's own code recorded the order, as the next two. */
  readonly attempt_no: number | null;
  readonly began_at: Date | null;
  readonly decision_minutes: number | null;
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
  held_sale: 'json',
  attempt_no: 'int4',
  began_at: 'timestamptz',
  decision_minutes: 'int4',
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
  ...attemptOfHeld(row),
});

function attemptOfHeld(row: Row): Pick<ComparedOrder, 'attempt'> {
  const { id: order_id, held_sale: sale, attempt_no, began_at, decision_minutes } = row;
  if (sale === null || attempt_no === null || began_at === null || decision_minutes === null) return {};
  const attempted = { order_id, attempt_no, attempt_began_at: began_at, decision_minutes, sale, test: false };
  const { paymentMethod: _, ...attempt } = attemptOf(attempted, { paymentMethod: null });
  return { attempt };
}

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
