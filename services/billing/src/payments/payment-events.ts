import type { EventData } from '@app/contracts/define';
import { chargeRefunded, chargesRefunded, paymentCompleted, paymentNoticed } from '@app/contracts/payments';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';
import type { Charge, OrderMoney, Payment } from './payment.types.ts';
import type { PaymentChange, PaymentUpdate } from './payment-change.rules.ts';
import { captureFailedText, isAlreadyCaptured, isHoldExpired, refundRefusedText } from './payment-notices.rules.ts';
import { refundedPart, refundsOf } from './refunded-parts.rules.ts';

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

/** An event of an answer. With `if_whole` it is written only if every own charge of the order is given back then. */
export type StepEvent = OutboxRow & { readonly if_whole?: true };

/**
 * What the end of a capture or of a refund brings about beside its rows.
 * @param money all of the order's, as it was before: what changed since is decided by the statement that records the end
 */
export function stepEvents(
  payment: Payment,
  { payment: update, refunded }: PaymentChange,
  money: OrderMoney | undefined,
  source: PaymentEventSource,
): StepEvent[] {
  if (update.status === 'declined') return declineNotices(payment, update, money?.charges ?? [], source);
  if (refunded === null) return [];
  if (money === undefined) throw new Error(`refund ${payment.id} ends without the charges of its order`);
  const refundedAt = new Date(source.nowMs);
  const { order_id: orderId, currency, test } = payment;
  const about = { orderId, currency, test, refundedAt: refundedAt.toISOString() };
  const part = refundedPart(money, { ...payment, finished_at: refundedAt });
  const events = [outboxRow(chargeRefunded, { ...about, refund: part }, source)];
  if (!money.charges.some(({ id }) => id === refunded.id)) return events;
  const refundedCents = money.charges.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  const data = { ...about, refundedCents, refunds: [...refundsOf(money), part] };
  return [...events, { ...outboxRow(chargesRefunded, data, source), if_whole: true }];
}

function declineNotices(
  payment: Payment,
  { decline_reason: reason, decline_message: message }: PaymentUpdate,
  charges: readonly Charge[],
  source: PaymentEventSource,
): OutboxRow[] {
  if (payment.step === 'capture') {
    // Told once, not each day that it fails again; the end of the hold is told as well.
    const isNews = payment.try_no === 1 && !isHoldExpired(reason) && !isAlreadyCaptured(reason);
    return isNews ? [noticeEvent(payment, captureFailedText(payment, message), source)] : [];
  }
  if (payment.step !== 'refund') return [];
  const refundedCents = charges.reduce((sum, { refunded_cents }) => sum + refunded_cents, 0);
  const chargedCents = charges.reduce((sum, { amount_cents }) => sum + amount_cents, 0);
  return [noticeEvent(payment, refundRefusedText(payment, message, { refundedCents, chargedCents }), source)];
}
