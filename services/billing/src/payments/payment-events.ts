import type { EventData } from '@app/contracts/define';
import { chargesRefunded, paymentCompleted, paymentNoticed } from '@app/contracts/payments';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';
import type { Charge, Payment } from './payment.types.ts';
import type { PaymentChange, PaymentUpdate } from './payment-change.rules.ts';
import { captureFailedText, isHoldExpired, refundRefusedText } from './payment-notices.rules.ts';

export interface PaymentEventSource {
  readonly accountId: string;
  readonly requestId: string | null;
  readonly nowMs: number;
}

export function completedEvents(
  data: EventData<typeof paymentCompleted> | null,
  source: PaymentEventSource,
): OutboxRow[] {
  return data === null ? [] : [outboxRow(paymentCompleted, data, source)];
}

/** What the seller has to know, in plain words. */
export function noticeEvent(
  about: Pick<Payment, 'order_id' | 'test'>,
  summary: string,
  source: PaymentEventSource,
): OutboxRow {
  return outboxRow(paymentNoticed, { orderId: about.order_id, summary, test: about.test }, source);
}

/**
 * What the end of a capture or of a refund brings about beside its rows.
 * @param charges all of the order's, as they were before
 */
export function stepEvents(
  payment: Payment,
  { payment: update, refunded }: PaymentChange,
  charges: readonly Charge[],
  source: PaymentEventSource,
): OutboxRow[] {
  if (update.status === 'declined') return declineNotices(payment, update, charges, source);
  if (refunded === null) return [];
  const others = charges.filter(({ id }) => id !== refunded.id);
  if (others.some(({ amount_cents, refunded_cents }) => refunded_cents < amount_cents)) return [];
  const data = {
    orderId: payment.order_id,
    refundedCents: refunded.cents + others.reduce((sum, { refunded_cents }) => sum + refunded_cents, 0),
    currency: payment.currency,
    test: payment.test,
    refundedAt: new Date(source.nowMs).toISOString(),
  };
  return [outboxRow(chargesRefunded, data, source)];
}

function declineNotices(
  payment: Payment,
  { decline_reason: reason, decline_message: message }: PaymentUpdate,
  charges: readonly Charge[],
  source: PaymentEventSource,
): OutboxRow[] {
  if (payment.step === 'capture') {
    // Told once, not each day that it fails again; the end of the hold is told as well.
    const isNews = payment.try_no === 1 && !isHoldExpired(reason);
    return isNews ? [noticeEvent(payment, captureFailedText(payment, message), source)] : [];
  }
  if (payment.step !== 'refund') return [];
  const refundedCents = charges.reduce((sum, { refunded_cents }) => sum + refunded_cents, 0);
  const chargedCents = charges.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  return [noticeEvent(payment, refundRefusedText(payment, message, { refundedCents, chargedCents }), source)];
}
