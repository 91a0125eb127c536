import type { WithdrawalResource } from '@app/contracts/withdrawals';
import type { ColumnsOf } from '@app/service-kit/database';

type Order = NonNullable<WithdrawalResource['order']>;

export interface WithdrawalRow extends Omit<WithdrawalResource, 'order' | 'requested_at' | 'closed_at'> {
  readonly order: Order | null;
  readonly requested_at: Date;
  readonly closed_at: Date | null;
}

export const withdrawalTypes: ColumnsOf<WithdrawalRow> = {
  id: 'text',
  status: 'text',
  name: 'text',
  bought: 'text',
  email: 'text',
  statement: 'text',
  late: 'bool',
  answer: 'text',
  order: 'json',
  test: 'bool',
  requested_at: 'timestamptz',
  closed_at: 'timestamptz',
};

/** Columns of `withdrawals`, with the order that each is about. */
export const withdrawalColumns = `id, status, name, bought, email, statement, late, answer, test, requested_at, closed_at, (
    select json_build_object('id', o.id, 'product_name', (
        select item ->> 'label' from json_array_elements(o.items) as item where item ->> 'kind' = 'main' limit 1
      ), 'customer_email', o.customer_email, 'total_cents', o.total_cents,
      'refunded_cents', case when o.status = 'refunded' then o.total_cents else o.refunded_cents end,
      'currency', o.currency, 'status', o.status, 'immediate_access', o.immediate_access, 'created_at', o.created_at)
    from orders as o where o.account_id = withdrawals.account_id and o.id = withdrawals.order_id
  ) as "order"`;

export const withdrawalOf = ({ order, requested_at, closed_at, ...row }: WithdrawalRow): WithdrawalResource => ({
  ...row,
  // PostgreSQL writes another form of the time into JSON.
  order: order && { ...order, created_at: new Date(order.created_at).toISOString() },
  requested_at: requested_at.toISOString(),
  closed_at: closed_at?.toISOString() ?? null,
});
