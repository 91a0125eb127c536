import { notifyOnce } from '@app/messaging/notify-once';
import type { UnreadableKeyError } from '../processors/processor-registry.ts';
import { keyUnreadableSubject } from '../processors/processor-settings.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { noticeEvent } from './payment-events.ts';
import { keyUnreadableText } from './payment-notices.rules.ts';

const againAfterMs = 24 * 3_600_000;

/** Notifies the operator, in the log, at each payment, and the account's seller once a day until the key is replaced. */
export async function tellKeyUnreadable(
  { database, clock, logger, wakeRelay }: PaymentDeps,
  payment: Payment,
  err: UnreadableKeyError,
): Promise<void> {
  const { account_id: accountId, processor } = payment;
  logger.error({ err, accountId, processor, paymentId: payment.id }, 'a payment could not be sent');
  const now = clock.now();
  const event = noticeEvent(payment, keyUnreadableText(processor), {
    accountId,
    requestId: null,
    nowMs: now.getTime(),
  });
  const notification = { accountId, subject: keyUnreadableSubject(processor), event };
  if ((await notifyOnce(database.pool, [notification], { now, againAfterMs })) > 0) wakeRelay();
}
