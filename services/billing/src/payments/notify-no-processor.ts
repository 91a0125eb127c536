import { notifyOnce } from '@app/messaging/notify-once';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { noticeEvent } from './payment-events.ts';
import { noProcessorText } from './payment-notices.rules.ts';

/** Notifies the seller once in a UTC day that a buyer could not pay, because the account has chosen no processor. */
export async function notifyNoProcessor(
  { database, clock, wakeRelay }: Pick<PaymentDeps, 'database' | 'clock' | 'wakeRelay'>,
  payment: Payment,
): Promise<void> {
  const { account_id: accountId } = payment;
  const now = clock.now();
  const event = noticeEvent(payment, noProcessorText, { accountId, requestId: null, nowMs: now.getTime() });
  const subject = `no payment processor ${now.toISOString().slice(0, 10)}`;
  if ((await notifyOnce(database.pool, [{ accountId, subject, event }], { now })) > 0) wakeRelay();
}
