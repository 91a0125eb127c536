import type { ColumnsOf } from '@app/service-kit/database';
import type { OrderItem } from '../orders/order.rules.ts';

/** An order and its last refund; fields are named as the columns. */
export interface RefundedOrder {
  readonly id: string;
  readonly account_id: string;
  readonly product_id: string;
  readonly customer_email: string;
  readonly total_cents: number;
  readonly currency: string;
  readonly status: 'paid' | 'refunded' | 'authorized' | 'expired';
  readonly source: 'api' | 'checkout';
  readonly test: boolean;
  readonly items: readonly OrderItem[];
  readonly paid_at: Date;
  /** What went back of the order itself, and with what went back of its renewals; how often these changed. */
  readonly order_refunded_cents: number;
  readonly given_back_cents: number;
  readonly refund_changes: number;
  /** These are null for an order of which no refund was requested. */
  readonly refund_no: number | null;
  readonly refund_status: 'requested' | 'done' | 'failed' | null;
  readonly refunded_cents: number | null;
  readonly failed_at: Date | null;
  readonly refund_created_at: Date | null;
  readonly request_id: string | null;
  readonly attempt: number | null;
  /** Whether renewals were requested too. */
  readonly renewals: boolean | null;
  readonly uncounted_cents: number | null;
  /** What the caller was shown that would go back: billing gives back that or nothing. Null where the caller does not say. */
  readonly expected_cents: number | null;
}

export const refundedTypes: ColumnsOf<RefundedOrder> = {
  id: 'text',
  account_id: 'text',
  product_id: 'text',
  customer_email: 'text',
  total_cents: 'int8',
  currency: 'text',
  status: 'text',
  source: 'text',
  test: 'bool',
  items: 'json',
  paid_at: 'timestamptz',
  order_refunded_cents: 'int8',
  given_back_cents: 'int8',
  refund_changes: 'int4',
  refund_no: 'int4',
  refund_status: 'text',
  refunded_cents: 'int8',
  failed_at: 'timestamptz',
  refund_created_at: 'timestamptz',
  request_id: 'text',
  attempt: 'int4',
  renewals: 'bool',
  uncounted_cents: 'int8',
  expected_cents: 'int8',
};

/** An order of the seller's own code was paid when it was recorded. */
export const orderColumns = `o.id, o.account_id, o.product_id, o.customer_email, o.total_cents, o.currency, o.status,
  o.source, o.test, o.items, coalesce(o.paid_at, o.created_at) as paid_at, o.refunded_cents as order_refunded_cents,
  o.given_back_cents, o.refund_changes`;

/** As `refundColumns` reads them. */
export const refundFields =
  'refund_no, status, refunded_cents, failed_at, request_id, created_at, attempt, renewals, uncounted_cents, expected_cents';
export const refundColumns = `r.refund_no, r.status as refund_status, r.refunded_cents, r.failed_at, r.request_id,
  r.created_at as refund_created_at, r.attempt, r.renewals, r.uncounted_cents, r.expected_cents`;

/** Whether money went back for the order or its renewals: it is counted among refunds then. Of a free order none does. */
export const isCounted = ({ status, given_back_cents, total_cents }: RefundedOrder): boolean =>
  given_back_cents > 0 || (status === 'refunded' && total_cents > 0);

/** What every event of an order says of it. The product's name is that of the sale. */
export function aboutOrder(order: RefundedOrder) {
  const { id, product_id, items, customer_email, currency, test, total_cents, paid_at } = order;
  return {
    orderId: id,
    productId: product_id,
    productName: items.find(({ kind }) => kind === 'main')?.label ?? '',
    customerEmail: customer_email,
    currency,
    test,
    totalCents: total_cents,
    paidAt: paid_at.toISOString(),
  };
}
