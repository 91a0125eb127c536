import { refundFailed } from '@app/contracts/payments';
import { outboxColumns, outboxRecord, outboxRow } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { Payment } from '../payments/payment.types.ts';
import type { PaymentDeps } from '../payments/payment-deps.ts';
import { noticeEvent } from '../payments/payment-events.ts';
import { refundFailedText } from '../payments/payment-notices.rules.ts';

/** A refund that failed after it had been taken, and what the processor says of it. */
export type FailedRefund = Pick<Payment, 'id' | 'account_id' | 'order_id' | 'amount_cents' | 'currency' | 'test'> & {
  readonly message: string | null;
};

const reopenStatement = statement(
  'charges-reopen',
  `with failed as (
     update payments set status = 'declined', decline_kind = 'soft', decline_reason = 'refund_failed', decline_message = $3
     where account_id = $1 and id = $2 and status = 'succeeded'
     returning account_id, charge_id, amount_cents
   ), reopened as (
     update charges as c set refunded_cents = c.refunded_cents - f.amount_cents, reopened_at = $6
     from failed as f where c.account_id = f.account_id and c.id = f.charge_id
     returning c.id
   ), events as (
     insert into outbox (${outboxColumns})
     select ${outboxColumns} from json_to_recordset($4::json) as e(notice boolean, ${outboxRecord})
     where exists (select from reopened) and (not notice or exists (
       select from charges as c where c.account_id = $1 and c.order_id = $5
         and (c.id in (select charge_id from failed) and c.step = 'renewal'
           or c.step <> 'renewal' and c.refunded_cents < c.amount_cents)))
   )
   select from reopened`,
);

/**
 * Opens the charge of a failed refund again, so that it may be requested once more, and notifies the seller once: an order
 * that had been given back whole is reopened by checkout, and `order.reopened` is what the seller reads of it.
 */
export async function reopenCharges({ database, clock, wakeRelay }: PaymentDeps, refund: FailedRefund): Promise<void> {
  const { id: paymentId, account_id: accountId, order_id: orderId, amount_cents: amountCents, currency, test } = refund;
  const detail = refund.message ?? 'The processor gave no reason.';
  const source = { accountId, requestId: null, nowMs: clock.nowMs() };
  const failedAt = new Date(source.nowMs).toISOString();
  const events = [
    {
      ...outboxRow(refundFailed, { orderId, paymentId, amountCents, currency, detail, test, failedAt }, source),
      notice: false,
    },
    { ...noticeEvent(refund, refundFailedText(refund, detail), source), notice: true },
  ];
  const values = [accountId, paymentId, detail, JSON.stringify(events), orderId, failedAt];
  await database.pool.query(reopenStatement(values));
  wakeRelay();
}
