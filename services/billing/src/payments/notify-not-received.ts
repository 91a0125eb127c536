import { statement } from '@app/service-kit/database';
import { notifyOfPayment } from './notify-of-payment.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { notReceivedText } from './payment-notices.rules.ts';

const lastAttempts = 3;

/** $1 account, $2 order, $3 period */
const countStatement = statement<{ count: number }>(
  'payments-count-not-received',
  `select count(*) filter (where decline_reason in ('not_received', 'nothing_done'))::int as count from (
     select decline_reason from payments
     where account_id = $1 and order_id = $2 and step = 'renewal' and period = $3
     order by try_no desc limit ${lastAttempts}) as p`,
  { count: 'int4' },
);

/** Notifies the seller of a renewal that the processor did not get, or did nothing with, three times in a row: once for each period. */
export async function notifyNotReceived(deps: PaymentDeps, payment: Payment): Promise<void> {
  const { account_id: accountId, order_id, period } = payment;
  const { rows } = await deps.database.pool.query(countStatement([accountId, order_id, period]));
  if (rows[0]?.count !== lastAttempts) return;
  const subject = `renewal not received ${order_id} ${period}`;
  await notifyOfPayment(deps, payment, { subject, text: notReceivedText(payment) });
}
