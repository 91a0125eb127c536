import { insertOutboxIfAny } from '@app/messaging/outbox';
import { statement } from '@app/service-kit/database';
import type { UnreadableKeyError } from '../processors/processor-registry.ts';
import type { Payment } from './payment.types.ts';
import type { PaymentDeps } from './payment-deps.ts';
import { noticeEvent } from './payment-events.ts';
import { keyUnreadableText } from './payment-notices.rules.ts';

const againAfterMs = 24 * 3_600_000;

const tellStatement = statement(
  'processor-settings-tell-unreadable',
  `with told as (
     update processor_settings set unreadable_told_at = $3
     where account_id = $1 and processor = $2 and (unreadable_told_at is null or unreadable_told_at <= $4)
     returning account_id
   )
   ${insertOutboxIfAny('told', '$5')}`,
);

/** Tells whoever runs the service at each payment, and the account's seller once a day. */
export async function tellKeyUnreadable(
  { database, clock, logger, wakeRelay }: PaymentDeps,
  payment: Payment,
  err: UnreadableKeyError,
): Promise<void> {
  const { account_id: accountId, processor } = payment;
  logger.error({ err, accountId, processor, paymentId: payment.id }, 'a payment could not be sent');
  const nowMs = clock.nowMs();
  const events = [noticeEvent(payment, keyUnreadableText(processor), { accountId, requestId: null, nowMs })];
  const times = [new Date(nowMs), new Date(nowMs - againAfterMs)];
  const { rowCount } = await database.pool.query(
    tellStatement([accountId, processor, ...times, JSON.stringify(events)]),
  );
  if (rowCount !== 0) wakeRelay();
}
