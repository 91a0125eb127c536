import { newId } from '@app/contracts/ids';
import type { PaymentPurpose } from '@app/contracts/payments';
import { statement } from '@app/service-kit/database';
import { nextCheckAt } from './payment.rules.ts';
import type { OrderMoney, Payment, PaymentRequest } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { paymentColumns, paymentOf } from './payment-rows.ts';

/** A payment that follows from others of its order: it is about the same buyer and product as they are. */
export interface NextPayment {
  readonly step: PaymentPurpose;
  readonly subject: string;
  readonly tryNo: number;
  readonly amountCents: number;
  readonly currency: string;
  /** Where the hold, charge or card is. */
  readonly processor: string;
  readonly requestOf: (paymentId: string) => PaymentRequest;
}

/**
 * The row is written as `sent`, because the call follows at once. Nothing is written when the order's money changed since
 * it was read, or when another payment is open or was made for the step; for payments at the same time unique indexes see
 * to that.
 */
const beginStatement = statement(
  'payments-begin',
  `insert into payments (id, account_id, order_id, step, subject, try_no, call, request, amount_cents, currency, status,
     processor, customer_email, product_name, test, created_at, sent_at, next_check_at)
   select $1, account_id, order_id, $4, $5, $6, $7, $8, $9, $10, 'sent',
     $11, customer_email, product_name, test, $12, $12, $13
   from payments
   where account_id = $2 and order_id = $3 and step = 'main'
     and (select count(*) from payments where account_id = $2 and order_id = $3) = $14
   order by try_no desc limit 1
   on conflict do nothing
   returning ${paymentColumns}`,
);

/**
 * Writes the row of a payment that is sent next.
 * @param money as it was read when the payment was decided on
 * @returns undefined when somebody else was faster
 */
export async function beginPayment(
  { database, clock }: PaymentDeps,
  { accountId, orderId, payments }: OrderMoney,
  next: NextPayment,
): Promise<Payment | undefined> {
  const nowMs = clock.nowMs();
  const id = newId('payment', nowMs);
  const { call, request } = next.requestOf(id);
  const about = [id, accountId, orderId, next.step, next.subject, next.tryNo, call, JSON.stringify(request)];
  const money = [next.amountCents, next.currency, next.processor];
  const times = [new Date(nowMs), nextCheckAt(0, nowMs)];
  const { rows } = await database.pool.query<Payment>(beginStatement([...about, ...money, ...times, payments.length]));
  return rows[0] === undefined ? undefined : paymentOf(rows[0]);
}
