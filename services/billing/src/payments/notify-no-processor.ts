import { writeOutboxOnce } from '@app/messaging/outbox';
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
  const nowMs = clock.nowMs();
  const events = [noticeEvent(payment, noProcessorText, { accountId, requestId: null, nowMs })];
  const key = `no payment processor ${accountId} ${new Date(nowMs).toISOString().slice(0, 10)}`;
  if (await writeOutboxOnce(database.pool, key, events)) wakeRelay();
}
