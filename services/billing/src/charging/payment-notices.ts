import { type NotifyOnceOptions, notifyOnce } from '@app/messaging/notify-once';
import type { Client } from '@app/service-kit/database';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { noticeEvent } from './payment-events.ts';

interface PaymentNotification extends Omit<NotifyOnceOptions, 'now'> {
  /** One notification is sent for the same words here. */
  readonly key: string;
  readonly text: string;
}

/**
 * Notifies the seller of a payment, once for each key.
 * @param client of the transaction that the notification is a part of, if there is one
 */
export async function notifyOfPayment(
  { database, clock, wakeRelay }: Pick<PaymentDeps, 'database' | 'clock' | 'wakeRelay'>,
  payment: Payment,
  { key, text, ...options }: PaymentNotification,
  client: Pick<Client, 'query'> = database.pool,
): Promise<void> {
  const { account_id: accountId } = payment;
  const now = clock.now();
  const event = noticeEvent(payment, text, { accountId, requestId: null, nowMs: now.getTime() });
  if ((await notifyOnce(client, [{ accountId, key, event }], { now, ...options })) > 0) wakeRelay();
}
