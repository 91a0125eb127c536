import { paymentNoticed } from '@app/contracts/payments';
import { type OutboxRow, outboxRow } from '@app/messaging/outbox';
import type { Payment } from './payment.types.ts';

export interface PaymentEventSource {
  readonly accountId: string;
  readonly requestId: string | null;
  readonly nowMs: number;
}

/** What the seller has to know, in plain words. */
export function noticeEvent(
  about: Pick<Payment, 'order_id' | 'test'>,
  summary: string,
  source: PaymentEventSource,
): OutboxRow {
  return outboxRow(paymentNoticed, { orderId: about.order_id, summary, test: about.test }, source);
}
