import { type ColumnsOf, type Database, statement } from '@app/service-kit/database';
import { namesOf } from '@app/service-kit/row-arrays';
import type { PaymentRequest } from '../processors/port.ts';
import type { Charge, Hold, OrderMoney, Payment, RefundedDispute } from './payment.types.ts';

/** What a payment of a buyer is written with. */
export const sentTypes = {
  id: 'text',
  account_id: 'text',
  order_id: 'text',
  step: 'text',
  attempt_no: 'int4',
  call: 'text',
  request: 'json',
  hold_terms: 'json',
  amount_cents: 'int8',
  currency: 'text',
  processor: 'text',
  customer_email: 'text',
  email_key: 'text',
  product_name: 'text',
  test: 'bool',
  created_at: 'timestamptz',
  sent_at: 'timestamptz',
  next_check_at: 'timestamptz',
} as const;
/** What an answer to it fills. */
export const answerTypes = {
  decline_kind: 'text',
  decline_reason: 'text',
  decline_message: 'text',
  processor_reference: 'text',
  action_url: 'text',
  last_four: 'text',
  wallet: 'text',
  finished_at: 'timestamptz',
} as const;
export const paymentTypes: ColumnsOf<Payment> = {
  ...sentTypes,
  status: 'text',
  charge_id: 'text',
  released_payment_id: 'text',
  period: 'int4',
  ...answerTypes,
  checks: 'int4',
  releasing: 'bool',
};
export const paymentColumns = namesOf(paymentTypes);

/** As `Charge` names them, and when they were made. */
const chargeColumns = `id, amount_cents, refunded_cents, lost_cents, currency, processor, reference, test, step, refund_due_at,
  refund_from_attempt, charged_at`;

/** Times as PostgreSQL writes them in JSON become dates; those of rows are dates already. */
export function paymentOf(row: Payment): Payment {
  const { created_at, sent_at, finished_at, next_check_at } = row;
  return {
    ...row,
    created_at: new Date(created_at),
    sent_at: dateOf(sent_at),
    finished_at: dateOf(finished_at),
    next_check_at: dateOf(next_check_at),
  };
}

/** The payment of the only row of a statement, if it has one. */
export const onlyPaymentOf = ({ rows: [row] }: { readonly rows: readonly Payment[] }): Payment | undefined =>
  row === undefined ? undefined : paymentOf(row);

const dateOf = (value: Date | null): Date | null => (value === null ? null : new Date(value));

const byId = statement<Payment>(
  'payments-by-id',
  `select ${paymentColumns} from payments where account_id = $1 and order_id = $2 and id = $3`,
  paymentTypes,
);

/** A payment as it stands now. */
export async function readPayment(
  database: Database,
  { account_id, order_id, id }: Pick<Payment, 'id' | 'account_id' | 'order_id'>,
): Promise<Payment> {
  const { rows } = await database.pool.query(byId([account_id, order_id, id]));
  return paymentOf(rows[0] as Payment);
}

const requestStatement = statement<PaymentRequest>(
  'payments-request',
  'select call, request from payments where account_id = $1 and id = $2',
  { call: 'text', request: 'json' },
);

/** What the processor was sent of a payment. */
export async function readRequest(database: Database, accountId: string, id: string): Promise<PaymentRequest> {
  const { rows } = await database.pool.query(requestStatement([accountId, id]));
  return rows[0] as PaymentRequest;
}

const moneyStatement = statement<MoneyRow>(
  'orders-money',
  `select
     (select json_agg(p order by p.created_at, p.id)
      from (select ${paymentColumns} from payments where account_id = $1 and order_id = $2) as p) as payments,
     (select json_agg(c order by c.charged_at, c.id)
      from (select ${chargeColumns} from charges where account_id = $1 and order_id = $2 and step <> 'renewal') as c) as charges,
     (select json_agg(c order by c.charged_at, c.id)
      from (select ${chargeColumns} from charges where account_id = $1 and id = any (array(
        select id from payments
        where account_id = $1 and order_id = $2 and step = 'renewal' and status = 'succeeded'))) as c) as renewals,
     (select id from subscriptions where account_id = $1 and order_id = $2 limit 1) as subscription_id,
     (select json_agg(d) from (
        select payment_id, reason, status, refundable, closed_at is null as open
        from disputes where account_id = $1 and order_id = $2) as d) as disputes,
     (select row_to_json(h) from holds as h where account_id = $1 and order_id = $2) as hold,
     (select method from payment_methods where account_id = $1 and order_id = $2) as method`,
  {
    charges: 'json',
    disputes: 'json',
    hold: 'json',
    method: 'text',
    payments: 'json',
    renewals: 'json',
    subscription_id: 'text',
  },
);

interface MoneyRow {
  readonly payments: Payment[] | null;
  readonly charges: Charge[] | null;
  readonly renewals: Charge[] | null;
  readonly disputes: RefundedDispute[] | null;
  readonly subscription_id: string | null;
  readonly hold: Hold | null;
  readonly method: string | null;
}

/**
 * All that is recorded of an order's money, in one statement; empty for an order without a payment here. Payments of renewals
 * are among them, because an open one keeps others out; their charges stand apart from the order's own.
 */
export async function readMoney(database: Database, accountId: string, orderId: string): Promise<OrderMoney> {
  const { rows } = await database.pool.query(moneyStatement([accountId, orderId]));
  const { payments, charges, renewals, disputes, subscription_id, hold, method } = rows[0] as MoneyRow;
  return {
    accountId,
    orderId,
    payments: (payments ?? []).map(paymentOf),
    charges: (charges ?? []).map(chargeOf),
    renewals: (renewals ?? []).map(chargeOf),
    subscriptionId: subscription_id,
    disputes: disputes ?? [],
    hold: hold === null ? null : holdOf(hold),
    savedMethod: method,
  };
}

const chargeOf = (row: Charge): Charge => ({ ...row, refund_due_at: dateOf(row.refund_due_at) });

function holdOf(row: Hold): Hold {
  const { capture_before, decide_by, due_at } = row;
  return {
    ...row,
    capture_before: new Date(capture_before),
    decide_by: new Date(decide_by),
    due_at: new Date(due_at),
  };
}
