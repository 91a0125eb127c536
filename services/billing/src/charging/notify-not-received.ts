import { statement } from '@app/service-kit/database';
import { notReceived, undoneReasons } from './payment.rules.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { notReceivedText } from './payment-notices.rules.ts';
import { notifyOfPayment } from './payment-notices.ts';

const lastAttempts = 3;
const noAttempts = [notReceived, ...undoneReasons].map((reason) => `'${reason}'`).join(', ');

/** $1 account, $2 order, $3 period */
const countStatement = statement<{ count: number }>(
  'payments-count-not-received',
  `with attempts as materialized (
     select attempt_no, undone, decline_reason in (${noAttempts}) as is_none from payments
     where account_id = $1 and order_id = $2 and step = 'renewal' and period = $3
     order by attempt_no desc limit ${lastAttempts}
   )
   select coalesce(sum(undone + 1), 0)::int as count from attempts
   where is_none and attempt_no > coalesce((select max(attempt_no) from attempts where is_none is not true), 0)`,
  { count: 'int4' },
);

/** Notifies the seller of a renewal that the processor did not get, or did nothing with, three times in a row: once for each period. */
export async function notifyNotReceived(deps: PaymentDeps, payment: Payment): Promise<void> {
  const { account_id: accountId, order_id, period } = payment;
  const { rows } = await deps.database.pool.query(countStatement([accountId, order_id, period]));
  if ((rows[0]?.count ?? 0) < lastAttempts) return;
  const key = `renewal not received ${order_id} ${period}`;
  await notifyOfPayment(deps, payment, { key, text: notReceivedText(payment) });
}
