import { insertOutboxIfAny } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { noticeEvent } from './payment-events.ts';
import { notReceivedText } from './payment-notices.rules.ts';

/** $1 account, $2 order, $3 period, $4 key of the notice, $5 event */
const noticeStatement = statement(
  'payments-notice-not-received',
  `with told as (
     insert into commands (id, result)
     select $4, '{}' where 3 = (
       select count(*) filter (where decline_reason = 'not_received') from (
         select decline_reason from payments
         where account_id = $1 and order_id = $2 and step = 'renewal' and subject = $3 order by try_no desc limit 3) as p)
     on conflict (id) do nothing returning id
   )
   ${insertOutboxIfAny('told', '$5')}`,
);

/** Tells the seller of a renewal that the processor did not get three times in a row: once for each period. */
export async function tellNotReceived({ database, clock, wakeRelay }: PaymentDeps, payment: Payment): Promise<void> {
  const { account_id, order_id, subject } = payment;
  const source = { accountId: account_id, requestId: null, nowMs: clock.nowMs() };
  const events = [noticeEvent(payment, notReceivedText(payment), source)];
  const key = `renewal not received ${order_id} ${subject}`;
  const { rowCount } = await database.pool.query(
    noticeStatement([account_id, order_id, subject, key, JSON.stringify(events)]),
  );
  if (rowCount === 1) wakeRelay();
}
